#!/usr/bin/env python3
"""A log's numbers against the catalogue, as a reader meets it: agrees (nothing
is said), explained, residual with the models that would be right, no model
named. In text, JSON and Markdown, in both languages."""
import json
import os
import subprocess
import sys
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
LOG = (b"ValueError: To serve at least one request with the models's max seq "
       b"len (65536), (%s GiB KV cache is needed, which is larger than the "
       b"available KV cache memory (3.00 GiB). Based on the available memory, "
       b"the estimated maximum model length is %s. Try increasing "
       b"`gpu_memory_utilization` or decreasing `max_model_len` when "
       b"initializing the engine.\n")
EIGHT = LOG % (b"8.00", b"24576")  # 128 KiB a token: Llama-3.1-8B
FOUR = LOG % (b"4.00", b"49152")   # 64 KiB: the same in fp8
ODD = LOG % (b"4.70", b"41824")    # 75.2 KiB: nobody's


def oomkb(log, *words):
    return subprocess.run([OOMKB, *words], input=log, check=False,
                          env={"PATH": os.environ["PATH"], "LANG": "C"},
                          stdout=subprocess.PIPE).stdout.decode()


def found(log, *words):
    report = json.loads(oomkb(log, "--format", "json", *words))
    return report["findings"][0]


ASKED = (b"INFO [gpu_worker.py:492] Initial free memory 37.66 GiB, reserved 6.0 "
         b"GiB memory for KV Cache as specified by kv_cache_memory_bytes "
         b"config and skipped memory profiling.\n"
         b"INFO GPU KV cache size: %s tokens\n"
         b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 "
         b"GiB. GPU 0 has a total capacity of 39.39 GiB of which 1.00 GiB is "
         b"free.\n")

LLAMA = ("--set", "model=meta-llama/Llama-3.1-8B-Instruct")


class Reconciling(unittest.TestCase):
    def test_what_agrees_is_not_remarked(self):
        finding = found(EIGHT, *LLAMA)
        self.assertEqual(finding["reconciliation"]["outcome"], "agrees")
        self.assertIn("128 KiB", finding["reconciliation"]["formula"])
        self.assertEqual(finding["kv"]["bytes_per_token"]["slope"], 131072)
        self.assertNotIn("by its layers", oomkb(EIGHT, *LLAMA))

    def test_a_pool_of_an_asked_size_counts(self):
        told = found(ASKED % b"49,152", *LLAMA)["reconciliation"]
        self.assertEqual((told["quantity"], told["outcome"]),
                         ("kv_tokens", "agrees"))
        told = found(ASKED % b"98,304", *LLAMA)["reconciliation"]
        self.assertEqual(told["outcome"], "explained")

    def test_a_setting_explains(self):
        told = found(FOUR, *LLAMA)["reconciliation"]
        self.assertEqual(told["outcome"], "explained")
        self.assertEqual([(s["name"], s["value"]) for s in told["settings"]],
                         [("kv_cache_dtype", "fp8")])
        for words, said in ((("--lang", "zh"), "就对得上"), ((), "would explain"),
                            (("--format", "markdown"), "would explain")):
            self.assertIn(said, oomkb(FOUR, *LLAMA, *words))

    def test_what_is_left_over_is_named(self):
        told = found(ODD, *LLAMA)["reconciliation"]
        self.assertEqual(told["outcome"], "residual")
        self.assertLess(told["residual"]["high"], 0)
        self.assertIn("difference -3.30 GiB",
                      " ".join(oomkb(ODD, *LLAMA).split()))
        self.assertIn("相差-3.30GiB",
                      "".join(oomkb(ODD, *LLAMA, "--lang", "zh").split()))

    def test_another_model_would_be_right(self):
        told = found(EIGHT, "--set", "model=Qwen/Qwen3-32B", "--set",
                     "tensor_parallel=1", "--set", "kv_cache_dtype=bfloat16",
                     "--set", "pipeline_parallel=1", "--set",
                     "decode_context_parallel=1")["reconciliation"]
        self.assertEqual(told["outcome"], "residual")
        self.assertGreater(told["models_count"], 0)
        self.assertTrue(told["models"])

    def test_no_model_is_named(self):
        told = found(EIGHT)["reconciliation"]
        self.assertEqual(told["outcome"], "unknown")
        low, high = (told["bytes_per_token"][k] for k in ("low", "high"))
        self.assertTrue(low <= 131072 <= high)
        self.assertIn("meta-llama/Llama-3.1-8B-Instruct", told["models"])
        self.assertIn("128 KiB of KV cache per token",
                      " ".join(oomkb(EIGHT, "--all").split()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
