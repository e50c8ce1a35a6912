#!/usr/bin/env python3
"""The Python package: it says what the program says, of logs, exceptions and
fits, and its errors are exceptions."""
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("OOMKB", ROOT / "build/oomkb"))
# The plain library stands beside the plain program: a sanitized one cannot be
# loaded into an interpreter that is not.
LIBRARY = PROGRAM.resolve().with_name("liboomkb.so")
SAMPLES = ("entries/vllm/kv-cache-too-small.log",
           "entries/pytorch/cuda-oom-fragmentation.log",
           "entries/linux-kernel/oom-killer.log")
BODY = """
import sys
sys.path.insert(0, %r)
import oomkb
""" % str(ROOT / "python/src")


def run(code, **env):
    return subprocess.run(
        [sys.executable, "-c", BODY + code], cwd=ROOT, capture_output=True,
        text=True, timeout=120, check=False,
        env=os.environ | {"OOMKB_LIBRARY": str(LIBRARY)} | env)


def program(*words, stdin=None):
    return subprocess.run([PROGRAM, *words], input=stdin, cwd=ROOT,
                          capture_output=True, text=True, timeout=120,
                          check=False,
                          env=os.environ | {"XDG_DATA_HOME": "/nowhere"})


class Binding(unittest.TestCase):
    def said(self, code, **env):
        done = run(code, **env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_report_says_what_the_program_says(self):
        for path in SAMPLES:
            for lang in ("en", "zh"):
                text = self.said(
                    f"log = open({path!r}, 'rb').read()\n"
                    f"r = oomkb.diagnose(log, lang={lang!r})\n"
                    f"print(r.text(lang={lang!r}), end='')")
                self.assertEqual(
                    text, program("--lang", lang,
                                  stdin=(ROOT / path).read_text()).stdout)

    def test_values_of_a_report(self):
        out = self.said(
            f"r = oomkb.diagnose(open({SAMPLES[0]!r}).read())\n"
            "print(bool(r), r.findings[0]['entry'], r.fixes[0]['rank'])\n"
            "print(bool(oomkb.diagnose('all is well\\n')))\n"
            "print(oomkb.diagnose('all is well\\n').fixes)")
        self.assertEqual(out, "True vllm/kv-cache-too-small 1\nFalse\n[]\n")

    def test_an_answer_changes_the_report_and_a_wrong_one_does_not(self):
        out = self.said(
            "r = oomkb.diagnose('torch.OutOfMemoryError: CUDA out of memory. "
            "Tried to allocate 2.00 GiB.')\n"
            "a = r.text()\n"
            "try: r.answer(gpu_name='nonsense 9000')\n"
            "except oomkb.Error as e: print(e.kind)\n"
            "print(r.text() == a)\n"
            "r.answer(gpu_total='24GiB', gpu_free='1GiB')\n"
            "print(r.text() == a)")
        self.assertEqual(out, "usage\nTrue\nFalse\n")

    def test_an_exception_is_explained_with_its_traceback(self):
        out = self.said(
            "def step(): raise RuntimeError('CUDA out of memory. Tried to "
            "allocate 2.00 GiB (GPU 0; 15.75 GiB total capacity; 14.00 GiB "
            "already allocated; 0.50 GiB free; 14.50 GiB reserved in total by "
            "PyTorch)')\n"
            "try: step()\n"
            "except RuntimeError as e: print(oomkb.explain(e).findings[0]"
            "['component'])\n"
            "try: [][1]\n"
            "except IndexError as e: print(bool(oomkb.explain(e)))")
        self.assertEqual(out, "pytorch\nFalse\n")

    def test_an_exception_tells_its_device_and_its_versions(self):
        out = self.said(
            "import types\n"
            "def device_of(kind): return types.SimpleNamespace("
            "is_initialized=lambda: True, get_device_name=lambda: kind, "
            "mem_get_info=lambda: (1 << 30, 24 << 30), memory_stats=lambda: "
            "{'allocated_bytes.all.current': 22 << 30, "
            "'reserved_bytes.all.current': 23 << 30})\n"
            "sys.modules['torch'] = types.SimpleNamespace("
            "cuda=device_of('NVIDIA GeForce RTX 3090'))\n"
            "try: raise RuntimeError('CUDA out of memory. Tried to allocate "
            "2.00 GiB.')\n"
            "except RuntimeError as e: r = oomkb.explain(e)\n"
            "print(r.as_dict()['context'])")
        self.assertIn("RTX 3090", out)

    def test_the_hook_explains_what_ends_the_program(self):
        done = run("oomkb.hook()\n"
                   "raise MemoryError('Unable to allocate 64.0 GiB for an "
                   "array with shape (8589934592,) and data type float64')")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Traceback", done.stderr)
        self.assertIn("Do this first", done.stderr.replace(
            "Do one of these", "Do this first"))

    def test_a_fit_is_the_programs(self):
        out = self.said(
            "f = oomkb.fit(model='Qwen/Qwen2.5-7B-Instruct', engine='vllm', "
            "gpu_name='A10G')\n"
            "print(f['verdict'])\n"
            "print(oomkb.fit('vllm serve Qwen/Qwen2.5-7B-Instruct', "
            "gpu_name='A10G')['verdict'])\n"
            "try: oomkb.fit(model='Qwen/Qwen2.5-7B-Instruct', engine='vlm')\n"
            "except oomkb.Error as e: print(e.kind, 'vllm' in str(e))")
        first, second, refused = out.splitlines()
        self.assertEqual(first, second)
        self.assertEqual(refused, "usage True")

    def test_one_knowledge_base_serves_threads(self):
        out = self.said(
            "import threading\n"
            f"log = open({SAMPLES[0]!r}).read()\n"
            "said = []\n"
            "def ask(): said.append(oomkb.diagnose(log).text())\n"
            "t = [threading.Thread(target=ask) for _ in range(8)]\n"
            "[x.start() for x in t]; [x.join() for x in t]\n"
            "print(len(said), len(set(said)))")
        self.assertEqual(out, "8 1\n")

    def test_the_bot_answers_and_is_told_more(self):
        done = subprocess.run(
            [sys.executable, ROOT / "examples/support_bot.py"], cwd=ROOT,
            input="torch.OutOfMemoryError: CUDA out of memory.\n"
                  "gpu_name=A10G\ngpu_name=nonsense\n",
            capture_output=True, text=True, timeout=120, check=False,
            env=os.environ | {"OOMKB_LIBRARY": str(LIBRARY),
                              "PYTHONPATH": str(ROOT / "python/src")})
        self.assertEqual(done.returncode, 0, done.stderr)
        replies = done.stdout.split("\0")
        self.assertEqual(len(replies), 4)
        self.assertIn("pytorch/cuda-oom", replies[0])
        self.assertIn("nonsense", replies[2])


if __name__ == "__main__":
    unittest.main()
