#!/usr/bin/env python3
"""The lab without its programs: the files of failures/ are what failure.py
says and name entries that exist; the first fix's text is applied as printed;
one failure of Python alone is made, answered and cured. Installs nothing."""
import os
import resource
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import box  # noqa: E402
import failure as failures  # noqa: E402
import lab  # noqa: E402
import page  # noqa: E402


def fix(fix_id, command=None, how="", condition=None, verdict=None):
    return {"id": fix_id, "action": "Act", "command": command, "how": how,
            "estimate": {"condition": condition, "verdict": verdict}}


def failure(**keys):
    row = dict(name="one", program="p", failure="f", needs=[], python="py",
               limits={"memory": "300M"}, files={"main.py": "jobs=4"},
               prepare=None, run="python3 main.py $FIX", shows="done",
               reads=["output"], entry="a/b", fixes={}, predicts=[])
    return failures.Failure(**{**row, **keys})


class Files(unittest.TestCase):
    def test_name_entries_that_exist(self):
        for one in failures.read_all():
            path = os.path.join(ROOT, "entries", one.entry + ".yaml")
            self.assertTrue(os.path.exists(path), f"{one.name}: {one.entry}")

    def test_ask_for_little_memory(self):
        for one in failures.read_all():
            for name in set(one.limits) - {"address_space"}:
                self.assertLess(box.bytes_of(one.limits[name]),
                                box.MEMORY_MAX, one.name)

    def test_a_key_that_is_none_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("program: p\nfailure: f\nrun: r\nshows: s\n"
                       "entry: a/b\nfixes: {}\nlimit: {}\n")
            file.flush()
            with self.assertRaises(failures.BadFile):
                failures.read(file.name)


class Applied(unittest.TestCase):
    def applied(self, rule, *args, **keys):
        return lab.apply(failure(fixes={"x": rule}),
                         {"facts": [{"name": "tried_alloc", "value": 5}]},
                         fix("x", *args, **keys))

    def test_the_command_stands_in_its_place(self):
        done = self.applied({"take": r"jobs=\d", "replaces": r"jobs=4"},
                            "jobs=1 other=2")
        self.assertEqual(done.files["main.py"], "jobs=1")

    def test_an_amount_becomes_the_limit(self):
        done = self.applied({"take": "([0-9.]+ MiB)", "limit": "memory"},
                            condition="360 MiB is a first try")
        self.assertEqual(done.limits["memory"], 360 << 20)

    def test_a_limit_is_doubled_or_takes_the_request_on_top(self):
        doubled = {"take": "Double", "limit": "memory", "times": 2}
        more = {"take": "size", "limit": "memory", "adds": "tried_alloc"}
        done = self.applied(doubled, how="Double the limit.")
        self.assertEqual(done.limits["memory"], 600 << 20)
        done = self.applied(more, how="By the size in the message.")
        self.assertEqual(done.limits["memory"], (300 << 20) + 5)

    def test_a_variable_is_exported(self):
        done = self.applied({"take": r"HEAP=\S+", "exports": True},
                            "export HEAP=4096")
        self.assertEqual(done.environment["HEAP"], "4096")

    def test_what_is_not_printed_is_not_applied(self):
        rule = {"take": "jobs=1", "replaces": "jobs=4"}
        self.assertIsNone(self.applied(rule, how="Start fewer jobs."))
        self.assertIsNone(lab.apply(failure(), {}, fix("unknown")))


class Outcomes(unittest.TestCase):
    def outcome(self, status, output, verdict):
        ran = box.Outcome(status, output, 1.0, 1, 1, "", "", False)
        return lab.outcome_of(fix("x", verdict=verdict), failure(), ran)

    def test_cured_is_what_shows_the_result(self):
        self.assertEqual(self.outcome(0, b"done\n", "enough"), "cured")
        self.assertEqual(self.outcome(0, b"\n", "enough"), "not cured")
        self.assertEqual(self.outcome(1, b"done\n", "none"), "not cured")
        self.assertEqual(self.outcome(1, b"", "not_enough"),
                         "as said: not enough")

    def test_a_number_misses_by_the_nearer_end(self):
        self.assertEqual(page.off(lab.Number("n", (90, 110), 100)), 0)
        self.assertAlmostEqual(page.off(lab.Number("n", (80, 90), 100)), 0.1)


class Page(unittest.TestCase):
    def result(self, name, outcome, numbers=()):
        return lab.Result(failure(program=name, failure="dies | of it"), "a/b",
                          fix("x"), None, outcome, list(numbers), None)

    def test_a_row_that_is_run_again_takes_the_place_of_the_old(self):
        number = lab.Number("peak", (100 << 20, 100 << 20), 105 << 20)
        before = page.page([self.result("one", "not cured", [number]),
                            self.result("two", "cured")])
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(before)
            file.flush()
            kept = page.read(file.name)
        after = page.page([self.result("one", "cured")], kept)
        self.assertIn("The first fix cured 1 of 2", before)
        self.assertIn("The first fix cured 2 of 2", after)
        self.assertEqual(after.count("dies \\| of it"), 2)
        self.assertIn("Within 10%: 1 of 1", after)
        self.assertEqual(page.page([], kept), before)


class ForReal(unittest.TestCase):
    """What the box does with a group, without one: limits of the process."""

    def test_a_memory_error_is_made_and_answered(self):
        def limited():
            resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
        made = subprocess.run(
            [sys.executable, "-c", "kept = bytearray(600 << 20)"],
            stderr=subprocess.PIPE, preexec_fn=limited, check=False)
        self.assertNotEqual(made.returncode, 0)
        finding = lab.first_finding(lab.report_of(OOMKB, made.stderr))
        self.assertEqual(finding["entry"], "python/memory-error")


if __name__ == "__main__":
    unittest.main()
