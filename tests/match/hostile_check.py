#!/usr/bin/env python3
"""Logs made of the words that patterns begin with end, and say nothing.

Each took 6 to 42 seconds of CPU before patterns were bounded in steps; each
takes a quarter of a second now. The limit asks for neither: it is there so that
a pattern whose work grows with the square of a line is seen to hang.
"""
import os
import resource
import subprocess
import unittest

OOMKB = os.environ.get("OOMKB", "build/oomkb")
CPU_SECONDS = 60
SWITCHES = "launch_server -c -np -ngl num_gpu -ub -fa "
LOGS = {
    "one word, one long line": "api_server " * 20_000,
    "one word, many lines": ("api_server " * 50 + "\n") * 1_000,
    "dots before a program": ("." * 10_000 + "llama-cli x\n") * 30,
    "a program and its switches": SWITCHES * 5_000,
    "a program and its switches, in lines": (SWITCHES * 20 + "\n") * 500,
}


class Hostile(unittest.TestCase):
    def test_ends_without_a_failure(self):
        for name, text in LOGS.items():
            with self.subTest(log=name):
                done = subprocess.run(
                    [OOMKB, "--lang", "en"], input=text, text=True,
                    capture_output=True, check=False,
                    preexec_fn=lambda: resource.setrlimit(
                        resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS)))
                self.assertEqual((done.returncode, done.stderr), (1, ""))
                self.assertIn("No known out-of-memory failure", done.stdout)


if __name__ == "__main__":
    unittest.main()
