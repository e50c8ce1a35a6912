#!/usr/bin/env python3
"""Which program failed, and so whose settings stand first: by what runs, and by
no folder of a path; what people tell of takes the name of that program."""
import json
import os
import subprocess
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.\n"
METAL = ("libc++abi: terminating due to uncaught exception of type std::runtime_error: [METAL] Command buffer execution "
         "failed: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)\n")
BUFFER = ("libc++abi: terminating due to uncaught exception of type std::runtime_error: [metal::malloc] Attempting to allocate "
          "61619840000 bytes which is greater than the maximum allowed buffer size of 22743271936 bytes.\n")


def report(log):
    done = subprocess.run([OOMKB, "--format", "json"], input=log.encode(),
                          env=ENV, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout.decode())


def root(log):
    return report(log)["findings"][0]


def offered(log):
    return [f for f in root(log)["fixes"] if f["applies"] in ("yes", "if")]


def commands(log):
    return " ".join(f["command"] or "" for f in offered(log)[:3])


def context(log, name):
    fact = report(log)["context"].get(name)
    return fact["value"] if fact else None


class OnlyWhatRuns(unittest.TestCase):
    def test_a_folder_of_models_shows_no_program(self):
        for path in ("/Users/ada/.lmstudio/models/org/Vision-7B-4bit", "/home/ada/.cache/lm-studio/models/org/a.gguf",
                     r"C:\\Users\\ada\\.lmstudio\\models\\org\\a.gguf", "/opt/text-generation-webui/models/org_a"):
            with self.subTest(path=path):
                self.assertIsNone(context(f"python ask.py --model {path}\n{OOM}", "program"))

    def test_code_in_a_folder_of_that_name_does(self):
        for line, program in (('File "/v/exllamav2/models/llama.py", line 3, in forward', "tabbyapi"),
                              ("/home/ada/.lmstudio/extensions/backends/llama.cpp", "lm-studio")):
            with self.subTest(line=line):
                self.assertEqual(context(f"{line}\n{OOM}", "program"), program)


class Mlx(unittest.TestCase):
    def test_its_server_keeps_caches(self):
        log = ("coder model OOM crash on mac studio\n\n"
               "/v/mlx_lm/server.py:1829: UserWarning: mlx_lm.server is not recommended for production\n"
               + "".join(f"2026-05-11 0{i}:00:00,000 - INFO - KV Caches: {i} seq, {4 * i}.50 GB, latest user cache 0 tokens\n"
                         for i in range(1, 7)))
        got = root(log)
        self.assertEqual((got["entry"], got["causes"][0]["cause"]), ("mlx/told", "growth"))
        self.assertIn("--prompt-cache-bytes", offered(log)[0]["command"])
        self.assertNotIn("nvidia-smi", commands(log))

    def test_an_image_is_shrunk(self):
        log = "python -m mlx_vlm.generate --image a.jpg --model /Users/ada/.cache/lm-studio/models/org/V-4bit\n" + BUFFER
        self.assertEqual(context(log, "program"), "mlx-vlm")
        self.assertTrue(offered(log)[0]["command"].startswith("--resize-shape"))

    def test_hours_of_load_are_growth(self):
        told = "It crashes after {} of sustained load, always in prefill:\n\n"
        self.assertEqual(offered(told.format("2-4 hours") + METAL)[0]["id"], "limit-cache")
        self.assertNotEqual(offered(told.format("2-4 seconds") + METAL)[0]["id"], "limit-cache")


if __name__ == "__main__":
    unittest.main()
