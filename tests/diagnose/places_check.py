#!/usr/bin/env python3
"""Where host memory has its limit, and so where it is raised: the rows of kb/programs/places.yaml, under messages of host memory, each
with a line that shows the place (kb/engines/host.yaml)."""
import os
import pathlib
import sys
import unittest

import yaml

sys.path.insert(0, "tests/support")
from many import reports_of  # noqa: E402

OOMKB = os.environ.get("OOMKB", "build/oomkb")

SHOWN = {
    "kubernetes": ["$ kubectl describe pod trainer-0", "trainer-0   0/1   CrashLoopBackOff   7 (2m ago)   31m"],
    "docker": ["$ docker run --rm -v $PWD:/w trainer:2 python train.py", "mem_limit: 8g",
               "oom_memcg=/docker/9d1e2f3a4b5c6d,task_memcg=/docker/9d1e2f3a4b5c6d,"],
    "systemd-unit": ["oom_memcg=/system.slice/trainer.service,task_memcg=/system.slice/trainer.service,"],
    "lxc": ["oom_memcg=/lxc/104/ns,task_memcg=/lxc/104/ns/system.slice/trainer.service,",
            "oom_memcg=/lxc/104,task_memcg=/lxc/104/ns,"],
    "slurm": ["#SBATCH --time=02:00:00", "srun: job 4711 queued and waiting for resources"],
    "ci": ["##[group]Run make test", "The runner has received a shutdown signal.",
           "ERROR: Job failed: exit code 137", "cd /home/runner/work/tool/tool"],
    "wsl": ["Linux pc 5.15.153.1-microsoft-standard-WSL2 #1 SMP x86_64 GNU/Linux"],
    "colab": ["Mounted at /content/drive, from google.colab import drive"],
}
HOST = {
    "shell": "./run.sh: line 14: 20911 Killed                  python finetune.py --config large.yaml",
    "gunicorn": "[ERROR] Worker (pid:25134) was sent SIGKILL! Perhaps out of memory?",
    "torch": "RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't allocate memory: "
             "you tried to allocate 4052879360 bytes. Error code 12 (Cannot allocate memory)",
}
# Each speaks of its place in its own words.
OWN = {"kubernetes": "    State:          Terminated\n      Reason:       OOMKilled\n      Exit Code:    137"}


def actions_of(texts):
    """Of each text, the actions and ids of all fixes of its first finding."""
    return [{f["id"]: f["action"] for f in r["findings"][0]["fixes"]}
            for r in reports_of(OOMKB, texts)]


def rows():
    text = pathlib.Path("kb/programs/places.yaml").read_text(encoding="utf-8")
    return {row["id"]: row for row in yaml.safe_load(text)["programs"]}


class Places(unittest.TestCase):
    def test_every_place_has_a_line_that_shows_it(self):
        self.assertEqual(set(SHOWN), set(rows()))

    def test_the_limit_is_raised_where_it_is_set(self):
        asked = [(place, line, name) for place, lines in SHOWN.items() for line in lines for name in HOST]
        found = actions_of([line + "\n" + HOST[name] + "\n" for _, line, name in asked])
        for (place, line, name), fixes in zip(asked, found):
            with self.subTest(line=line, failure=name):
                self.assertIn(rows()[place]["levers"][0]["action"]["en"], fixes.values())

    def test_where_no_place_is_shown_limit_and_ram_are_both_said(self):
        for name, fixes in zip(HOST, actions_of([line + "\n" for line in HOST.values()])):
            with self.subTest(failure=name):
                said = " ".join(fixes.values())
                self.assertIn("RAM", said)
                for row in rows().values():
                    self.assertNotIn(row["levers"][0]["action"]["en"], fixes.values())

    def test_an_entry_of_the_place_says_it_in_its_own_words(self):
        for fixes in actions_of([line + "\n" for line in OWN.values()]):
            self.assertEqual(fixes["raise-limit"], "Raise resources.limits.memory")

    def test_a_gpu_is_no_matter_of_the_place(self):
        gpu = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
        for fixes in actions_of([lines[0] + "\n" + gpu + "\n" for lines in SHOWN.values()]):
            for row in rows().values():
                self.assertNotIn(row["levers"][0]["action"]["en"], fixes.values())


if __name__ == "__main__":
    unittest.main()
