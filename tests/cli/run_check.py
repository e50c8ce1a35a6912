#!/usr/bin/env python3
"""`oomkb run`: the command does not notice it, and its death is explained.

What it writes comes through bit for bit, on pipes and on a terminal; its exit
status, signals and window size are kept; as process 1 it reaps. A kill by the
kernel is told by the counters of a real cgroup, a plain kill -9 is told apart.
What this machine does not allow is skipped, and the reason is printed.
"""
import hashlib
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import fcntl

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C", "COLUMNS": "80"}
SOON = 60
BYTES = 50 << 20
OOM = ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate "
       "7.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.13 GiB is "
       "free.\n")
# Writes bytes of every value, from a seed, without ends of lines among them
# for long stretches; half of them to stderr where asked.
WRITER = """
import os, random, sys
left, r = int(sys.argv[1]), random.Random(7)
block = [r.randbytes(65521), r.randbytes(40) + b"\\n", r.randbytes(9000)]
i = 0
while left > 0:
    piece = block[i % 3][:left]
    i += 1
    left -= len(piece)
    while piece:
        piece = piece[os.write(1, piece):]
"""


def start(*words, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen([OOMKB, "run", *words], env=ENV,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **more)


def run(*words, **more):
    child = start(*words, **more)
    out, err = child.communicate(timeout=SOON)
    return child.returncode, out, err.decode()


def shell(script, *options):
    return run(*options, "--", "sh", "-c", script)


def digest_of(command):
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=ENV,
                             stderr=subprocess.DEVNULL,
                             stdin=subprocess.DEVNULL)
    found = hashlib.sha256()
    with child.stdout:
        while piece := child.stdout.read(1 << 16):
            found.update(piece)
    return found.hexdigest(), child.wait(), time.monotonic() - began


class PassThrough(unittest.TestCase):
    def test_bytes(self):
        writer = [sys.executable, "-c", WRITER, str(BYTES)]
        plain, _, alone = digest_of(writer)
        passed, status, through = digest_of([OOMKB, "run", "--", *writer])
        self.assertEqual(status, 0)
        self.assertEqual(plain, passed)
        print(f"50 MiB: alone {alone:.2f} s, through oomkb {through:.2f} s")

    def test_rate(self):
        """Text at 20 MB/s: what oomkb adds is printed, not judged."""
        writer = [sys.executable, "-c",
                  "import sys, time\n"
                  "line = b'INFO step 123 loss 0.4567 lr 1e-4\\n' * 5719\n"
                  "began = time.monotonic()\n"
                  "for i in range(300):\n"
                  "    sys.stdout.buffer.write(line)\n"
                  "    time.sleep(max(0, began + i / 100 - time.monotonic()))"]
        _, _, alone = digest_of(writer)
        _, _, through = digest_of([OOMKB, "run", "--", *writer])
        print(f"20 MB/s: alone {alone:.2f} s, through oomkb {through:.2f} s,"
              f" {100 * (through / alone - 1):+.1f} %")

    def test_both_streams_stay_apart(self):
        status, out, err = shell("echo out; echo err >&2")
        self.assertEqual((status, out, err), (0, b"out\n", "err\n"))

    def test_input(self):
        child = start("--", "cat", stdin=subprocess.PIPE)
        out, _ = child.communicate(b"a\0b" * 100000, timeout=SOON)
        self.assertEqual(out, b"a\0b" * 100000)

    def test_reader_gone(self):
        child = start("--", "sh", "-c", "yes; echo $? >&2")
        child.stdout.read(10)
        child.stdout.close()
        err = child.stderr.read().decode()
        child.wait(timeout=SOON)
        child.stderr.close()
        self.assertEqual(err, "141\n")  # yes died of SIGPIPE

    def test_what_it_leaves_running_is_not_waited_for(self):
        began = time.monotonic()
        status, out, _ = shell("sleep 30 & echo done")
        self.assertEqual((status, out), (0, b"done\n"))
        self.assertLess(time.monotonic() - began, 20)


class Status(unittest.TestCase):
    def test_kept(self):
        for status in (0, 1, 2, 77, 255):
            self.assertEqual(shell(f"exit {status}")[0], status)
        self.assertEqual(shell("kill -TERM $$")[0], 143)

    def test_not_started(self):
        status, out, err = run("--", "/nowhere/program")
        self.assertEqual((status, out), (127, b""))
        self.assertIn("/nowhere/program", err)
        self.assertEqual(run("--", "no-such-program-here")[0], 127)
        self.assertEqual(run("--", "/etc/passwd")[0], 126)
        self.assertEqual(run("--", "/")[0], 126)

    def test_usage(self):
        self.assertEqual(run()[0], 2)

    def test_words_of_the_command_are_its_own(self):
        self.assertEqual(run("echo", "--why", "-x")[1], b"--why -x\n")
        self.assertEqual(run("--", "echo", "--", "-h")[1], b"-- -h\n")


class Signals(unittest.TestCase):
    def ready(self, script):
        child = start("--", "sh", "-c", script)
        self.assertEqual(child.stdout.readline(), b"ready\n")
        return child

    def end(self, child):
        out, err = child.communicate(timeout=SOON)
        return child.returncode, out, err.decode()

    def test_reach_the_whole_group(self):
        child = self.ready("trap 'echo parent' TERM; "
                           "sh -c 'trap \"echo child; exit\" TERM; echo ready;"
                           " while :; do sleep 0.05; done'; exit 9")
        child.send_signal(signal.SIGTERM)
        status, out, err = self.end(child)
        self.assertEqual((status, sorted(out.split())),
                         (9, [b"child", b"parent"]))
        self.assertNotIn("oomkb", err)

    def test_others(self):
        child = self.ready("trap 'echo one' USR1; trap 'exit 5' INT; "
                           "echo ready; while :; do sleep 0.05; done")
        child.send_signal(signal.SIGUSR1)
        self.assertEqual(child.stdout.readline(), b"one\n")
        child.send_signal(signal.SIGINT)
        self.assertEqual(self.end(child)[0], 5)

    def test_while_nobody_reads(self):
        """A full pipe holds up the command, and no signal."""
        child = start("--", "sh", "-c", "yes")
        time.sleep(0.5)
        child.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        out, _ = child.communicate(timeout=SOON)
        self.assertEqual(child.returncode, 143)
        self.assertEqual(set(out), set(b"y\n"))


class Terminal(unittest.TestCase):
    def on_terminal(self, *words, rows=33, columns=101, act=None):
        """stdin, stdout and stderr are one terminal; what appears on it."""
        own, its = pty.openpty()
        fcntl.ioctl(own, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))
        child = subprocess.Popen(
            [*words], stdin=its, stdout=its, stderr=its, env=ENV,
            preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY,
                                                         0)))
        os.close(its)
        seen, until, acted = b"", time.monotonic() + SOON, act is None
        while time.monotonic() < until:
            if select.select([own], [], [], 0.1)[0]:
                try:
                    piece = os.read(own, 65536)
                except OSError:
                    break
                if not piece:
                    break
                seen += piece
            if not acted and b"ready" in seen:
                act(own, child)
                acted = True
        os.close(own)
        return child.wait(timeout=SOON), seen

    def test_it_has_one(self):
        script = ("import os, sys; print([os.isatty(i) for i in range(3)], "
                  "os.get_terminal_size())")
        words = [sys.executable, "-c", script]
        plain = self.on_terminal(*words)
        self.assertIn(b"True, True, True", plain[1])
        self.assertIn(b"columns=101, lines=33", plain[1])
        self.assertEqual(self.on_terminal(OOMKB, "run", "--", *words), plain)

    def test_bytes(self):
        script = ("import sys\n"
                  "for i in range(20000):\n"
                  "    sys.stdout.write('\\x1b[31mline %d\\x1b[0m\\r\\tx\\n' % i)")
        words = [sys.executable, "-c", script]
        plain = self.on_terminal(*words)
        through = self.on_terminal(OOMKB, "run", "--", *words)
        self.assertGreater(len(plain[1]), 400000)
        self.assertEqual(through, plain)

    def test_size_changes(self):
        script = ("import os, signal, sys, time\n"
                  "def tell(*_):\n"
                  "    os.write(1, repr(os.get_terminal_size()).encode())\n"
                  "    sys.exit(3)\n"
                  "signal.signal(signal.SIGWINCH, tell)\n"
                  "os.write(1, b'ready')\n"
                  "time.sleep(30)")

        def grow(own, _):
            fcntl.ioctl(own, termios.TIOCSWINSZ,
                        struct.pack("HHHH", 50, 200, 0, 0))
        status, seen = self.on_terminal(OOMKB, "run", "--", sys.executable,
                                        "-c", script, act=grow)
        self.assertEqual(status, 3, seen)
        self.assertIn(b"columns=200, lines=50", seen)

    def test_keys(self):
        """Ctrl-C is a byte that its own terminal makes a signal of."""
        def press(own, _):
            os.write(own, b"\x03")
        status, seen = self.on_terminal(
            OOMKB, "run", "--", "sh", "-c",
            "trap 'echo caught; exit 4' INT; echo ready; while :; do "
            "sleep 0.1; done", act=press)
        self.assertEqual(status, 4)
        self.assertIn(b"caught", seen)

    def test_output_alone_in_a_file(self):
        with tempfile.NamedTemporaryFile() as file:
            self.on_terminal("sh", "-c", f"{OOMKB} run -- {sys.executable} -c "
                             "'import os; print([os.isatty(i) for i in "
                             f"range(3)])' > {file.name}")
            self.assertEqual(file.read(), b"[True, False, True]\n")


class Death(unittest.TestCase):
    def test_of_memory(self):
        status, out, err = shell(f"echo '{OOM}' >&2; exit 1")
        self.assertEqual((status, out), (1, b""))
        self.assertIn("7.00 GiB", err)
        self.assertIn("[pytorch/", err)

    def test_survived(self):
        """An error that the program caught is none that it died of."""
        status, _, err = shell(f"echo '{OOM}' >&2; exit 0")
        self.assertEqual(status, 0)
        self.assertNotIn("[pytorch/", err)

    def test_of_something_else(self):
        self.assertEqual(shell("echo no; exit 1"), (1, b"no\n", ""))

    def test_killed_by_hand(self):
        status, _, err = shell("kill -9 $$")
        self.assertEqual(status, 137)
        if pathlib.Path("/proc/vmstat").read_text().find("oom_kill") < 0:
            self.skipTest("the kernel counts no kills here")
        self.assertIn("memory was not the cause", err)
        self.assertNotIn("[", err)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            report, short = f"{folder}/r.json", f"{folder}/t"
            shell(f"echo '{OOM}'; exit 1", "--report", report,
                  "--termination-log", short)
            found = json.loads(pathlib.Path(report).read_text())
            self.assertEqual(found["findings"][0]["component"], "pytorch")
            text = pathlib.Path(short).read_text()
            self.assertIn("7.00 GiB", text)
            self.assertLessEqual(len(text.encode()), 4096)

    def test_lines_of_two_streams(self):
        """A line that the other stream cuts into is still read."""
        first, second = OOM[:60], OOM[60:].strip()
        _, _, err = shell(f"printf '%s' '{first}'; sleep 0.2; echo other >&2; "
                          f"sleep 0.2; echo '{second}'; exit 1")
        self.assertIn("[pytorch/", err)


class Kernel(unittest.TestCase):
    """A cgroup of our own with 64 MiB, where one can be made."""

    def setUp(self):
        self.folder = None
        for line in pathlib.Path("/proc/self/cgroup").read_text().split():
            number, kind, path = line.split(":", 2)
            if kind == "memory":
                self.make(f"/sys/fs/cgroup/memory{path}",
                          "memory.limit_in_bytes")
            elif number == "0" and not self.folder:
                self.make(f"/sys/fs/cgroup{path}", "memory.max")
        if not self.folder:
            self.skipTest("no cgroup with a memory limit can be made here")

    def make(self, parent, limit):
        folder = pathlib.Path(parent) / f"oomkb-test-{os.getpid()}"
        try:
            folder.mkdir()
            (folder / limit).write_text(str(64 << 20))
            self.folder = folder
        except OSError as error:
            print(f"{folder}: {error}")
            if folder.exists():
                folder.rmdir()

    def tearDown(self):
        for _ in range(100):
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.05)

    def inside(self, *words):
        script = f'echo $$ > {self.folder}/cgroup.procs; exec "$@"'
        done = subprocess.run(["sh", "-c", script, "sh", *words], env=ENV,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=SOON, check=False)
        return done.returncode, done.stdout, done.stderr.decode()

    def test_killed(self):
        status, out, err = self.inside(
            OOMKB, "run", "--", sys.executable, "-c",
            "x = bytearray(400 << 20); print(len(x))")
        self.assertEqual((status, out), (137, b""))
        self.assertIn("oom_kill of its cgroup: 0 before, 1 now", err)
        self.assertIn("64 MiB", err)
        self.assertIn("[linux-kernel/memory-events]", err)
        self.assertIn(": oom_kill 1", err)

    def test_a_worker_was_killed(self):
        status, _, err = self.inside(
            OOMKB, "run", "--", "sh", "-c",
            f"{sys.executable} -c 'x = bytearray(400 << 20)'; exit 3")
        self.assertEqual(status, 3)
        self.assertIn("[linux-kernel/memory-events]", err)

    def test_not_killed(self):
        status, out, err = self.inside(OOMKB, "run", "--", "sh", "-c",
                                       "echo fine; exit 6")
        self.assertEqual((status, out, err), (6, b"fine\n", ""))

    def test_facts(self):
        status, out, _ = self.inside(OOMKB, "facts", "--format", "json")
        self.assertEqual(status, 0)
        limits = [fact["value"] for fact in json.loads(out)["facts"]
                  if fact["name"] == "host_limit"]
        self.assertEqual(limits, [64 << 20])


# Takes the place of an engine: what it prints at start follows from its argv, by
# the rule of one model (128 KiB a token) and a pool of 4.89 GiB.
ENGINE = """#!%s
import os, signal, sys, time
args = sys.argv[1:]
def value(flag, otherwise):
    for i, word in enumerate(args):
        if word == flag:
            return args[i + 1]
        if word.startswith(flag + "="):
            return word[len(flag) + 1:]
    return otherwise
length = int(value("--max-model-len", 131072))
at = "INFO 11-22 08:00:%%02d "
print((at %% 1) + "[api_server.py:1287] vLLM API server version 0.9.1", flush=True)
print((at %% 8) + "[core.py:70] Initializing a V1 LLM engine (v0.9.1) with config: "
      "model='%s', dtype=torch.bfloat16, max_seq_len=%%d, tensor_parallel_size=1,"
      " kv_cache_dtype=auto" %% length)
print((at %% 30) + "[gpu_model_runner.py:1624] Model loading took 14.9889 GiB and "
      "6.6 seconds")
print((at %% 40) + "[gpu_worker.py:227] Available KV cache memory: 4.89 GiB")
need = length * 128 / (1 << 20)
if need > 4.89 or "--always-fail" in args:
    need = max(need, 4.9)
    sys.stderr.write("ERROR 11-22 08:00:41 [core.py:515] ValueError: To serve at "
        "least one request with the models's max seq len (%%d), (%%.2f GiB KV cache "
        "is needed, which is larger than the available KV cache memory (4.89 GiB)."
        " Based on the available memory, the estimated maximum model length is "
        "40048. Try increasing `gpu_memory_utilization` or decreasing "
        "`max_model_len` when initializing the engine.\\n" %% (length, need))
    sys.exit(1)
def end(*_):
    os.write(1, b"shut down\\n")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
sys.stdout.flush()
os.write(1, b"ready with %%d\\n" %% length)
if "--once" in args:
    sys.exit(0)
while True:
    time.sleep(0.05)
"""
MODEL = "meta-llama/Llama-3.1-8B-Instruct"


class Apply(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.engine = pathlib.Path(self.folder.name) / "vllm"
        self.engine.write_text(ENGINE % (sys.executable, MODEL))
        self.engine.chmod(0o755)

    def apply(self, *words, options=("--apply", "2")):
        return run(*options, "--", self.engine, "serve", MODEL, *words)

    def test_corrected_once_and_runs(self):
        status, out, err = self.apply("--once")
        self.assertEqual(status, 0)
        self.assertTrue(out.endswith(b"ready with 40032\n"), out)
        self.assertIn("[vllm/kv-cache-too-small]", err)
        self.assertIn("restarting in 1 s with --max-model-len 40032", err)
        self.assertEqual(err.count("restarting"), 1)

    def test_the_value_in_its_place(self):
        for words in (["--max-model-len", "131072", "--once"],
                      ["--max-model-len=131072", "--once"],
                      ["--max_model_len=131072", "--max-model-len", "131072",
                       "--once"]):
            status, out, _ = self.apply(*words)
            self.assertEqual((status, out[-17:]), (0, b"ready with 40032\n"),
                             words)

    def test_not_without_being_asked(self):
        status, out, err = self.apply("--once", options=())
        self.assertEqual(status, 1)
        self.assertNotIn(b"ready", out)
        self.assertNotIn("restart", err)

    def test_stopped(self):
        child = start("--apply", "1", "--", self.engine, "serve", MODEL)
        while (line := child.stdout.readline()) != b"ready with 40032\n":
            self.assertNotEqual(line, b"")
        child.send_signal(signal.SIGTERM)
        out, err = child.communicate(timeout=SOON)
        self.assertEqual((child.returncode, out), (0, b"shut down\n"))
        self.assertNotIn(b"Traceback", err)

    def test_stopped_before_it_starts_again(self):
        child = start("--apply", "1", "--", self.engine, "serve", MODEL)
        while b"restarting" not in (line := child.stderr.readline()):
            self.assertNotEqual(line, b"")
        child.send_signal(signal.SIGTERM)
        out, _ = child.communicate(timeout=SOON)
        self.assertEqual(child.returncode, 1)
        self.assertNotIn(b"ready", out)

    def test_never_twice(self):
        """The first error is what is left, where the correction failed, too."""
        report = pathlib.Path(self.folder.name) / "report.json"
        status, _, err = self.apply("--always-fail", options=(
            "--apply", "9", "--report", str(report)))
        self.assertEqual(status, 1)
        self.assertLessEqual(err.count("restarting"), 2)
        self.assertIn("not restarted:", err)
        found = json.loads(report.read_text())["findings"][0]
        lengths = [fact["value"] for fact in found["facts"]
                   if fact["name"] == "max_model_len"]
        self.assertEqual(lengths, [131072])

    def test_no_shell_is_edited(self):
        status, out, err = run("--apply", "2", "--", "sh", "-c",
                               f"exec {self.engine} serve {MODEL} --once")
        self.assertNotIn(b"ready with 131072", out)
        self.assertIn("not restarted:", err)
        self.assertEqual(status, 1)

    def test_another_program(self):
        log = pathlib.Path("examples/vllm-long-context.log").resolve()
        status, _, err = run("--apply", "2", "--", "sh", "-c",
                             f"cat {log}; exit 3")
        self.assertEqual(status, 3)
        self.assertIn("not restarted:", err)

    def test_history(self):
        history = pathlib.Path(self.folder.name) / "history"
        for i in range(2):
            _, _, err = self.apply("--once", options=("--history",
                                                      str(history)))
            self.assertEqual("the same failure" in err, i == 1, err)
        self.apply("--max-model-len=99999", "--once",
                   options=("--history", str(history)))
        lines = [json.loads(line) for line in history.read_text().split("\n")
                 if line]
        self.assertEqual([line["status"] for line in lines], [1, 1, 1])
        self.assertEqual(len({line["fingerprint"] for line in lines}), 1)
        self.assertEqual(lines[0]["outlook"], "again")
        self.assertEqual(lines[0]["entry"], "vllm/kv-cache-too-small")


class First(unittest.TestCase):
    """Process 1 of a container."""

    def setUp(self):
        self.front = ["unshare", "--fork", "--pid", "--mount-proc"]
        try:
            done = subprocess.run([*self.front, "true"], check=False,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE)
            reason = done.stderr.decode().strip()
        except OSError as error:
            reason = str(error)
        if reason:
            self.skipTest(reason)

    def test_reaps(self):
        """Orphans come to process 1; none stays a zombie."""
        script = ("for i in 1 2 3 4 5; do (sh -c 'sleep 0.1' &) ; done; "
                  "sleep 0.6; cat /proc/[0-9]*/stat 2>/dev/null | "
                  "grep -c ' Z ' ; exit 8")
        done = subprocess.run([*self.front, OOMKB, "run", "--", "sh", "-c",
                               script], env=ENV, stdout=subprocess.PIPE,
                              timeout=SOON, check=False)
        self.assertEqual((done.stdout, done.returncode), (b"0\n", 8))

    def test_ends_by_sigterm(self):
        child = subprocess.Popen(
            [*self.front, "--kill-child", "sh", "-c",
             'exec "$@"', "sh", OOMKB, "run", "--", "sh", "-c",
             "trap 'echo end; exit 7' TERM; echo ready; while :; do sleep 0.05;"
             " done"], env=ENV, stdout=subprocess.PIPE)
        self.assertEqual(child.stdout.readline(), b"ready\n")
        # unshare's child is process 1 in there
        first = pathlib.Path(
            f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
        os.kill(int(first[0]), signal.SIGTERM)
        out = child.stdout.read()
        child.stdout.close()
        self.assertEqual((out, child.wait(timeout=SOON)), (b"end\n", 7))


if __name__ == "__main__":
    # A shell without job control has what it starts with & ignore them.
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    unittest.main()
