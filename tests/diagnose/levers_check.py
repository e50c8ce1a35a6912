#!/usr/bin/env python3
"""A command lends its levers to a failure of any layer below it: every engine with a row in kb/programs/engines.yaml,
and every program of kb/programs/, under the messages of PyTorch on each device, of JAX, TensorFlow and CUDA."""
import os
import pathlib
import sys
import unittest

import yaml

sys.path.insert(0, "tests/support")
from many import reports_of  # noqa: E402

OOMKB = os.environ.get("OOMKB", "build/oomkb")

FULL = ("Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 15.91 GiB of which 201.34 MiB is free. Of the "
        "allocated memory 14.60 GiB is allocated by PyTorch, and 112.80 MiB is reserved by PyTorch but unallocated.")
OLD = ("Tried to allocate 512.00 MiB (GPU 0; 15.90 GiB total capacity; 14.60 GiB already allocated; "
       "14.70 GiB reserved in total by PyTorch)")
BELOW = {
    "cuda": "torch.OutOfMemoryError: CUDA out of memory. " + FULL,
    "cuda-1": "RuntimeError: CUDA out of memory. " + OLD,
    "driver": "RuntimeError: CUDA error: out of memory",
    "runtime": "terminate called: CUDA error: cudaErrorMemoryAllocation: out of memory",
    "driver-api": "CUDA_ERROR_OUT_OF_MEMORY: out of memory",
    "hip": "torch.OutOfMemoryError: HIP out of memory. " + FULL,
    "hip-error": "RuntimeError: HIP error: out of memory",
    "xpu": "torch.OutOfMemoryError: XPU out of memory. " + FULL,
    "ipex": "RuntimeError: XPU out of memory. " + OLD,
    "npu": "RuntimeError: NPU out of memory. Tried to allocate 4.00 GiB (NPU 0; 60.97 GiB total capacity; 58.00 GiB "
           "already allocated; 58.00 GiB current active; 201.00 MiB free; 59.00 GiB reserved in total by PyTorch)",
    "mps": "RuntimeError: MPS backend out of memory (MPS allocated: 17.00 GiB, other allocations: 1.00 GiB, max "
           "allowed: 18.13 GiB). Tried to allocate 512.00 MiB on private pool.",
    "jax": "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate "
           "536870912 bytes.",
    "tensorflow": "ResourceExhaustedError: OOM when allocating tensor with shape[64,1024,1024] and type float on "
                  "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
    "habana": "RuntimeError: FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed for size::536870912 (512)MB",
    "nccl": "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 2 'out of memory'",
}
# A command of each, and what it has in force of the settings that the levers name.
COMMANDS = {
    "vllm": ("vllm serve org/Some-7B", {"--max-num-seqs": "64", "--max-num-batched-tokens": "4096",
                                        "--gpu-memory-utilization": "0.9"}),
    "sglang": ("python -m sglang.launch_server --model-path org/Some-7B",
               {"--chunked-prefill-size": "8192", "--max-running-requests": "64", "--mem-fraction-static": "0.9"}),
    "lmdeploy": ("lmdeploy serve api_server org/Some-7B",
                 {"--cache-max-entry-count": "0.8", "--max-batch-size": "64", "--max-prefill-token-num": "8192"}),
    "tgi": ("text-generation-launcher --model-id org/Some-7B", {"--max-batch-prefill-tokens": "8192"}),
    "tensorrt-llm": ("trtllm-serve org/Some-7B", {"--max_batch_size": "64", "--max_num_tokens": "8192",
                                                  "--kv_cache_free_gpu_memory_fraction": "0.9"}),
    "lightllm": ("python -m lightllm.server.api_server --model_dir /m/Some-7B",
                 {"--running_max_req_size": "256", "--batch_max_tokens": "8192", "--mem_fraction": "0.9"}),
    "llama.cpp": ("./llama-server -m some-7b.gguf", {"--ctx-size": "32768", "--ubatch-size": "2048"}),
    "ollama": ("ollama run some:7b", {}),
}


def offered(report):
    return [f for f in report["findings"][0]["fixes"] if f["applies"] in ("yes", "if")]


def rows(page):
    return yaml.load(page.read_text(encoding="utf-8"), yaml.CSafeLoader)["programs"]


def setting(fix):
    return (fix["command"] or "").replace("=", " ").split(" ")


class Levers(unittest.TestCase):
    def test_each_engine_under_each_layer(self):
        engines = {row["id"]: row for row in rows(pathlib.Path("kb/programs/engines.yaml"))}
        self.assertEqual(set(engines), set(COMMANDS))
        cells = [(e, below) for e in COMMANDS for below in BELOW
                 if not (e == "ollama" and below in ("jax", "tensorflow"))]  # it runs on neither
        logs = []
        for engine, below in cells:
            command, values = COMMANDS[engine]
            words = " ".join(f"{flag} {value}" for flag, value in values.items())
            logs.append(f"$ {command} {words}\n{BELOW[below]}\n")
        for (engine, below), report in zip(cells, reports_of(OOMKB, logs)):
            with self.subTest(engine=engine, below=below):
                self.holds(engines[engine], COMMANDS[engine][1], report)

    def holds(self, row, in_force, report):
        flags = {lever.get("acts_on", {}).get("flag") for lever in row["levers"]} | set(in_force)
        got = offered(report)
        self.assertTrue([f for f in got[:3] if f["acts_on"].get("flag") in flags], [f["action"] for f in got[:3]])
        for fix in got:
            name, *value = setting(fix)
            if name in in_force and fix["acts_on"].get("change") == "down":
                self.assertLess(float(value[0]), float(in_force[name]), fix["command"])
        general = [f for f in got[:1] if f["acts_on"].get("kind") == "code" and not f["command"]]
        self.assertFalse(general, "said in general, in front of what can be typed")

    def test_a_wrapper_names_the_engine_that_runs_the_model(self):
        log = ("python benchmark.py \\\n  --backend vllm \\\n  --gpu-memory-utilization 0.9 \\ # tried 0.8\n"
               "  --max-num-batched-tokens 4096 \\\n  --tensor-parallel-size 1\n" + BELOW["ipex"] + "\n")
        report = reports_of(OOMKB, [log])[0]
        self.assertEqual(report["context"]["engine"]["value"], "vllm")
        self.assertIn("--max-num-batched-tokens 2048", [f["command"] for f in offered(report)[:3]])

    def test_each_program_under_each_layer(self):
        programs = [row for page in sorted(pathlib.Path("kb/programs").glob("*.yaml")) for row in rows(page)
                    if "sample" in row and row.get("levers")]
        self.assertGreater(len(programs), 45)
        layers = ("cuda", "driver", "runtime", "hip", "xpu", "npu", "mps", "jax", "tensorflow")
        cells = [(row, below) for row in programs for below in layers]
        got = reports_of(OOMKB, [f"{row['sample']}\n{BELOW[below]}\n" for row, below in cells])
        for (row, below), report in zip(cells, got):
            with self.subTest(program=row["id"], below=below):
                self.assertEqual(report["context"]["program"]["value"], row["id"])
                own = [f for f in offered(report) if f["id"].startswith(row["id"] + "-") or f["id"] in
                       {lever.get("id") for lever in row["levers"]}]
                self.assertTrue(own, report["findings"][0]["entry"])


if __name__ == "__main__":
    unittest.main()
