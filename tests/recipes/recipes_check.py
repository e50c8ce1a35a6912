#!/usr/bin/env python3
"""The recipes under examples/: what they say stands in the program, the YAML
has the shape of its kind, and the Slurm scripts never fail, however little
there is on a node. With a Slurm of its own tests/recipes/slurm_run.py runs
them for real.

Run from the top of the repository; OOMKB names the program.
"""
import os
import pathlib
import shlex
import subprocess
import tempfile
import time
import unittest

import yaml

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
EXAMPLES = pathlib.Path("examples")
OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 "
       "GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.13 GiB is "
       "free.\n")


class Slurm(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.path = pathlib.Path(self.dir.name)
        self.tool("runuser", 'shift 3\nexec "$@"')

    def tool(self, name, body):
        path = self.path / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def job(self, state, text=None, script="epilog.sh", **env):
        """What the epilog says of a job that scontrol shows so."""
        if text is not None:
            (self.path / "job-7.txt").write_text(text)
        self.tool("scontrol", "echo JobId=8 ExitCode=0:0 StdOut=/nowhere\n"
                              f"echo JobId=7 JobState=COMPLETING {state} "
                              f"StdOut={self.path}/job-%j.txt")
        began = time.monotonic()
        done = subprocess.run(
            [EXAMPLES / "slurm" / script], check=False, capture_output=True,
            text=True, env={"PATH": f"{self.path}:/usr/bin:/bin",
                            "OOMKB": OOMKB, "SLURM_JOB_ID": "7",
                            "OOMKB_LOG": str(self.path / "log"),
                            "SLURM_JOB_USER": "ann", **env})
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))
        self.assertLess(time.monotonic() - began, 1.5)  # a busy machine
        log = self.path / "log"
        return log.read_text().split(" ", 1)[1] if log.exists() else ""

    def test_verdicts(self):
        for state, text, want in (
                ("ExitCode=1:0", OOM, "verdict=memory entry=pytorch/cuda-oom"),
                ("ExitCode=1:0", "KeyError: 'memory'\n", "verdict=other"),
                ("ExitCode=0:0", OOM, "verdict=ended"),
                ("ExitCode=1:0", "", "verdict=unknown")):
            said = self.job(state, text)
            self.assertIn(f"job=7 user=ann {want}", said)
            (self.path / "log").unlink()

    def test_a_name_as_it_was_asked_for(self):
        text = self.path / "7-41_3.train%j.ann.n1.out"
        text.write_text(OOM)
        said = self.job(
            "ExitCode=1:0 ArrayJobId=41 ArrayTaskId=3 BatchHost=n1 "
            f"JobName=train%j StdOut={self.path}/%j-%A_%a.%x.%u.%N.out")
        self.assertIn("verdict=memory entry=pytorch/cuda-oom", said)

    def test_nothing_works(self):
        self.assertIn("verdict=unknown", self.job("ExitCode=1:0"))
        (self.path / "log").unlink()
        self.assertIn("verdict=unknown",
                      self.job("ExitCode=1:0", OOM, OOMKB="/nowhere"))
        (self.path / "log").unlink()
        self.job("", OOM, OOMKB_LOG="/proc/none/log")
        self.job("", OOM, script="prolog.sh", OOMKB="/nowhere")

    def test_a_controller_that_hangs(self):
        self.tool("scontrol", "exec sleep 30")
        done = subprocess.run(
            [EXAMPLES / "slurm" / "epilog.sh"], check=False, timeout=10,
            env={"PATH": f"{self.path}:/usr/bin:/bin", "OOMKB": OOMKB,
                 "OOMKB_LOG": str(self.path / "log")})
        self.assertEqual(done.returncode, 0)


class Manifests(unittest.TestCase):
    def test_kubernetes(self):
        text = (EXAMPLES / "kubernetes" / "vllm.yaml").read_text()
        pod = yaml.safe_load(text)["spec"]["template"]
        spec, meta = pod["spec"], pod["metadata"]
        names = {volume["name"] for volume in spec["volumes"]}
        for box in spec["initContainers"] + spec["containers"]:
            self.assertLessEqual({m["name"] for m in box["volumeMounts"]},
                                 names)
        server = spec["containers"][0]
        self.assertEqual(server["terminationMessagePath"],
                         server["command"][3])
        self.assertEqual(yaml.safe_load(text)["spec"]["selector"]
                         ["matchLabels"], meta["labels"])
        done = subprocess.run([OOMKB, "lint", "--gpu", "L4",
                               EXAMPLES / "kubernetes" / "vllm.yaml"],
                              check=False, capture_output=True, text=True)
        self.assertNotIn("error:", done.stdout)

    def test_termination_log(self):
        """The container's command, its engine played by a shell."""
        with tempfile.TemporaryDirectory() as folder:
            told = pathlib.Path(folder) / "termination-log"
            done = subprocess.run(
                [OOMKB, "run", "--termination-log", told, "--", "sh", "-c",
                 f"echo {shlex.quote(OOM.strip())}; exit 3"], check=False,
                capture_output=True)
            self.assertEqual(done.returncode, 3)
            self.assertIn("2.00 GiB", told.read_text())
            self.assertLessEqual(len(told.read_bytes()), 4096)

    def test_systemd(self):
        unit = (EXAMPLES / "systemd" / "vllm.service").read_text()
        self.assertIn("ExecStopPost=-", unit)  # its failure does not count
        report = "; echo 'More: oomkb explain pytorch/cuda-oom'"
        for result, more in (("success", ""), ("oom-kill", ""),
                             ("exit-code", report)):  # oomkb run spoke
            with tempfile.TemporaryDirectory() as folder:
                for name, body in (
                        ("systemctl", "echo"),
                        ("journalctl", f"echo '{OOM.strip()}'{more}")):
                    path = pathlib.Path(folder) / name
                    path.write_text(f"#!/bin/sh\n{body}\n")
                    path.chmod(0o755)
                done = subprocess.run(
                    [EXAMPLES / "systemd" / "oomkb-explain.sh", "vllm.service"],
                    check=False, capture_output=True, text=True,
                    env={"PATH": f"{folder}:/usr/bin:/bin", "OOMKB": OOMKB,
                         "SERVICE_RESULT": result})
            self.assertEqual(done.returncode, 0)
            self.assertEqual("[pytorch/" in done.stdout, result == "oom-kill")

    def test_docker(self):
        lines = (EXAMPLES / "docker" / "Dockerfile").read_text().splitlines()
        entry = next(line for line in lines if line.startswith("ENTRYPOINT "))
        words = yaml.safe_load(entry.split(" ", 1)[1])
        self.assertEqual(words[1:3], ["run", "--"])


if __name__ == "__main__":
    unittest.main()
