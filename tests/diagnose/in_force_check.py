#!/usr/bin/env python3
"""What a log shows to be in force is not advised: each setting that a fix of a long sample has one type is put above the
sample, as an environment, a command or a configuration has it, and the fix is offered no more.
(Where a line of the sample shows that it had no effect, that is said instead.)"""
import os
import pathlib
import re
import sys
import unittest

sys.path.insert(0, "tests/support")
from many import reports_of  # noqa: E402

OOMKB = os.environ.get("OOMKB", "build/oomkb")

SHM = ("Traceback (most recent call last):\nRuntimeError: DataLoader worker (pid 4242) is killed by signal: Bus error. "
       "It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.\n")


def offered(report):
    return [(found["entry"], fix) for found in report["findings"] for fix in found["fixes"]
            if fix["applies"] in ("yes", "if")]


def settings(command):
    """The one setting that a command is, as logs have it; none: it is several, has a gap, or is no setting."""
    name, _, value = command.replace("=", " ", 1).partition(" ")
    if re.fullmatch(r"--[a-z][\w-]+", name) and re.fullmatch(r"[\w.:/+]*", value):
        return [f"$ python serve.py {name} {value}".rstrip()]
    if "=" in command and re.fullmatch(r"[\w.:/+-]+", value) and re.fullmatch(r"[A-Z][A-Z0-9_]{3,}", name):
        return [f"export {name}={value}", f"    - name: {name}\n      value: \"{value}\"", f"{name}={value} python serve.py"]
    if "=" in command and re.fullmatch(r"[\w.:/+-]+", value) and re.fullmatch(r"[a-z][\w.]{3,}", name):
        return [f"config: {name}={value}", f"  \"{name}\": \"{value}\","]
    return []


class InForce(unittest.TestCase):
    def test_what_is_set_is_not_advised(self):
        samples = [page.read_text(encoding="utf-8") for page in sorted(pathlib.Path("entries").glob("*/*.log"))
                   if not page.name.endswith(".ok.log")]
        cases = []
        for sample, report in zip(samples, reports_of(OOMKB, samples)):
            for entry, fix in offered(report):
                if (fix["acts_on"] or {}).get("change") == "set" and fix["command"]:
                    cases += [(entry, fix, line, line + "\n" + sample) for line in settings(fix["command"])]
        self.assertGreater(len(cases), 200)
        for (entry, fix, line, _), report in zip(cases, reports_of(OOMKB, [case[3] for case in cases])):
            with self.subTest(entry=entry, fix=fix["id"], line=line):
                again = [f for e, f in offered(report) if (e, f["id"], f["command"]) == (entry, fix["id"], fix["command"])
                         and "did not take effect" not in (f["because"] or "")]
                self.assertFalse(again)

    def test_the_hosts_shared_memory_is_not_advised_to_a_container_that_has_it(self):
        lines = ["docker run --gpus all --ipc=host image python train.py", "docker run --ipc host image", "  hostIPC: true",
                 "    ipc: host"]
        plain, *shared = reports_of(OOMKB, [SHM] + [line + "\n" + SHM for line in lines])
        self.assertIn("docker run --ipc=host", [f["command"] for _, f in offered(plain)])
        self.assertEqual(plain["findings"][0]["fixes"][0]["id"], "shm-size", "in front of no workers")
        for line, report in zip(lines, shared):
            with self.subTest(line=line):
                self.assertNotIn("docker run --ipc=host", [f["command"] for _, f in offered(report)])
                self.assertIn("host-shm-size", [f["id"] for _, f in offered(report)])


if __name__ == "__main__":
    unittest.main()
