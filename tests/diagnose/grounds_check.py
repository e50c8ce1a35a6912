#!/usr/bin/env python3
"""What an answer says has grounds in the log: nobody is blamed without a sign of him, no amount is made of a part, and
what two tries printed is two failures."""
import json
import os
import subprocess
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
JAX = "RuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 50331648 bytes.\n"
CELL = "---> 12 predict(seq)\n<ipython-input-17-d55b04681e2c> in <module>()\n"
PREFILL = "Prefill out of memory. Try to lower your batch size.\nTry to allocate 8192 tokens.\nAvailable tokens: 1234\n"


def findings(log):
    done = subprocess.run([OOMKB, "--format", "json"], input=log.encode(), env=ENV, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout.decode())["findings"]


def fixes(log):
    return [f for f in findings(log)[0]["fixes"] if f["applies"] in ("yes", "if")]


def fact(finding, name):
    return next((f["value"] for f in finding["facts"] if f["name"] == name), None)


class Grounds(unittest.TestCase):
    def test_jax_s_own_pool_blames_nobody(self):
        kinds = [f["acts_on"].get("kind") for f in fixes(JAX)]
        self.assertNotEqual(kinds[0], "kill_process")
        table = "memory.total [MiB], memory.used [MiB]\n11441 MiB, 10290 MiB\npid, process_name, used_gpu_memory [MiB]\n31337, python, 10100 MiB\n"
        self.assertEqual(fixes(table + JAX)[0]["acts_on"].get("kind"), "kill_process")

    def test_a_notebook_s_kernel_is_restarted_and_no_other(self):
        self.assertIn("restart-notebook", [f["id"] for f in fixes(CELL + JAX)][:3])
        self.assertNotIn("restart-notebook", [f["id"] for f in fixes(JAX)])

    def test_colabfold_is_known_by_its_lines(self):
        for line in ("2026-02-25 09:41:06,761 Running colabfold 1.5.5 (b66951a9)", "WARNING: found GPU Tesla K80: limited to total length < 1000"):
            with self.subTest(line=line):
                self.assertEqual(fixes(line + "\n" + JAX)[0]["id"], "colabfold-max-msa-256-512")

    def test_a_piece_of_the_weights_is_not_the_weights(self):
        vulkan = ("load_tensors: loading model tensors, this can take a while... (mmap = true)\n"
                  "ggml_vulkan: Device memory allocation of size 1029081088 failed.\n"
                  "ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory\n")
        layers = next(f for f in fixes(vulkan) if f["acts_on"].get("flag") == "--n-gpu-layers")
        self.assertIn(layers["estimate"]["verdict"], ("none", "unknown"))

    def test_of_several_cards_each_has_its_share(self):
        cuda = ("$ ./llama-cli -m model.gguf -ngl 999\n  Device 0: Radeon RX 7900 XTX, compute capability 11.0, VMM: no\n{}"
                "llm_load_tensors: ggml ctx size =    0.88 MiB\nggml_backend_cuda_buffer_type_alloc_buffer: allocating "
                "27846.97 MiB on device 0: cudaMalloc failed: out of memory\nllama_model_load: error loading model: unable "
                "to allocate backend buffer\n")
        two = "ggml_cuda_init: found 2 ROCm devices:\n" + cuda.format("  Device 1: Radeon RX 7900 XTX, compute capability 11.0, VMM: no\n")
        said = next(f for f in fixes(two) if f["acts_on"].get("flag") == "--n-gpu-layers")["estimate"]["condition"]
        self.assertIn("on this GPU", said)

    def test_a_record_of_several_lines_behind_one_prefix(self):
        for prefix in ("", "[2026-01-02 10:00:00 TP0] ", "[2026-01-02 10:00:00 DP0 TP3 EP3] ",
                       "2026-01-02 10:00:00,123 - ERROR - ", "(Worker pid=123) [2026-01-02 10:00:00 TP0] "):
            with self.subTest(prefix=prefix):
                found = findings(prefix + PREFILL)[0]
                self.assertEqual((fact(found, "tried_tokens"), fact(found, "available_tokens")), (8192, 1234))

    def test_two_tries_are_two_failures(self):
        one = "Error: llama runner process has terminated: cudaMalloc failed: out of memory\n"
        two = "Error: llama runner process has terminated: GGML_ASSERT(ctx->mem_buffer != NULL) failed\n"
        again = "$ ollama run qwen3:14b\n"
        self.assertEqual([f["entry"] for f in findings(again + one + again + two)],
                         ["ollama/gpu-oom", "llama.cpp/cpu-buffer"])
        self.assertEqual(len(findings(again + one + two)), 1)


if __name__ == "__main__":
    unittest.main()
