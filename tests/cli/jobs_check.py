#!/usr/bin/env python3
"""`oomkb -j N`: whatever N is, the same bytes, the same errors in the same
places and the same status as with one thread; no more reports kept than
threads allow; pipes read in their turn; one line of progress for all."""
import fcntl
import glob
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
ENV = {"PATH": os.environ["PATH"], "LANG": "C", "TERM": "xterm",
       **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from many import is_asked  # noqa: E402

FORMATS = ("text", "json", "jsonl", "markdown")
JOBS = ("2", "8", "auto")
SAMPLES = [name for name in sorted(glob.glob("entries/*/*.log", root_dir=ROOT))
           if is_asked(name, 5)]
FAILED = b"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to " \
         b"allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of " \
         b"which 1.13 GiB is free.\n"
HEALTHY = b"INFO loaded 7.51 GiB of weights, 12.01 GiB free\n"


def oomkb(jobs, *words, stdin=b"", **options):
    return subprocess.run([OOMKB, "--jobs", str(jobs), *words], input=stdin,
                          cwd=ROOT, env=ENV, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, **options)


class Jobs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def expect_same(self, *words, **options):
        """As one thread answers; returns that."""
        one = oomkb(1, *words, **options)
        for jobs in JOBS:
            many = oomkb(jobs, *words, **options)
            self.assertEqual(many.stderr, one.stderr, words[:9])
            self.assertEqual(many.returncode, one.returncode, words[:9])
            self.assertEqual(many.stdout, one.stdout, words[:9])
        return one


class SameAnswers(Jobs):
    def with_what_cannot_be_read(self):
        """The samples; every 40th input is a missing file or a folder, and
        so are the first and the last."""
        broken = self.write("broken.gz", b"\x1f\x8b\x08\x00" + b"\xff" * 64)
        bad = ["/nonexistent.log", "/tmp", broken, "entries"]
        inputs = []
        for i, sample in enumerate(SAMPLES):
            if i % 40 == 0:
                inputs.append(bad[i // 40 % len(bad)])
            inputs.append(sample)
        return inputs + bad

    def test_all_samples_in_every_format(self):
        self.assertGreater(len(SAMPLES), 150)
        inputs = self.with_what_cannot_be_read()
        for form in FORMATS:
            one = self.expect_same("--format", form, *inputs)
            self.assertEqual(one.returncode, 2)
            self.assertGreaterEqual(one.stdout.count(b"\n"), len(inputs))
            self.assertGreater(one.stderr.count(b"\n"), len(inputs) // 50)

    def test_options_reach_every_thread(self):
        inputs = SAMPLES[::4]
        plain = self.expect_same("--format", "json", *inputs)
        for words in (["--redact"], ["--lang", "zh"], ["--why", "--top", "1"],
                      ["--color", "always"], ["--set", "gpu_total=24GiB"]):
            form = "text" if words[0] != "--set" else "json"
            other = self.expect_same(*words, "--format", form, *inputs)
            self.assertNotEqual(other.stdout, plain.stdout)

    def test_long_among_short(self):
        """The first takes longest: the others are ready before it."""
        long = self.write("long.log", HEALTHY * 40000 + FAILED)
        short = [self.write(f"{i}.log", FAILED * i) for i in range(40)]
        one = self.expect_same("--format", "jsonl", long, *short, long)
        self.assertEqual(one.stdout.count(b"\n"), 42)

    def test_parts_of_one_log(self):
        """Failures lie in many places of a long log, and where it is cut."""
        gap = b"".join(b"step %d, loss 0.%d, 9 samples seen\n" % (i, i % 97)
                       for i in range(9000))
        samples = []
        for name in SAMPLES[::15]:
            with open(os.path.join(ROOT, name), "rb") as file:
                samples.append(file.read())
        log = self.write("one.log", b"".join(gap + s for s in samples) + gap)
        one = self.expect_same("--format", "json", log)
        self.assertGreater(os.path.getsize(log), 4 << 20)
        self.assertEqual(one.returncode, 0)
        with open(log, "rb") as file:
            whole = file.read()
        self.expect_same("--format", "jsonl", "-", stdin=whole)

    def test_status(self):
        healthy = self.write("healthy.log", HEALTHY)
        failed = self.write("failed.log", FAILED)
        for inputs, status in (([healthy] * 5, 1), ([healthy] * 4 + [failed],
                               0), ([failed] * 3 + ["/none"] + [healthy], 2)):
            self.assertEqual(self.expect_same(*inputs).returncode, status)

    def test_a_bad_answer_is_said_for_each(self):
        one = self.expect_same("--set", "gpu_total=lots", *SAMPLES[:20])
        self.assertEqual(one.returncode, 2)
        self.assertEqual(one.stderr.count(b"\n"), 20)


class Pipes(Jobs):
    def test_stdin_is_read_once_in_its_turn(self):
        failed = self.write("failed.log", FAILED)
        one = self.expect_same("--format", "jsonl", failed, "-", "-", failed,
                               "-", "/dev/stdin", stdin=FAILED)
        first, second = one.stdout.split(b"\n")[1:3]
        self.assertIn(b"cuda", first)
        self.assertNotEqual(first, second)  # the second one is empty

    def test_a_pipe_is_left_alone_until_its_turn(self):
        """The standard input, named behind a pipe that nobody has opened."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        stdin, ours = os.pipe()
        os.write(ours, FAILED)
        os.close(ours)
        child = subprocess.Popen([OOMKB, "-j", "2", fifo, "-"], env=ENV,
                                 stdin=stdin, stdout=subprocess.PIPE)
        time.sleep(0.5)
        unread = struct.unpack("i", fcntl.ioctl(stdin, termios.FIONREAD,
                                                b"\0" * 4))[0]
        os.close(stdin)
        with open(fifo, "wb") as out:
            out.write(HEALTHY)
        answer = child.communicate(timeout=60)[0]
        self.assertEqual(unread, len(FAILED))
        self.assertEqual(answer.count(b"==> "), 2)
        self.assertEqual(child.returncode, 0)

    def test_nobody_reads_on(self):
        """`oomkb -j 4 ... | head -1` ends quietly and soon."""
        long = self.write("long.log", HEALTHY * 100000)
        child = subprocess.Popen([OOMKB, "-j", "4", *SAMPLES, *[long] * 99],
                                 cwd=ROOT, env=ENV, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        child.stdout.readline()
        child.stdout.close()
        self.assertEqual(child.stderr.read(), b"")
        child.stderr.close()
        self.assertIn(child.wait(timeout=120), (0, 1))


class Bounds(Jobs):
    def test_no_more_is_opened_than_may_be_kept(self):
        """Behind the pipe in front, which is waited for, -j 3 reads three
        logs; the others come into being later, and nobody missed them."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        names = [self.path(str(i)) for i in range(12)]
        ahead, behind = names[:3], names[3:]
        for name in ahead:
            self.write(name, FAILED)
        child = subprocess.Popen([OOMKB, "-j", "3", fifo, *names], env=ENV,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        with open(fifo, "wb") as out:
            time.sleep(0.5)
            threads = os.listdir(f"/proc/{child.pid}/task")
            for name in behind:
                self.write(name, FAILED)
            out.write(HEALTHY)
        answer, said = child.communicate(timeout=60)
        self.assertGreaterEqual(len(threads), 1 + 3)
        self.assertEqual(said, b"")
        self.assertEqual(answer.count(b"==> "), 13)


class Usage(Jobs):
    def test_what_n_may_be(self):
        failed = self.write("failed.log", FAILED)
        for n in ("0", "1", "256", "auto"):
            self.assertEqual(oomkb(n, failed, failed).returncode, 0)
        for n in ("-1", "257", "two", "", "4x"):
            done = oomkb(n, failed, failed)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, b"")
            self.assertIn(b"--jobs takes a number", done.stderr)
        short = subprocess.run([OOMKB, "-j2", failed, failed], env=ENV,
                               stdout=subprocess.PIPE, check=False)
        self.assertEqual(short.stdout.count(b"==> "), 2)

    def test_one_log_and_a_pipe_need_no_thread(self):
        self.expect_same(self.write("failed.log", FAILED))
        self.expect_same(stdin=FAILED)


class Progress(Jobs):
    def terminal(self, *words):
        """What stderr shows on a terminal of 100 columns, stopped a while."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, 100, 0, 0))
        child = subprocess.Popen([OOMKB, *words], env=ENV,
                                 stdin=subprocess.DEVNULL, stderr=slave,
                                 stdout=subprocess.DEVNULL)
        os.close(slave)
        shown = bytearray()

        def gather():
            try:
                while piece := os.read(master, 65536):
                    shown.extend(piece)
            except OSError:
                pass  # the terminal is gone

        thread = threading.Thread(target=gather)
        thread.start()
        time.sleep(0.1)
        child.send_signal(signal.SIGSTOP)
        time.sleep(1.3)
        child.send_signal(signal.SIGCONT)
        time.sleep(0.7)
        for name in words[2:]:
            if name.startswith(self.folder.name):
                os.truncate(name, 0)
        child.wait()
        thread.join()
        os.close(master)
        return shown.decode()

    def test_one_line_for_all_gone_before_an_error(self):
        big = [self.path(name) for name in ("a", "b", "c")]
        for name in big:
            self.write(name, b"")
            os.truncate(name, 2 << 30)
        shown = self.terminal("-j", "3", *big, "/nonexistent")
        rows = shown.split("\r")
        self.assertRegex(rows[1], r"^\[#*\.+\]  \d+ %  [\d.]+ [KMG]iB of "
                                  r"6\.0 GiB  [\d.]+ [KMG]iB/s")
        error = shown.index("oomkb: /nonexistent")
        self.assertRegex(shown[:error], r"\r +\r$")
        self.assertTrue(all(len(row) < 100 for row in rows))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
