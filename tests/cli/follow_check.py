#!/usr/bin/env python3
"""`oomkb --follow` beside a log that grows, is rotated, cut short, or a pipe
that stays open: each cause is told once and soon, and Ctrl-C ends with the
whole report and the documented status."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
SOON = 20  # seconds: a machine may be busy; a report takes about one
STAMP = "2026-01-02 03:04:%02d,000 INFO server: "


def cuda(gib):
    return ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to "
            f"allocate {gib}.00 GiB. GPU 0 has a total capacity of 23.69 GiB "
            "of which 1.13 GiB is free.\n")


SLURM = ("slurmstepd: error: Detected 1 oom-kill event(s) in StepId=77.0. "
         "Some of your processes may have been killed by the cgroup "
         "out-of-memory handler.\n")


class Watcher:
    """The program, and what it has written so far."""

    def __init__(self, *words, stdin=subprocess.DEVNULL):
        self.child = subprocess.Popen(
            [OOMKB, "--follow", *words], stdin=stdin, env=ENV,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.out, self.err = bytearray(), bytearray()
        self.threads = [
            threading.Thread(target=self.gather, args=pair, daemon=True)
            for pair in ((self.child.stdout, self.out),
                         (self.child.stderr, self.err))]
        for thread in self.threads:
            thread.start()

    @staticmethod
    def gather(pipe, room):
        while True:
            piece = os.read(pipe.fileno(), 65536)
            if not piece:
                return
            room += piece

    def wait_for(self, is_so, what):
        until = time.monotonic() + SOON
        while time.monotonic() < until:
            if is_so(self):
                return
            time.sleep(0.02)
        raise AssertionError(f"{what}; out: {bytes(self.out)!r}, "
                             f"err: {bytes(self.err)!r}")

    def lines(self):
        return [json.loads(row) for row in self.out.decode().splitlines()]

    def wait_for_lines(self, n):
        self.wait_for(lambda w: w.out.count(b"\n") >= n, f"{n} reports")

    def end(self, number=signal.SIGINT):
        self.child.send_signal(number)
        return self.over()

    def over(self):
        status = self.child.wait(SOON)
        for thread in self.threads:
            thread.join()
        self.child.stdout.close()
        self.child.stderr.close()
        if self.child.stdin:
            self.child.stdin.close()
        return status


def entries(report):
    return [f["entry"] for f in report["findings"] if f["cause"] is None or
            f["cause"] < 0]


class Follow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = os.path.join(folder.name, "server.log")
        self.write("INFO start\n", "w")

    def write(self, text, mode="a"):
        with open(self.log, mode, encoding="utf-8") as f:
            f.write(text)

    def watcher(self, *words, **more):
        w = Watcher(*words, **more)
        self.addCleanup(lambda: w.child.poll() is None and w.child.kill())
        return w

    def test_each_cause_is_told_once_and_the_whole_at_the_end(self):
        w = self.watcher("--format", "jsonl", self.log)
        self.write(cuda(2))
        w.wait_for_lines(1)
        self.write(STAMP % 1 + "again\n" + cuda(2))
        self.write(STAMP % 2 + "and another\n" + SLURM)
        w.wait_for_lines(2)
        self.assertEqual(w.end(), 0)
        first, second, whole = w.lines()
        self.assertEqual([x.split("/")[0] for x in entries(first)],
                         ["pytorch"])
        self.assertEqual([x.split("/")[0] for x in entries(second)],
                         ["slurm"])
        self.assertEqual(len(entries(whole)), 2)
        self.assertEqual(max(f["count"] for f in whole["findings"]), 2)
        self.assertEqual(w.err, b"")

    def test_what_is_there_already_is_read(self):
        self.write(cuda(2))
        w = self.watcher(self.log)
        w.wait_for(lambda w: b"PyTorch ran out" in w.out, "a report")
        self.assertEqual(w.end(signal.SIGTERM), 0)
        titles = [r for r in w.out.decode().splitlines()
                  if r.startswith("==> ")]
        self.assertEqual(len(titles), 2)
        self.assertRegex(titles[0],
                         r"^==> \S+, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d <==$")
        self.assertRegex(titles[1], r"^==> \S+, the whole log <==$")
        self.assertEqual(w.out.count(b"pytorch/cuda-oom"), 2)  # id, explain
        self.assertIn(b"Nothing new since the last report; 2 lines", w.out)

    def test_what_came_more_often_is_told_whole(self):
        self.write(cuda(2))
        w = self.watcher(self.log)
        w.wait_for(lambda w: b"PyTorch ran out" in w.out, "a report")
        self.write(STAMP % 1 + "again\n" + cuda(2))
        time.sleep(0.3)
        self.assertEqual(w.end(), 0)
        self.assertNotIn(b"is all there is", w.out)
        self.assertEqual(w.out.count(b"Seen 2 times"), 1)

    def test_a_busy_log_is_answered_too(self):
        w = self.watcher("--format", "jsonl", self.log)
        self.write(cuda(2))
        until = time.monotonic() + SOON
        while b"\n" not in w.out and time.monotonic() < until:
            self.write(STAMP % 3 + "busy\n")  # never quiet
            time.sleep(0.05)
        self.assertEqual(len(w.lines()), 1)
        self.assertEqual(w.end(), 0)

    def test_status_1_when_nothing_was_found(self):
        w = self.watcher("--format", "jsonl", self.log)
        time.sleep(1.5)
        self.assertEqual(w.out, b"")
        self.assertEqual(w.end(), 1)
        self.assertEqual(entries(w.lines()[-1]), [])

    def test_a_rotated_log_goes_on(self):
        w = self.watcher("--format", "jsonl", self.log)
        self.write(cuda(2))
        w.wait_for_lines(1)
        os.rename(self.log, self.log + ".1")
        self.write(STAMP % 9 + "new\n" + SLURM, "w")
        w.wait_for_lines(2)
        self.assertEqual(w.end(), 0)
        whole = w.lines()[-1]
        self.assertEqual(len(entries(whole)), 2)
        self.assertEqual(whole["input"]["lines"], 4)
        self.assertIn(b"its first line is counted as 3", w.err)

    def test_a_log_cut_short_is_read_again(self):
        self.write("INFO a long line that is gone later " + "x" * 500 + "\n" +
                   "no newline here")
        w = self.watcher("--format", "jsonl", self.log)
        time.sleep(0.5)
        self.write(SLURM, "w")
        w.wait_for_lines(1)
        self.assertEqual(w.end(), 0)
        self.assertIn(b"truncated", w.err)
        self.assertEqual(w.lines()[0]["findings"][0]["first_line"], 4)

    def test_a_log_may_come_later(self):
        os.remove(self.log)
        w = self.watcher("--format", "jsonl", self.log)
        w.wait_for(lambda w: b"waiting for it" in w.err, "a note")
        self.write(cuda(2), "w")
        w.wait_for_lines(1)
        self.assertEqual(w.end(), 0)
        self.assertEqual(w.err.count(b"\n"), 1)

    def test_a_pipe_that_stays_open_is_answered(self):
        w = self.watcher("--format", "jsonl", stdin=subprocess.PIPE)
        w.child.stdin.write(cuda(2).encode())
        w.child.stdin.flush()
        w.wait_for_lines(1)
        self.assertIsNone(w.child.poll())
        w.child.stdin.close()
        w.child.stdin = None
        self.assertEqual(w.over(), 0)
        self.assertEqual(len(w.lines()), 2)

    def test_the_end_of_a_pipe_is_the_end(self):
        done = subprocess.run([OOMKB, "-f", "--format", "jsonl"], env=ENV,
                              input=cuda(2).encode(), stdout=subprocess.PIPE,
                              check=False, timeout=SOON)
        self.assertEqual(done.returncode, 0)
        whole = subprocess.run([OOMKB, "--format", "jsonl"], env=ENV,
                               input=cuda(2).encode(), check=False,
                               stdout=subprocess.PIPE)
        self.assertEqual(done.stdout, whole.stdout)

    def test_several_logs(self):
        other = self.log + ".other"
        with open(other, "w", encoding="utf-8") as f:
            f.write("INFO other\n")
        w = self.watcher(self.log, other)
        self.write(cuda(2))
        w.wait_for(lambda w: b"PyTorch ran out" in w.out, "a report")
        self.assertEqual(w.end(), 0)
        self.assertEqual(w.out.count(b"the whole log <=="), 2)

    def test_what_cannot_be_followed(self):
        w = self.watcher("--format", "json", self.log)
        self.assertEqual(w.over(), 2)
        self.assertIn(b"jsonl", w.err)
        w = self.watcher("/")
        self.assertEqual(w.over(), 2)
        self.assertIn(b"directory", w.err)

    def test_nobody_reads_on(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.write(cuda(2))
        child = subprocess.Popen([OOMKB, "-f", self.log], stdout=writer,
                                 stderr=subprocess.PIPE, env=ENV)
        os.close(writer)
        self.assertIsNotNone(child.wait(SOON))
        self.assertEqual(child.stderr.read(), b"")
        child.stderr.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
