#!/usr/bin/env python3
"""Several knowledge bases at once: a company's own entry stands beside the
built-in ones, in reports, lists and search, by the same rules."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
OWN = "python/acme-batcher"
ENTRY = """\
title: {en: Acme's batcher found its pool too small, zh: Acme 的批处理器内存池太小}
component: python
mechanism: activation
severity: failure
role: root
root_cause:
  en: "The batcher takes its pool once, at start. A request above that waits for ever."
  zh: "批处理器只在启动时占用内存池，超过它的请求会一直等待。"
signatures:
  - id: refused
    pattern: AcmeBatcher refused a batch of (?<tried_alloc__MiB>(?&dec)) MiB
    sample: AcmeBatcher refused a batch of 512 MiB
causes: {one_step: 0.6, growth: 0.4}
workarounds:
  - id: smaller
    action: {en: Send smaller batches, zh: 发送更小的批次}
    how: {en: Send 4 requests at a time., zh: 每次发送 4 个请求。}
    cures: {one_step: most, growth: little}
    acts_on: {kind: code}
    loses: speed
    frees: activation
    effect: none
    success: {basis: estimate, rate: 0.6, because: {en: The author's experience., zh: 作者的经验。}}
provenance: {source: llm, verification: unverified, confidence: 0.5}
first_seen: "2026-01-01"
last_verified: "2026-11-20"
"""
LOG = b"AcmeBatcher refused a batch of 512 MiB\n" \
      b"AcmeBatcher refused a batch of 640 MiB\n"
VLLM = b"ValueError: No available memory for the cache blocks. Try " \
       b"increasing `gpu_memory_utilization` when initializing the engine.\n"


def oomkb(*words, stdin=b""):
    return subprocess.run([OOMKB, *words], input=stdin, env=ENV, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def build(folder, name, entries):
    """An index of these entries (id -> text) and of all of kb/."""
    root = os.path.join(folder, name)
    for part in ("kb", "i18n"):
        shutil.copytree(os.path.join(ROOT, part), os.path.join(root, part))
    for id_, text in entries.items():
        path = os.path.join(root, "entries", id_ + ".yaml")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        with open(path[:-5] + ".ok.log", "w", encoding="utf-8") as file:
            file.write("AcmeBatcher took a batch of 4 MiB\n")
    made = os.path.join(folder, name + ".db")
    done = oomkb("build", os.path.join(root, "entries"), "-o", made)
    assert done.returncode == 0, done.stderr.decode()
    return made


class Several(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.own = build(cls.folder, "own", {OWN: ENTRY})
        cls.both = ("--kb", cls.own, "--kb", "built-in")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def found(self, stdin, *words):
        done = oomkb("--format", "json", *words, stdin=stdin)
        self.assertEqual(done.stderr, b"")
        return json.loads(done.stdout)

    def ids(self, stdin, *words):
        return [finding["entry"] for finding in
                self.found(stdin, *words)["findings"]]

    def test_one_alone_knows_its_own_entries(self):
        self.assertEqual(self.ids(LOG, "--kb", self.own), [OWN])
        self.assertEqual(self.ids(VLLM, "--kb", self.own), [])
        self.assertEqual(self.ids(LOG), [])

    def test_both_answer_one_log_in_either_order(self):
        for order in (self.both, self.both[2:] + self.both[:2]):
            for log in (LOG + VLLM, VLLM + LOG):
                self.assertEqual(sorted(self.ids(log, *order)),
                                 [OWN, "vllm/no-kv-blocks"])
        page = self.found(LOG, *self.both)
        alone = self.found(LOG, "--kb", self.own)
        self.assertEqual(page["findings"], alone["findings"])
        self.assertEqual(page["kb"]["entries"],
                         self.found(LOG)["kb"]["entries"] + 1)

    def test_what_the_built_in_one_says_is_what_it_says_alone(self):
        for name in ("examples/vllm-long-context.log",
                     "entries/pytorch/cuda-oom-fragmentation.log",
                     "entries/ray/node-memory.log"):
            path = os.path.join(ROOT, name)
            if os.path.exists(path):
                self.assertEqual(
                    self.found(b"", *self.both, path)["findings"],
                    self.found(b"", path)["findings"], name)

    def test_they_are_listed_explained_and_searched_together(self):
        listed = json.loads(oomkb("list", *self.both, "--format",
                                  "json").stdout)["entries"]
        ids = [entry["id"] for entry in listed]
        self.assertIn(OWN, ids)
        self.assertIn("vllm/no-kv-blocks", ids)
        self.assertEqual(ids, sorted(ids))
        self.assertIn(b"Acme's batcher",
                      oomkb("explain", OWN, *self.both).stdout)
        self.assertIn(b"vLLM",
                      oomkb("explain", "vllm/no-kv-blocks", *self.both).stdout)
        first = json.loads(oomkb("search", *self.both, "--format", "json",
                                 "acme batcher pool").stdout)["entries"][0]
        self.assertEqual(first["id"], OWN)
        first = json.loads(oomkb("search", *self.both, "--format", "json",
                                 VLLM.decode()).stdout)["entries"][0]
        self.assertEqual(first["id"], "vllm/no-kv-blocks")
        self.assertIn(b"python", oomkb("list", "components",
                                       *self.both).stdout)

    def test_fit_asks_the_catalogue_of_the_built_in_one(self):
        words = ("fit", "--model", "Qwen/Qwen2.5-7B", "--gpu", "L4")
        self.assertEqual(oomkb(*words, *self.both).stdout,
                         oomkb(*words).stdout)

    def test_several_logs_by_several_threads(self):
        path = os.path.join(self.folder, "both.log")
        with open(path, "wb") as file:
            file.write(LOG + VLLM)
        done = oomkb("--jobs", "2", "--format", "json", *self.both, path,
                     path)
        for page in json.loads(done.stdout):
            self.assertEqual(sorted(finding["entry"]
                                    for finding in page["findings"]),
                             [OWN, "vllm/no-kv-blocks"])

    def test_an_id_that_clashes_is_said(self):
        for kbs in ((self.own, self.own),
                    (build(self.folder, "clash",
                           {"vllm/no-kv-blocks": ENTRY.replace(
                               "component: python", "component: vllm")}),
                     "built-in")):
            done = oomkb("--kb", kbs[0], "--kb", kbs[1], stdin=LOG)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"have an entry", done.stderr)

    def test_too_many_and_missing_ones_are_said(self):
        done = oomkb(*["--kb", self.own] * 17, stdin=LOG)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"16", done.stderr)
        done = oomkb("--kb", "built-in", "--kb", "/nonexistent", stdin=LOG)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"/nonexistent", done.stderr)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
