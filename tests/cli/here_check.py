#!/usr/bin/env python3
"""`oomkb facts`, and --here: the machine counts where the log says nothing, and
not at all where the log is of another machine. The machine's cards are played
by a program named nvidia-smi in front of PATH."""
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
LOG = "examples/vllm-long-context.log"
GPUS = """index, uuid, name, memory.total [MiB], memory.used [MiB], \
memory.free [MiB], driver_version, mig.mode.current
0, GPU-1, {name}, {total} MiB, 1 MiB, {free} MiB, 550.54.15, [N/A]
"""
SMI = """#!/bin/sh
case $1 in
--query-gpu*) cat <<'END'
{gpus}END
;;
--query-compute-apps*) echo 'gpu_uuid, pid, used_gpu_memory [MiB]'
echo 'GPU-1, 4711, 300 MiB';;
esac
"""


class Here(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.env = {"PATH": f"{self.folder.name}:/usr/bin:/bin", "LANG": "C",
                    "HF_TOKEN": "hf_do_not_show_me", "SLURM_JOB_ID": "104811"}

    def card(self, name="NVIDIA GeForce RTX 3090", total=24576, free=24000):
        self.tool(SMI.format(gpus=GPUS.format(name=name, total=total,
                                              free=free)))

    def tool(self, text, name="nvidia-smi"):
        tool = pathlib.Path(self.folder.name) / name
        tool.write_text(text)
        tool.chmod(0o755)

    def ask(self, *words):
        done = subprocess.run([OOMKB, *words], env=self.env, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=60)
        if words[0] != "lint":  # counts on stderr
            self.assertEqual(done.stderr, b"")
        return done.stdout.decode()

    def data(self, *words):
        return json.loads(self.ask(*words, "--format", "json"))

    def log(self, text):
        path = pathlib.Path(self.folder.name) / "log"
        path.write_text(text)
        return str(path)

    def test_facts(self):
        self.card()
        facts = self.data("facts")["facts"]
        self.assertEqual({fact["source"] for fact in facts}, {"machine"})
        said = {fact["name"]: fact for fact in facts}
        self.assertEqual(said["gpu_total"]["value"], 24576 << 20)
        self.assertEqual(said["gpu_total"]["gpu"], 0)
        self.assertEqual(said["other_in_use"]["pid"], 4711)
        self.assertEqual(said["job_id"]["value"], "104811")
        self.assertGreater(said["host_total"]["value"], 1 << 28)
        for lang in "en", "zh":
            text = self.ask("facts", "--lang", lang)
            self.assertIn("RTX 3090", text)
            self.assertNotIn("hf_do_not", text)

    def test_a_tool_that_hangs(self):
        self.tool("#!/bin/sh\nexec sleep 60\n")
        began = time.monotonic()
        names = {fact["name"] for fact in self.data("facts")["facts"]}
        self.assertLess(time.monotonic() - began, 40)
        self.assertNotIn("gpu_total", names)
        self.assertIn("host_total", names)

    def test_limits(self):
        done = subprocess.run(
            ["sh", "-c", "ulimit -v 8000000; ulimit -d 6000000; "
             "exec \"$0\" facts --format json", OOMKB], env=self.env,
            check=False, capture_output=True)
        said = {fact["name"]: fact["value"]
                for fact in json.loads(done.stdout)["facts"]}
        if b"AddressSanitizer" not in done.stderr:
            self.assertEqual(said["address_limit"], 8000000 * 1024)
            self.assertEqual(said["data_limit"], 6000000 * 1024)

    def test_other_makers(self):
        """npu-smi and xpu-smi as they print, found by PATH."""
        golden = pathlib.Path("tests/machine/golden")
        info = (golden / "npu-two-910b.txt").read_text().split("\n", 1)[1]
        self.tool(f"#!/bin/sh\ncat <<'END'\n{info}END\n", "npu-smi")
        said = [fact for fact in self.data("facts")["facts"]
                if fact["name"] == "gpu_total"]
        self.assertEqual([f["value"] for f in said], [65536 << 20] * 2)
        (pathlib.Path(self.folder.name) / "npu-smi").unlink()
        text = (golden / "xpu-max-1550.txt").read_text()
        cards, used = text.split("== dump\n")
        cards = cards.split("\n", 1)[1]
        self.tool(f"#!/bin/sh\ncase $1 in\ndiscovery) cat <<'END'\n{cards}"
                  f"END\n;;\n*) cat <<'END'\n{used}END\nesac\n", "xpu-smi")
        said = {fact["name"]: fact for fact in self.data("facts")["facts"]}
        self.assertEqual(said["gpu_total"]["value"], 65536 << 20)

    def test_what_the_log_lacks(self):
        self.card()
        without, here = self.data(LOG), self.data("--here", LOG)
        self.assertNotIn("gpu_name", without["context"])
        self.assertEqual(here["context"]["gpu_name"]["source"], "machine")
        self.assertIn("gpu_total", {q["fact"] for q in without["questions"]})
        total = here["context"]["gpu_total"]
        self.assertEqual(total["source"], "machine")
        self.assertLess(total["low"], 24 << 30)  # the driver keeps some
        self.assertNotIn("gpu_total", {q["fact"] for q in here["questions"]})
        self.assertIn("11.1 GiB", self.ask("--here", LOG))

    def test_found_in_it_is_the_logs(self):
        self.card()
        text = self.ask("--here", "--all", LOG)
        self.assertNotIn("size of /dev/shm", text)

    def test_the_log_wins(self):
        self.card("NVIDIA H100 80GB HBM3", 81559, 80000)
        log = self.log("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried "
                       "to allocate 2.00 GiB. GPU 0 has a total capacity of "
                       "23.69 GiB of which 1.13 GiB is free.\n")
        here = self.data("--here", log)
        self.assertNotIn("gpu_name", here["context"])
        self.assertNotIn("host_total", here["context"])
        self.assertIn("another machine", self.ask("--here", log, "--all"))
        self.assertIn("另一台机器", self.ask("--here", log, "--all", "--lang",
                                        "zh"))

    def test_fit(self):
        self.card()
        words = ("fit", "--here", "--model", "meta-llama/Llama-3.1-8B-Instruct")
        text = self.ask(*words, "--max-model-len", "8192")
        self.assertIn("RTX 3090", text)
        other = self.ask(*words, "--gpu", "H100", "--max-model-len", "8192")
        self.assertIn("H100", other)
        self.assertNotIn("3090", other)

    def test_run_notes_what_was_free(self):
        """Somebody else held the card before the command began."""
        self.card(free=9000)
        report = str(pathlib.Path(self.folder.name) / "report")
        log = self.log("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried "
                       "to allocate 10.00 GiB. GPU 0 has a total capacity of "
                       "23.69 GiB of which 8.60 GiB is free.\n")
        subprocess.run([OOMKB, "run", "--report", report, "--", "sh", "-c",
                        f"cat {log}; exit 1"], env=self.env, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = json.loads(pathlib.Path(report).read_text())
        free = found["context"]["free_before_load"]
        self.assertEqual((free["value"], free["source"]),
                         (9000 << 20, "machine"))
        causes = found["findings"][0]["causes"]
        self.assertIn("other", causes[0]["cause"], causes)

    def test_lint(self):
        self.card()
        script = pathlib.Path(self.folder.name) / "start.sh"
        script.write_text("vllm serve meta-llama/Llama-3.1-8B-Instruct "
                          "--max-model-len 131072\n")
        self.assertIn("cannot tell", self.ask("lint", str(script)))
        self.assertNotIn("cannot tell", self.ask("lint", "--here",
                                                 str(script)))


if __name__ == "__main__":
    unittest.main()
