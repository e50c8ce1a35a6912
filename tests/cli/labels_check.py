#!/usr/bin/env python3
"""Small words of an answer: whose memory it is, what a fix costs, which
release of PyTorch a list of packages names, amounts with their decimals."""
import json
import os
import subprocess
import unittest

PROGRAM = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {} GiB. "
       "GPU 0 has a total capacity of 23.64 GiB of which {} GiB is free. Of "
       "the allocated memory 13.80 GiB is allocated by PyTorch, and {} GiB is "
       "reserved by PyTorch but unallocated.\n")
TPU = ("jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Ran out of memory in "
       "memory space hbm. Used 17.75G of 15.75G hbm. Exceeded hbm capacity by "
       "2.00G. TPU v5e\n")


def answer(log, *words):
    return subprocess.run([PROGRAM, *words], input=log.encode(), check=False,
                          stdout=subprocess.PIPE).stdout.decode()


def torch_of(log):
    fact = json.loads(answer(log, "--format", "json"))["context"].get(
        "torch_version")
    return fact and fact["value"]


class Labels(unittest.TestCase):
    def test_lists_of_packages_name_the_release(self):
        oom = OOM.format("2.00", "1.00", "0.10")
        for line, release in [("torch==2.13.0", "2.13.0"),
                              ("torch==2.9.1+cu128", "2.9.1+cu128"),
                              ("- torch==2.4.0", "2.4.0"),
                              ("torch                    2.9.1", "2.9.1")]:
            self.assertEqual(torch_of(f"numpy==2.1.0\n{line}\n{oom}"), release)
        for line in ["foo requires torch==2.4.0, but you have torch 2.6.0",
                     "torchvision==0.28.0", "torch>=2.4.0"]:
            self.assertIsNone(torch_of(f"{line}\n{oom}"), line)

    def test_a_tpu_has_its_own_memory(self):
        self.assertIn("TPU memory (HBM) 15.8 GiB", answer(TPU))
        self.assertNotIn("GPU memory", answer(TPU))
        self.assertIn("TPU 显存（HBM） 15.8 GiB", answer(TPU, "--lang", "zh"))

    def test_ending_others_restarts_nothing(self):
        log = ("ValueError: Free memory on device (3.21/23.5 GiB) on startup "
               "is less than desired GPU memory utilization (0.9, 21.2 GiB). "
               "Decrease GPU memory utilization or reduce GPU memory used by "
               "other processes.\n")
        self.assertIn("stop others", answer(log))
        chinese = answer(log, "--lang", "zh")
        self.assertIn("结束其他进程", chinese)
        self.assertNotIn("需重启，无损失", chinese)

    def test_joined_blocks_are_told(self):
        text = json.dumps(json.loads(answer(
            OOM.format("2.00", "1.00", "6.00"), "--format", "json")))
        self.assertIn("needs one free block of 2.00 GiB; at most 7.00 GiB can be "
                      "joined",
                      text)


if __name__ == "__main__":
    unittest.main()
