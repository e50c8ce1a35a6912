#!/usr/bin/env python3
"""One message of PyTorch under every engine and stage: whatever fills the GPU,
there is a fix, and the first one fits what the numbers and the frames say."""
import json
import os
import subprocess
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}

SERVERS = {
    "vllm": "vllm/v1/engine/core.py",
    "sglang": "sglang/srt/managers/scheduler.py",
    "tgi": "text_generation_server/server.py",
    "lmdeploy": "lmdeploy/pytorch/engine/engine.py",
    "tensorrt-llm": "tensorrt_llm/executor/worker.py",
}
TRAINERS = {
    "transformers": "transformers/trainer.py",
    "deepspeed": "deepspeed/runtime/engine.py",
    "megatron": "megatron/core/pipeline_parallel/schedules.py",
    "plain": "train.py",
}
NONE = ()
LOAD = ("modeling.py", "load_checkpoint", "model.load_state_dict(weights)")
FORWARD = ("torch/nn/modules/module.py", "_call_impl",
           "return forward_call(*args, **kwargs)")
ATTENTION = ("model/attention.py", "forward",
             "attn = scaled_dot_product_attention(q, k, v)")
BACKWARD = ("torch/_tensor.py", "backward", "torch.autograd.backward(")
OPTIMIZER = ("torch/optim/adamw.py", "step",
             'state["exp_avg"] = torch.zeros_like(p)')
CAPTURE = ("torch/cuda/graphs.py", "capture_begin", "super().capture_begin(")
SERVING = {"none": NONE, "load": LOAD, "forward": FORWARD,
           "attention": ATTENTION, "capture": CAPTURE}
TRAINING = {"none": NONE, "load": LOAD, "forward": FORWARD,
            "attention": ATTENTION, "backward": BACKWARD,
            "optimizer": OPTIMIZER}

MESSAGE = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
           "{asked:.2f} GiB. GPU 0 has a total capacity of {total:.2f} GiB of "
           "which {free:.2f} GiB is free. {others}Including non-PyTorch "
           "memory, this process has {own:.2f} GiB memory in use. Of the "
           "allocated memory {held:.2f} GiB is allocated by PyTorch, and "
           "{idle:.2f} GiB is reserved by PyTorch but unallocated.")
OTHER = "Process 4410 has {:.2f} GiB memory in use. "


def message(total, held, idle, free, asked, others=0.0, is_listed=False):
    return MESSAGE.format(
        total=total, held=held, idle=idle, free=free, asked=asked,
        own=total - free - others - 0.01,
        others=OTHER.format(others) if is_listed else "")


def log(path, frame, said):
    lines = ["Traceback (most recent call last):",
             f'  File "/opt/{path}", line 10, in run', "    self.go()"]
    if frame:
        lines += [f'  File "/opt/{frame[0]}", line 20, in {frame[1]}',
                  "    " + frame[2]]
    return "\n".join(lines + [said]) + "\n"


def root(text):
    done = subprocess.run([OOMKB, "--format", "json"], input=text.encode(),
                          env=ENV, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["findings"][0]


def ranked(finding):
    return [x for x in finding["fixes"] if x["applies"] in ("yes", "if")]


def cells():
    for engines, stages in ((SERVERS, SERVING), (TRAINERS, TRAINING)):
        for engine, path in engines.items():
            for stage, frame in stages.items():
                yield engine, stage, path, frame


def acts(fix):
    return fix["acts_on"].get("kind") or fix["acts_on"].get("flag")


class Matrix(unittest.TestCase):
    def each(self, said, expect):
        for engine, stage, path, frame in cells():
            with self.subTest(engine=engine, stage=stage):
                found = root(log(path, frame, said))
                fixes = ranked(found)
                self.assertTrue(fixes, found["entry"])
                expect(engine, stage, fixes)

    def ends_others(self, _engine, _stage, fixes):
        self.assertIn(acts(fixes[0]), ("kill_process", "other_gpu"))

    def leaves_others(self, _engine, stage, fixes):
        self.assertNotEqual(acts(fixes[0]), "kill_process")
        if stage == "load":
            self.assertNotIn("batch", fixes[0]["id"])

    def joins_blocks(self, engine, stage, fixes):
        if engine in TRAINERS and stage not in ("load", "optimizer"):
            self.assertEqual(fixes[0]["acts_on"].get("flag"),
                             "PYTORCH_CUDA_ALLOC_CONF")

    def does_not_join(self, _engine, _stage, fixes):
        first = fixes[0]["acts_on"].get("flag")
        self.assertNotEqual(first, "PYTORCH_CUDA_ALLOC_CONF")

    def test_others_hold_the_gpu(self):
        self.each(message(80, 10, 0.1, 1.2, 2, others=68), self.ends_others)

    def test_others_are_listed(self):
        self.each(message(80, 10, 0.1, 1.2, 2, others=68, is_listed=True),
                  self.ends_others)

    def test_own_tensors_fill_a_large_gpu(self):
        self.each(message(80, 76, 0.5, 0.8, 1), self.leaves_others)

    def test_own_tensors_fill_a_small_gpu(self):
        self.each(message(24, 21.5, 0.3, 0.8, 1), self.leaves_others)

    def test_unallocated_blocks_are_larger_than_the_request(self):
        self.each(message(80, 55, 22, 0.4, 2), self.joins_blocks)

    def test_a_request_beyond_every_block(self):
        self.each(message(80, 50, 1, 27, 40), self.does_not_join)


if __name__ == "__main__":
    unittest.main()
