#!/usr/bin/env python3
"""An unknown failure: the report says which line looks like memory, what such
words mean and what stands on the line; exit status 1. What is known, healthy
or only talks of memory has no suspect."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

OOMKB = os.environ.get("OOMKB", "build/oomkb")
GIB = 1 << 30

# log, line, entry, need, have
UNKNOWN = [
    ("plan 3 of 9\nboxrt: staging pool: allocation failed: need 4.00 GiB, "
     "have 3.10 GiB\n", 2, "need-and-have", 4 * GIB, round(3.1 * GIB)),
    ("boxrt: request of 12.5 GiB exceeds the limit of 8.0 GiB\n",
     1, "need-and-have", round(12.5 * GIB), 8 * GIB),
    ("[boxrt] ERROR: insufficient arena: 6.00 GiB required, 5.25 GiB "
     "available\n", 1, "need-and-have", 6 * GIB, round(5.25 * GIB)),
    ("boxrt: making a plan: BOX_STATUS_ALLOC_FAILED\n", 1,
     "allocation-failed", None, None),
    ("step 12\nKilled\n", 2, "killed", None, None),
    ("step 12\nOOM\n", 2, "killed", None, None),
]
# Words that leave no doubt are a finding: log, line, entry, words of its first
# fix.
CERTAIN = [
    ("boxrt.core.BoxError: device 2 is out of memory, requested 2.00 GiB\n",
     1, "gpu-memory", "less at once"),
    ("plan 3\nboxrt: worker 4 ran out of GPU memory\n", 2, "gpu-memory",
     "less at once"),
    ("[boxrt] 显存不足，任务退出\n", 1, "gpu-memory", "less at once"),
    ("bug: box hit an error [52] 0.02.39 E GPU error: out of memory\n", 1,
     "gpu-memory", "less at once"),
    ("BOX Error Code: ERROR_OUT_OF_DEVICE_MEMORY\n", 1, "gpu-memory",
     "less at once"),
    ("Недостаточно видеопамяти.\n", 1, "gpu-memory", "less at once"),
    # No model and no GPU in sight: nothing is said of batches (readers of P36).
    ("boxrt: error out of memory at plan.c:17\n", 1, "out-of-memory",
     "memory limit"),
    ('BOX_ASSERT: box.c:46: data != NULL && "failed to allocate buffer"\n',
     1, "out-of-memory", "memory limit"),
    ("boxrt: error out of memory at plan.c:17\nNVIDIA RTX A6000, step 3\n", 1,
     "out-of-memory", "less at once"),
    ("boxrt: staging: Cannot allocate memory\n", 1, "out-of-memory",
     "memory limit"),
    ("boxrt: staging: Impossibile allocare memoria\n", 1, "out-of-memory",
     "memory limit"),
    ("boxrt: worker 3 was OOM-killed, restart 2 of 5\n", 1, "out-of-memory",
     "memory limit"),
]
SILENT = [
    "all is well\n",
    "boxrt: plan needs 4.00 GiB, 8.00 GiB available\n",
    "boxrt: WARNING: pool exceeds the limit of 8.0 GiB, needs 9.0 GiB\n",
    "boxrt: if it runs out of memory, lower --slabs\n",
    "boxrt: memory allocation failed, falling back to the host\n",
    "boxrt: upload of 12.5 GiB exceeds the limit of 8.0 GiB\n",
    "boxrt: peak memory allocation of 21474836480 bytes\n",
    "ValueError: batch_size has to be a multiple of 8\n\nKilled\n",
    "Killed\n" + "step 4 of 9, loss 1.5, nothing of note\n" * 40000,
]
KNOWN = ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate "
         "2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.13 GiB "
         "is free.\n")


def oomkb(log, *words):
    done = subprocess.run([OOMKB, "--lang", "en", *words], input=log,
                          text=True, capture_output=True, check=False)
    return done.returncode, done.stdout


class Suspects(unittest.TestCase):
    def test_an_unknown_failure_names_its_line(self):
        for log, line, entry, need, have in UNKNOWN:
            with self.subTest(log=log):
                status, text = oomkb(log, "--format", "json")
                report = json.loads(text)
                self.assertEqual((status, report["findings"]), (1, []))
                suspect = report["suspects"][0]
                self.assertEqual((suspect["line"], suspect["entry"]),
                                 (line, "unknown/" + entry))
                amounts = [suspect[key] and suspect[key]["value"]
                           for key in ("need", "have")]
                self.assertEqual(amounts, [need, have])
                short = need - have if need and have else None
                self.assertEqual(suspect["short_by"], short)
                self.assertIn(str(line), report["summary"])
                self.assertTrue(suspect["means"] and suspect["would_tell"])

    def test_certain_words_are_a_finding(self):
        for log, line, entry, words in CERTAIN:
            with self.subTest(log=log):
                status, text = oomkb(log, "--format", "json")
                report = json.loads(text)
                self.assertEqual((status, report["suspects"]), (0, []))
                found = report["findings"][0]
                self.assertEqual((found["entry"], found["first_line"]),
                                 ("unknown/" + entry, line))
                self.assertIn(words, found["fixes"][0]["action"])

    def test_it_reads_in_twenty_seconds(self):
        status, text = oomkb(UNKNOWN[0][0])
        self.assertEqual(status, 1)
        for words in ("line 2", "need 4.00 GiB, have 3.10 GiB",
                      "short by 0.90 GiB", "most often mean", "oomkb new"):
            self.assertIn(words, text)
        self.assertLessEqual(len(text.splitlines()), 25)

    def test_healthy_logs_have_none(self):
        for log in SILENT:
            with self.subTest(log=log[:80]):
                status, text = oomkb(log, "--format", "json")
                self.assertEqual((status, json.loads(text)["suspects"]),
                                 (1, []))

    def test_near_misses_have_none(self):
        paths = sorted(pathlib.Path("tests/eval/near").glob("*.log"))
        text = oomkb("", "--format", "jsonl", *map(str, paths))[1]
        reports = [json.loads(line) for line in text.splitlines()]
        loud = [r["input"]["name"] for r in reports if r["suspects"]]
        self.assertEqual((len(reports), loud), (len(paths), []))

    def test_beside_a_known_failure_there_is_none(self):
        status, text = oomkb(KNOWN + UNKNOWN[0][0], "--format", "json")
        self.assertEqual((status, json.loads(text)["suspects"]), (0, []))

    def test_names_are_taken_out(self):
        log = ("[/home/ann/boxrt] ERROR: insufficient arena: 6.00 GiB "
               "required, 5.25 GiB available\n")
        text = oomkb(log, "--redact", "--format", "json")[1]
        self.assertEqual(len(json.loads(text)["suspects"]), 1)
        self.assertNotIn("ann", text)

    def test_markdown_and_chinese(self):
        log = UNKNOWN[0][0]
        page = oomkb(log, "--format", "markdown")[1]
        self.assertTrue(page.startswith("## "))
        self.assertIn("oomkb new", page)
        done = subprocess.run([OOMKB, "--lang", "zh"], input=log, text=True,
                              capture_output=True, check=False)
        self.assertIn("第 2 行", done.stdout)
        self.assertIn("还差", done.stdout)


if __name__ == "__main__":
    sys.exit(unittest.main())
