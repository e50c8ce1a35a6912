#!/usr/bin/env python3
"""The program as its users meet it: exit statuses, errors, languages,
colours, pipes and terminals."""
import glob
import gzip
import json
import lzma
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
FAILED = b"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to " \
         b"allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of " \
         b"which 1.13 GiB is free. Including non-PyTorch memory, this " \
         b"process has 22.55 GiB memory in use.\n"
HEALTHY = b"INFO loaded 7.51 GiB of weights, 12.01 GiB free\n"
ENV = {"PATH": os.environ["PATH"], "LANG": "C", "TERM": "xterm",
       "ASAN_OPTIONS": "detect_leaks=1"}


def oomkb(*words, stdin=HEALTHY, cwd="/", **env):
    return subprocess.run([OOMKB, *words], input=stdin, cwd=cwd,
                          env={**ENV, **env}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


class Program(unittest.TestCase):
    def expect_error(self, done, *said):
        """Status 2, one line on stderr, nothing on stdout."""
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.stderr, rb"^oomkb: [^\n]+\n$")
        for word in said:
            self.assertIn(word, done.stderr.decode())

    def write(self, content):
        file = tempfile.NamedTemporaryFile(suffix=".log")
        self.addCleanup(file.close)
        file.write(content)
        file.flush()
        return file.name


class Status(Program):
    def test_0_says_that_a_failure_was_found(self):
        done = oomkb(stdin=FAILED)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, b"")

    def test_what_is_for_another_case_is_told_under_why(self):
        short, long = oomkb(stdin=FAILED), oomkb("--why", stdin=FAILED)
        for done, is_told in ((short, False), (long, True)):
            self.assertEqual(b"Does not apply: " in done.stdout, is_told)

    def test_1_says_that_none_was(self):
        done = oomkb(stdin=HEALTHY)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No known", done.stdout)

    def test_one_line_is_one(self):
        self.assertIn(b"Read: one line, ", oomkb(stdin=HEALTHY).stdout)
        self.assertIn(b"Read: 2 lines, ", oomkb(stdin=2 * HEALTHY).stdout)

    def test_empty_input_is_no_answer(self):
        done = oomkb(stdin=b"")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"the input is empty", done.stderr)

    def test_files_and_a_dash(self):
        failed = self.write(FAILED)
        self.assertEqual(oomkb(failed).returncode, 0)
        self.assertEqual(oomkb("diagnose", failed).returncode, 0)
        self.assertEqual(oomkb("-", stdin=FAILED).returncode, 0)
        self.assertEqual(oomkb("--", failed).returncode, 0)

    def test_one_failure_among_many_inputs_counts(self):
        healthy, failed = self.write(HEALTHY), self.write(FAILED)
        done = oomkb(healthy, failed, healthy)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count(b"==> "), 3)

    def test_an_unreadable_input_among_many(self):
        failed = self.write(FAILED)
        done = oomkb("/nonexistent.log", failed)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"oomkb: /nonexistent.log: ", done.stderr)
        self.assertIn(failed.encode(), done.stdout)


    def test_a_folder_and_a_pipe_among_many(self):
        done = oomkb("/tmp", "-", "/", stdin=FAILED)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count(b"irectory\n"), 2)
        titles = [r for r in done.stdout.splitlines() if r[:4] == b"==> "]
        self.assertEqual(titles, [b"==> /tmp <==", b"==> - <==",
                                  b"==> / <=="])
        self.assertIn(b"PyTorch ran out", done.stdout)

    def test_a_compressed_log_that_ends_early_is_answered(self):
        log = FAILED * 50 + b"".join(b"%d\n" % i for i in range(50000))
        for pack in (gzip.compress, lzma.compress):
            done = oomkb(stdin=pack(log)[:-5000])
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"incomplete", done.stdout)
            self.assertRegex(done.stderr, rb"^oomkb: -: [^\n]*incomplete[^\n]* "
                                          rb"read: \d+\. [^\n]*\n$")

    def test_where_nothing_was_found_in_half_a_log_nobody_knows(self):
        log = b"".join(b"%d\n" % i for i in range(50000)) + FAILED
        for pack in (gzip.compress, lzma.compress):
            name = self.write(pack(log)[:-5000])
            done = oomkb(name, stdin=b"")
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"Read: ", done.stdout)
            lines = int(re.search(rb"Read: ([\d,]+) lines", done.stdout)[1]
                        .replace(b",", b""))
            self.assertIn(f"{name}: damaged or incomplete; lines that could be "
                          f"read: {lines}. The answer", done.stderr.decode())
            among = oomkb("-", name, stdin=FAILED)
            self.assertEqual(among.returncode, 2)
            self.assertEqual(among.stderr, done.stderr)
            as_json = oomkb("--format", "json", name)
            self.assertEqual(as_json.returncode, 2)
            self.assertTrue(json.loads(as_json.stdout)["input"]["truncated"])
            self.assertEqual(as_json.stderr, done.stderr)

    def test_damage_at_the_very_start_names_the_file(self):
        name = self.write(gzip.compress(FAILED)[:10] + b"\xff" * 500)
        self.expect_error(oomkb(name), name, "gzip")


class Usage(Program):
    def test_what_is_wrong_is_said(self):
        for words, said in (
                (["--frobnicate"], ["--frobnicate"]),
                (["--format", "pdf"], ["pdf", "jsonl"]),
                (["--format"], ["--format FORMAT"]),
                (["--lang", "fr"], ["en zh"]),
                (["--color=purple"], ["auto always never"]),
                (["--top", "0"], ["1 to 1000"]),
                (["--top", "many"], ["many"]),
                (["--top", "-3"], ["-3"]),
                (["--why=yes"], ["--why"]),
                (["--set", "model"], ["FACT=VALUE"]),
                (["--set", "nonsense=1"], ["nonsense"]),
                (["--set", "max_model_len=many"], ["many"]),
                (["--set", "model="], ["model= is without a value"]),
                (["--set", "gpuTotal=24GiB"], ["the nearest is gpu_total"]),
                (["--set", "gpu_total=24"], ["24GiB", "not '24'"]),
                (["--set", "kv_available=4.89"], ["4.89GiB"]),
                (["explain"], ["one id"]),
                (["explain", "a/b", "c/d"], ["one id"]),
                (["explain", "no/such-entry"], ["no/such-entry"]),
                (["explain", "--why", "a/b"], ["--why"]),
                (["help", "frobnicate"], ["frobnicate"]),
                (["/nonexistent.log"], ["/nonexistent.log"]),
                (["/"], ["directory"]),
                (["--kb", "/nonexistent.db"], ["/nonexistent.db"]),
                (["--kb", "/etc/passwd"], [])):
            with self.subTest(words=words):
                self.expect_error(oomkb(*words), *said)

    def test_what_is_too_much_is_named(self):
        for words in (["version", "x"], ["help", "list", "x"],
                      ["site", "x", "-o", "y"],
                      ["build", "entries", "x", "-o", "y"]):
            with self.subTest(words=words):
                self.expect_error(oomkb(*words), "'x'", "oomkb " + words[0])

    def test_a_slip_of_the_hand_gets_the_name_that_was_meant(self):
        for words, said in (
                (["lst"], ["lst: No such file", "`oomkb list`"]),
                (["hlep"], ["hlep: No such file", "`oomkb help`"]),
                (["vesion"], ["`oomkb version`"]),
                (["expalin"], ["`oomkb explain`"]),
                (["help", "lst"], ["'lst'", "list?"]),
                (["explain", "vllm/cuda-oom-laod"], ["vllm/cuda-oom-load"]),
                (["explain", "kv-cache-too-smal"], ["vllm/kv-cache-too-small"]),
                (["list", "vlm"], ["did you mean vllm?"]),
                (["list", "VLLM"], ["did you mean vllm?"]),
                (["list", "gpu"], ["did you mean gpus"]),
                (["list", "qqqqqqqq"], ["`oomkb list components`"]),
                (["feedback", "vllm/kv-cache-too-small", "fp8-kvcache",
                  "worked"], ["has no fix 'fp8-kvcache'",
                              "did you mean fp8-kv-cache?"]),
                (["feedback", "vllm/kv-cache-too-small", "x", "worked"],
                 ["its fixes are raise-kv-cache-memory, ", ", ...\n"]),
                (["--frmat=json"], ["--format?"]),
                (["fit", "--modl", "x"], ["--model?"])):
            with self.subTest(words=words):
                self.expect_error(oomkb(*words), *said)

    def test_names_that_nobody_knows_are_refused_with_the_nearest(self):
        log = os.path.abspath("examples/vllm-long-context.log")
        for words, said in (
                (["gpu_name=H10"], ["unknown GPU 'H10'", "H100 PCIe 80GB"]),
                (["gpu_name=RTX4900"], ["did you mean", "RTX 4090"]),
                (["gpu_name=A100"], ["different memory", "A100 40GB",
                                     "A100 80GB SXM"]),
                (["gpu_name=qqq"], ["unknown GPU 'qqq'", "gpu_total=24GiB"]),
                (["model=Qwen/Qwen2.5-7BB-Instruct"],
                 ["did you mean", "Qwen/Qwen2.5-7B-Instruct or"]),
                (["model=acme/private"], ["acme/private", "list models"]),
                (["engine=vlm"], ["did you mean vllm?"])):
            with self.subTest(words=words):
                self.expect_error(oomkb("--set", *words, log), *said)
                fit = [] if words[0].startswith("model") else [
                    "--set", "model=Qwen/Qwen2.5-7B"]
                self.assertEqual(oomkb("fit", *fit, "--set", *words)
                                 .returncode, 2)
        for words in (["gpu_name=A100", "gpu_total=80GiB"],
                      ["gpu_name=A100 MIG 1g.10gb"], ["gpu_name=rtx-4090"],
                      ["model=/data/Qwen2.5-7B-Instruct-AWQ"]):
            sets = [each for word in words for each in ("--set", word)]
            self.assertEqual(oomkb(*sets, log).returncode, 0, words)

    def test_a_word_that_is_near_nothing_or_a_file_gets_none(self):
        for words in (["frobnicate"], ["./lst"], ["lst.log"], ["--", "lst"],
                      ["diagnose", "lst"]):
            done = oomkb(*words)
            self.expect_error(done, words[-1] + ": No such file")
            self.assertNotIn(b"did you mean", done.stderr)

    def test_a_file_that_is_not_there_in_chinese(self):
        for words in (["/nonexistent.log"], ["lst"]):
            done = oomkb("--lang", "zh", *words)
            self.expect_error(done, "没有这个文件")
        self.assertIn("`oomkb list`", done.stderr.decode())

    def test_too_many_answers(self):
        self.expect_error(oomkb(*["--set", "rank=1"] * 65), "64")

    def test_errors_in_the_language_that_was_asked_for(self):
        done = oomkb("--lang", "zh", "--frobnicate")
        self.expect_error(done, "没有选项")

    def test_bytes_of_an_argument_are_not_obeyed(self):
        done = oomkb(b"/tmp/\x1b]0;owned\x07\nnext\xff.log")
        self.expect_error(done)
        self.assertNotIn(b"\x1b", done.stderr)

    def test_errors_as_json(self):
        done = oomkb("--frobnicate", "--format", "json")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stdout,
                         rb'^\{"schema":1,"error":\{"code":"usage"')

    def test_a_damaged_index_is_refused(self):
        self.expect_error(oomkb("--kb", self.write(b"SQLite format 3\0" +
                                                   b"\1" * 5000)))


class Language(Program):
    def is_chinese(self, *words, **env):
        done = oomkb(*words, stdin=HEALTHY, **env)
        return "没有发现" in done.stdout.decode()

    def test_of_the_locale_variables_the_first_that_is_set(self):
        self.assertFalse(self.is_chinese())
        self.assertTrue(self.is_chinese(LANG="zh_CN.UTF-8"))
        self.assertFalse(self.is_chinese(LANG="zh_CN", LC_MESSAGES="en_US"))
        self.assertTrue(self.is_chinese(LC_ALL="zh_TW", LC_MESSAGES="en_US"))
        self.assertTrue(self.is_chinese(LC_ALL="", LANG="zh_CN"))

    def test_the_option_wins(self):
        self.assertFalse(self.is_chinese("--lang", "en", LANG="zh_CN"))
        self.assertTrue(self.is_chinese("--lang=zh"))


class Output(Program):
    def test_colour_only_where_it_is_wanted(self):
        self.assertNotIn(b"\x1b", oomkb(stdin=FAILED).stdout)
        always = oomkb("--color", "always", stdin=FAILED, NO_COLOR="1")
        self.assertIn(b"\x1b[1m", always.stdout)

    def test_width_follows_columns(self):
        done = oomkb(stdin=HEALTHY, COLUMNS="60")
        for line in done.stdout.decode().splitlines():
            self.assertLessEqual(len(line), 60)

    def test_answers_reach_the_report(self):
        done = oomkb("--set", "max_model_len=32k", "--format", "jsonl",
                     stdin=FAILED)
        self.assertIn(b'"value":32000', done.stdout)
        self.assertIn(b'"source":"user"', done.stdout)

    def test_top(self):
        done = oomkb("--top", "1", "--format", "jsonl", stdin=FAILED)
        self.assertNotIn(b'"rank":2', done.stdout)

    def test_help_fits_and_names_everything(self):
        for words in (["help"], ["--help"], ["-h"], ["help", "explain"],
                      ["explain", "--help"]):
            done = oomkb(*words)
            self.assertEqual(done.returncode, 0, words)
            for line in done.stdout.decode().splitlines():
                self.assertLessEqual(len(line), 80, line)
        whole = oomkb("help").stdout.decode()
        for word in ("diagnose", "explain", "version", "--format", "--lang",
                     "--set", "--top", "--why", "--color", "--kb"):
            self.assertIn(word, whole)
        self.assertNotRegex(whole, r"cli\.|\{\d\}")
        chinese = oomkb("help", "--lang", "zh").stdout.decode()
        self.assertNotRegex(chinese, r"cli\.|\{\d\}")

    def test_version(self):
        done = oomkb("version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout,
                         rb"^oomkb \d+\.\d+\.\d+\n.*\d+ entries, [0-9a-f]+\n$")
        self.assertEqual(oomkb("--version").stdout, done.stdout)

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([OOMKB], input=FAILED, stdout=full, env=ENV,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rb"^oomkb: stdout: ")

    def test_a_closed_pipe_is_none(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([OOMKB, "--format", "json"], input=FAILED,
                              stdout=writer, stderr=subprocess.PIPE, env=ENV,
                              check=False)
        os.close(writer)
        self.assertEqual(done.stderr, b"")
        self.assertGreaterEqual(done.returncode, 0)

    def test_a_named_index_is_asked(self):
        found = glob.glob(os.path.join(os.path.dirname(OOMKB), "oomkb.db"))
        if not found:
            self.skipTest("no index beside the program")
        self.assertEqual(oomkb("--kb", found[0], stdin=FAILED).returncode, 0)
        self.assertEqual(oomkb(stdin=FAILED, OOMKB_DB=found[0]).returncode, 0)
        self.assertEqual(oomkb(OOMKB_DB="/nonexistent").returncode, 2)
        self.assertEqual(oomkb("--kb", found[0], stdin=FAILED,
                               OOMKB_DB="/nonexistent").returncode, 0)


class Terminal(Program):
    def on_terminal(self, *words):
        """What a bare terminal shows, colours and all."""
        master, slave = pty.openpty()
        child = subprocess.Popen([OOMKB, *words], stdin=slave, stdout=slave,
                                 stderr=slave, env=ENV)
        os.close(slave)
        shown = b""
        try:
            while True:
                piece = os.read(master, 65536)
                if not piece:
                    break
                shown += piece
        except OSError:
            pass
        os.close(master)
        return child.wait(), shown.decode()

    def test_alone_it_helps(self):
        status, shown = self.on_terminal()
        self.assertEqual(status, 2)
        self.assertIn("usage: oomkb", shown)

    def test_a_file_is_answered_in_colour(self):
        status, shown = self.on_terminal(self.write(FAILED))
        self.assertEqual(status, 0)
        self.assertIn("\x1b[1m", shown)

    def test_nothing_of_a_log_is_obeyed(self):
        log = FAILED.replace(b"GPU 0", b"GPU 0\x1b[2J\x1b]0;owned\x07")
        _, shown = self.on_terminal(self.write(log))
        self.assertNotRegex(shown, r"\x1b(?!\[\d+m)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
