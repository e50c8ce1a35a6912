#!/usr/bin/env python3
"""The bench itself: its programs compile, its peers get the patterns they can
take, its verdicts say what the numbers say."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import logs  # noqa: E402
import measure  # noqa: E402
import peers  # noqa: E402
import verdicts  # noqa: E402

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
OURS = ["newlines", "stream", "timer", "empty", "one_select", "scan_oomkb",
        "scan_frames", "scan_pcre2", "dump_patterns"]


class Compiled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.programs = peers.Programs(OOMKB, cls.folder.name)
        cls.log = os.path.join(cls.folder.name, "hits.log")
        logs.write(cls.log, "hits", 1 << 20)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_what_needs_no_peer_is_there(self):
        for name in OURS:
            self.assertIn(name, self.programs.at, self.programs.missing)

    def test_newlines_are_those_of_wc(self):
        ours = subprocess.run([self.programs.at["newlines"], self.log],
                              capture_output=True, check=True).stdout
        theirs = subprocess.run(["wc", "-l", self.log], capture_output=True,
                                check=True).stdout
        self.assertEqual(ours.split()[0], theirs.split()[0])

    def test_frames_are_lines(self):
        _, told = measure.in_memory([self.programs.at["scan_frames"],
                                     self.log, "RUNS"], 1 << 20, 3)
        with open(self.log, encoding="ascii") as f:
            self.assertGreaterEqual(told["hits"], len(f.readlines()))

    def test_the_pattern_set_is_that_of_the_index(self):
        index = os.path.join(os.path.dirname(OOMKB), "oomkb.db")
        made = peers.PatternSet(self.programs, index, self.folder.name, 1,
                                20000)
        self.assertGreater(made.count, 500)
        self.assertGreater(len(made.literals), 300)
        took, told = measure.in_memory(
            [self.programs.at["scan_pcre2"], made.path("prepared.bin"),
             self.log, "RUNS", "65536"], 65536, 3)
        self.assertEqual(told["left_out"], 0)
        self.assertGreater(told["hits"], 0)
        self.assertGreater(took.rate, 0)
        for text in made.regexes:
            self.assertNotRegex(text, r"\(\?P?<[A-Za-z]")

    def test_a_stream_is_as_long_as_said(self):
        with subprocess.Popen([self.programs.at["stream"], self.log,
                               "3000000"], stdout=subprocess.PIPE) as child:
            self.assertEqual(len(child.stdout.read()), 3000000)

    def test_runs_take_turns_and_are_counted(self):
        times = measure.in_turns(self.programs.at["timer"],
                                 [("a", ["sleep", "0.02"]),
                                  ("b", ["sh", "-c", "exit 1"])], 4)
        self.assertEqual(len(times["a"].seconds), 4)
        self.assertGreaterEqual(min(times["a"].seconds), 0.02)
        self.assertGreater(times["b"].peak_kib, 100)


class Words(unittest.TestCase):
    def test_plain_regexes(self):
        for text, plain in (
                (r"a(?<kv_needed>\d++)b", r"a(?:\d+)b"),
                (r"(?:,\d{3})++(?!\d)|\d++", r"(?:,\d{3})+|\d+"),
                (r"x*+y?+z{2}+", "x*y?z{2}"),
                (r"a\++b", r"a\++b")):
            self.assertEqual(peers.plain_regex(text), plain)
            re.compile(plain)

    def test_longest_runs(self):
        self.assertEqual(peers.longest_run(r"a \d+ out of memory (x|y) b"),
                         "out of memory")

    def test_the_refused_one_is_found(self):
        said = "regex parse error:\n    abc|foo(?=bar)|x\n           ^^^\n"
        self.assertEqual(peers.refused_by_rg(said, ["abc", "foo(?=bar)",
                                                    "x"]), 1)
        self.assertIsNone(peers.refused_by_rg("error: too large", ["abc"]))

    def test_near_misses_miss(self):
        for word in ("out of memory", "xxxxxxxxxx"):
            self.assertNotIn(word, logs.near(word))
            self.assertEqual(len(word), len(logs.near(word)))

    def test_a_log_is_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = []
            for name in ("a", "b"):
                path = os.path.join(folder, name)
                logs.write(path, "hostile", 100000, words=["near by"])
                with open(path, "rb") as f:
                    texts.append(f.read())
            self.assertEqual(*texts)
            self.assertEqual(len(texts[0]), 100000)
            self.assertEqual(texts[0].count(b"near by"),
                             texts[0].count(b"\n"))


class Verdicts(unittest.TestCase):
    def test_met_and_missed(self):
        least = verdicts.Held("speed", 0.4, 0.5, True)
        most = verdicts.Held("time", 2, 2.5, False, "It is slow.")
        none = verdicts.Held("other", 1, None, True)
        self.assertEqual([h.is_met for h in (least, most, none)],
                         [True, False, None])
        text = "\n".join(verdicts.part([least, most, none]))
        self.assertEqual(text.count("**not met**"), 1)
        self.assertIn("2.50 where at most 2 is wanted. It is slow.", text)
        self.assertNotIn("What falls short",
                         "\n".join(verdicts.part([least, none])))

    def test_the_time_to_build_is_held_against_that_of_its_size(self):
        class Made:
            def __init__(self, entries):
                self.entries = entries

        class Bench:
            sets = [Made(488), Made(300), Made(3000), Made(30000)]
            build = {made.entries: measure.Times([2.0], 1) for made in sets}
        held = {h.what: (h.want, h.is_met)
                for h in verdicts.build_targets(Bench)}
        self.assertEqual(held, {
            "seconds to build 488 entries, with checks": (1, False),
            "seconds to build 300 entries, with checks": (1, False),
            "seconds to build 3,000 entries, with checks": (5, True)})

    def test_rates_without_the_start(self):
        took = measure.Times([1.0, 3.0, 2.0], 10 ** 6)
        took.start = 1.5
        self.assertEqual((took.mid, took.rate, took.net_rate), (2.0, 0.5, 2))
        self.assertEqual(took.spread(), "0 to 1")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
