#!/usr/bin/env python3
"""`oomkb new`: a draft compiles at once, as a draft; filled in it is an entry,
and the log it came from is answered by it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
LOG = """\
INFO 06-02 14:19:24 [core.py:12] pool is ready, 3 slabs
Traceback (most recent call last):
  File "/home/ann/lib/slabbox.py", line 88, in take
    pool.reserve(blocks)
slabbox.SlabError: device 0 is out of memory in /home/ann/q.bin: requested \
3.50 GiB, 1.25 GiB free of 24.00 GiB total
"""
TORCH = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate " \
        "2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.13 " \
        "GiB is free.\n"
# What a person would write where a draft is empty.
WRITTEN = """\
workarounds:
  - id: smaller-slab
    action: {en: Make the slab smaller, zh: 缩小 slab}
    how: {en: "Call `slab(1)`.", zh: "调用 `slab(1)`。"}
    acts_on: {kind: code}
    effort: code
    loses: nothing
    frees: activation
    cures: {one_step: some}
    trade_off: {en: None that is known., zh: 未知。}
    effect: none
"""


def oomkb(*words, stdin=""):
    return subprocess.run([OOMKB, *map(str, words)], input=stdin, text=True,
                          capture_output=True, check=False)


def filled(draft):
    page = re.sub(r"^status: draft.*\n", "", draft, flags=re.M)
    page = re.sub(r"^title:\n  en: .*$",
                  "title: {en: The slab is full, zh: slab 已满}", page,
                  flags=re.M)
    page = re.sub(r"^root_cause:\n  en:.*$",
                  "root_cause: {en: It was too small., zh: 它太小了。}", page,
                  flags=re.M)
    page = page.replace("component: unknown", "component: toy")
    page = page.replace("product: unknown", "product: toy")
    page = page.replace("mechanism: unspecified", "mechanism: activation")
    return page + WRITTEN


class Draft(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        for part in ("tests/good/entries", "tests/good/kb", "i18n"):
            shutil.copytree(ROOT / part,
                            self.dir / pathlib.PurePath(part).name)
        shutil.copy(ROOT / "kb/ranking.yaml", self.dir / "kb")
        self.log = self.dir / "run.log"
        self.log.write_text(LOG)
        self.entry = self.dir / "entries/toy/slab.yaml"
        self.entry.parent.mkdir()

    def build(self):
        return oomkb("build", self.dir / "entries", "-o", self.dir / "x.db")

    def test_from_draft_to_answer(self):
        done = oomkb("new", self.log, "-o", self.entry)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        checked = oomkb("check", self.entry)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn("[W108]", checked.stderr)
        self.assertIn("[E026]", checked.stderr)  # told, and refused by nobody
        self.assertEqual(self.build().returncode, 0)
        answer = oomkb("--kb", self.dir / "x.db", self.log)
        self.assertNotIn("toy/slab", answer.stdout)  # drafts are not shipped
        self.entry.write_text(filled(self.entry.read_text()))
        refused = self.build()
        self.assertIn("[E054]", refused.stderr)
        self.entry.with_suffix(".ok.log").write_text("slabbox: 2 GiB given, no SlabError\n")
        passed = self.build()
        self.assertEqual(passed.returncode, 0, passed.stderr)
        answer = oomkb("--kb", self.dir / "x.db", self.log)
        self.assertEqual(answer.returncode, 0)
        self.assertIn("toy/slab", answer.stdout)
        again = oomkb("new", "--kb", self.dir / "x.db", self.log)
        self.assertEqual((again.returncode, again.stdout), (1, ""))
        self.assertIn("toy/slab", again.stderr)

    def test_a_draft_anywhere_is_checked(self):
        draft = self.dir / "mine.yaml"
        self.assertEqual(oomkb("new", self.log, "-o", draft).returncode, 0)
        for folder in (ROOT, self.dir / "kb"):  # with a corpus, and without
            done = subprocess.run([OOMKB, "check", str(draft)], cwd=folder,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("1 entries, 1 samples, 0 errors", done.stderr)

    def test_to_stdout_from_stdin_without_names(self):
        done = oomkb("new", stdin=LOG)
        self.assertEqual(done.returncode, 0)
        self.assertIn("(?<tried_alloc>(?&amount))", done.stdout)
        self.assertNotIn("ann", done.stdout)

    def test_a_known_failure_needs_no_draft(self):
        done = oomkb("new", "--lang", "en", stdin=TORCH)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^oomkb: pytorch/\S+ already covers this failure")

    def test_a_log_without_failure(self):
        done = oomkb("new", stdin="all is well\n")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_nothing_is_overwritten(self):
        done = oomkb("new", self.log, "-o", self.log)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.log.read_text(), LOG)


if __name__ == "__main__":
    sys.exit(unittest.main())
