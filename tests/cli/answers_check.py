#!/usr/bin/env python3
"""What an expert would compute from five logs: the values and verdicts of the
fixes. The logs are written for this test, in the formats of their programs."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
MIB = 1 << 20

VLLM = """\
INFO 01-01 [core.py:58] Initializing a V1 LLM engine (v0.9.2) with config: \
model='Qwen/Qwen2.5-3B-Instruct', dtype=torch.bfloat16, max_seq_len=32000
non-default args: {'model': 'Qwen/Qwen2.5-3B-Instruct', 'max_model_len': \
32000, 'gpu_memory_utilization': 0.75}
ValueError: To serve at least one request with the models's max seq len \
(32000), (1.10 GiB KV cache is needed, which is larger than the available KV \
cache memory (0.59 GiB). Based on the available memory, the estimated maximum \
model length is 17024. Try increasing `gpu_memory_utilization` or decreasing \
`max_model_len` when initializing the engine.
"""

TRAINING = """\
Epoch 1: step 40 loss 2.113
Traceback (most recent call last):
  File "train.py", line 290, in train
    loss.backward()
RuntimeError: CUDA out of memory. Tried to allocate 106.38 MiB (GPU 0; 11.91 \
GiB total capacity; 10.26 GiB already allocated; 53.06 MiB free; 56.48 MiB \
cached)
"""

VAE = """\
  File "/app/comfy/ldm/modules/diffusionmodules/model.py", line 726, in forward
    h = self.up[i_level].upsample(h)
torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.25 GiB. GPU 0 \
has a total capacity of 15.98 GiB of which 1.09 GiB is free. Of the allocated \
memory 13.80 GiB is allocated by PyTorch, and 615.21 MiB is reserved by \
PyTorch but unallocated.
"""

LLAMA = """\
build: 5900 (0a1b2c3d) with cc for x86_64-linux-gnu
llama-server -m models/Phi-4-mini-instruct-BF16.gguf -c 131072 -ngl 99
print_info: general.name     = Phi-4-mini-instruct
print_info: n_layer          = 32
print_info: n_head           = 24
print_info: n_head_kv        = 8
load_tensors:        CUDA0 model buffer size =  7317.00 MiB
llama_context: n_ctx         = 131072
llama_context: n_batch       = 2048
llama_context: n_ubatch      = 512
llama_context: flash_attn    = 0
ggml_backend_cuda_buffer_type_alloc_buffer: allocating 6940.00 MiB on device \
0: cudaMalloc failed: out of memory
ggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size 7277119488
llama_init_from_model: failed to initialize the context: failed to allocate \
compute pp buffers
"""

POD = """\
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Tue, 03 Mar 2026 09:04:36 +0000
      Finished:     Tue, 03 Mar 2026 09:45:58 +0000
    Restart Count:  65
    Limits:
      cpu:     25m
      memory:  25Mi
"""


def root_of(log):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.log"
        path.write_text(log)
        done = subprocess.run([PROGRAM, "--format", "json", str(path)],
                              capture_output=True, check=False, timeout=60)
    report = json.loads(done.stdout)
    return [f for f in report["findings"] if f["role"] == "root"][0]


def fixes_with(root, flag):
    return [f for f in root["fixes"]
            if (f["acts_on"] or {}).get("flag") == flag]


class Answers(unittest.TestCase):
    def fix(self, log, flag, change=None):
        found = [f for f in fixes_with(root_of(log), flag)
                 if change in (None, f["acts_on"].get("change"))]
        self.assertTrue(found, flag)
        return found[0]

    def verdict(self, fix, wanted):
        self.assertEqual(fix["estimate"]["verdict"], wanted, fix["estimate"])

    def at_most(self, amount):
        return amount if isinstance(amount, int) else amount["high"]

    def test_a_pool_holds_17024_tokens_but_one_block(self):
        fix = self.fix(VLLM, "--max-model-len", "down")
        self.verdict(fix, "enough")
        self.assertIn("--max-model-len 17008", fix["command"])
        self.assertEqual(fix["estimate"]["capacity"], 0.5315)
        self.verdict(self.fix(VLLM, "--kv-cache-dtype"), "enough")

    def test_a_share_needs_the_gpu_free_at_the_start(self):
        table = ("|  0   NVIDIA GeForce RTX 4060 ...  Off | 00000000:01:00.0 Off "
                 "|                  N/A |\n"
                 "| N/A   45C    P8     8W / 115W | {:6d}MiB /  7820MiB |      0%"
                 "      Default |\n")
        for used, wanted in ((0, "enough"), (4000, "may_be_enough")):
            fix = self.fix(table.format(used) + VLLM,
                           "--gpu-memory-utilization", "up")
            self.verdict(fix, wanted)
            self.assertIn("0.82", fix["command"])

    def test_half_a_batch(self):
        fix = [f for f in root_of(TRAINING)["fixes"]
               if "batch size" in f["action"]][0]
        self.verdict(fix, "may_be_enough")
        for part in ("1/2", "53.3 MiB", "10.26 GiB"):
            self.assertIn(part, fix["estimate"]["condition"])

    def test_a_tile_takes_half_a_gib(self):
        fixes = [f for f in root_of(VAE)["fixes"]
                 if "VAE" in f["action"]
                 and (f["estimate"] or {}).get("verdict") == "enough"]
        self.assertTrue(fixes)
        self.assertEqual(fixes[0]["estimate"]["after"], 512 * MIB)

    def test_scores_go_with_flash_attention(self):
        fix = self.fix(LLAMA, "--flash-attn")
        self.assertEqual(self.at_most(fix["estimate"]["after"]),
                         7277119488 - 512 * 131072 * 24 * 4)
        fix = self.fix(LLAMA, "--ubatch-size", "down")
        self.verdict(fix, "may_be_enough")
        self.assertIn("--ubatch-size 64", fix["command"])

    def test_a_kill_at_the_limit_has_no_peak(self):
        fix = [f for f in root_of(POD)["fixes"]
               if "limits.memory" in f["action"]][0]
        self.verdict(fix, "unknown")
        self.assertIn("host_rss", fix["estimate"]["needs"])
        self.assertRegex(fix["command"], rf"memory=({50 * MIB}|50Mi)\b")


if __name__ == "__main__":
    unittest.main()
