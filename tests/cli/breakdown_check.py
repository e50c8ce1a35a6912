#!/usr/bin/env python3
"""`oomkb memory`: logs of healthy starts in the words of each engine (written
for this test, after the sources that kb/engines names), and what of them is
said to be where. The parts add up to the whole, or the rest is named.

Run from the top of the repository; OOMKB names the program.
"""
import json
import os
import pathlib
import subprocess
import unittest

import jsonschema

PROGRAM = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
LOGS = pathlib.Path("tests/cli/startup")
SCHEMA = json.loads(pathlib.Path("kb/memory.schema.json").read_text())
GIB, MIB = 1 << 30, 1 << 20

# log, arguments: parts of the first GPU in GiB, the whole, tokens, requests
STARTS = {
    ("vllm-0.5", ()):
        ({"weights": 14.25}, None, 32768, 4),
    ("vllm-0.6.3", ()):
        ({"weights": 14.25, "kv_cache": 52.19, "non_torch": 0.75,
          "activation": 4.0, "reserve": 7.91}, 79.10, 977216, 119.29),
    ("vllm-0.7", ()):
        ({"weights": 14.25, "kv_cache": 52.19, "activation": 4.0,
          "non_torch": 0.75, "cuda_graphs": 0.25, "reserve": 7.66},
         79.10, 977216, 119.29),
    ("vllm-0.9", ()):
        ({"weights": 14.25, "kv_cache": 55.0, "cuda_graphs": 0.5},
         None, 1029856, 31.43),
    ("vllm-0.9", ("--set", "gpu_total=80GiB",
                  "--set", "gpu_memory_utilization=0.9")):
        ({"weights": 14.25, "kv_cache": 55.0, "cuda_graphs": 0.5,
          "rest": 2.75, "reserve": 7.5}, 80, 1029856, 31.43),
    ("vllm-0.11-two-ranks", ()):
        ({"before": 0.75, "weights": 30.75, "kv_cache": 37.0,
          "activation": 3.25, "non_torch": 0.32, "cuda_graphs": 1.0,
          "reserve": 6.18}, 79.25, 301056, 9.19),
    ("vllm-0.29", ()):
        ({"before": 0.25, "weights": 15.25, "kv_cache": 3.5,
          "activation": 2.0, "non_torch": 0.25, "cuda_graphs": 0.5,
          "reserve": 1.63, "not_told": 0.12}, 23.5, 25472, 0.62),
    ("sglang", ()):
        ({"weights": 7.75, "kv_cache": 56.5, "cuda_graphs": 1.5,
          "free": 12.25, "not_told": 0.5}, 78.5, 825000, 20.14),
    ("sglang", ("--set", "gpu_total=80GiB")):
        ({"before": 1.5, "weights": 7.75, "kv_cache": 56.5,
          "cuda_graphs": 1.5, "free": 12.25, "not_told": 0.5},
         80, 825000, 20.14),
    ("llama-cpp-two-gpus", ()):
        ({"before": 0.54, "weights": 9000.5 / 1024, "kv_cache": 1224 / 1024,
          "activation": 500 / 1024, "free_or_not_told": None},
         23800 / 1024, None, None),
    ("llama-cpp-table", ()):
        ({"weights": 17114 / 1024, "kv_cache": 832 / 1024,
          "activation": 985 / 1024, "non_torch": 600 / 1024,
          "free": 4550 / 1024}, 24081 / 1024, None, None),
    ("ollama-0.12", ()):
        ({"weights": 4.5, "kv_cache": 2.0, "activation": 1.0,
          "free_or_not_told": 16.5}, 24, None, None),
    ("ollama-0.5", ()):
        ({"weights": 4.0, "kv_cache": 1.0, "activation": 0.5,
          "free_or_not_told": 18.5}, 24, None, None),
    ("pytorch-summary", ()):
        ({"tensors": 10.0, "unallocated": 4.0}, None, None, None),
    ("pytorch-oom", ()):
        ({"mine": 20.0, "unallocated": 2.0, "non_torch": 0.5, "free": 1.0},
         23.5, None, None),
}


def memory(name, *words):
    path = LOGS / f"{name}.log"
    return subprocess.run([PROGRAM, "memory", path, *words], check=False,
                          capture_output=True, text=True)


def middle(amount):
    """Of what JSON says exactly or as {low, high}."""
    if isinstance(amount, dict):
        return (amount["low"] + amount["high"]) / 2
    return amount


class Breakdown(unittest.TestCase):
    def answer(self, name, *words, status=0):
        done = memory(name, "--format", "json", *words)
        self.assertEqual((done.returncode, done.stderr), (status, ""), name)
        told = json.loads(done.stdout)
        jsonschema.validate(told, SCHEMA)
        return told

    def test_parts(self):
        for (name, words), (parts, whole, tokens, at_once) in STARTS.items():
            with self.subTest(name=name, words=words):
                told = self.answer(name, *words)
                card = told["cards"][0]
                got = {p["part"]: p["bytes"] / GIB for p in card["parts"]}
                want = {part: size if size is not None else got.get(part)
                        for part, size in parts.items()}
                for part in set(got) | set(want):
                    self.assertAlmostEqual(got.get(part, -1),
                                           want.get(part, -1), delta=0.03,
                                           msg=f"{part}: {got}")
                if whole is None:
                    self.assertIsNone(card["whole"])
                elif name != "llama-cpp-two-gpus":
                    self.assertAlmostEqual(card["whole"] / GIB, whole,
                                           delta=0.02)
                self.assertEqual(middle(told["kv"]["tokens"]), tokens)
                if at_once is not None:
                    self.assertAlmostEqual(
                        middle(told["kv"]["max_concurrency"]), at_once,
                        delta=0.01)

    def test_sum_closes(self):
        """On every GPU of every log: nothing is left unnamed."""
        for name, words in STARTS:
            for card in self.answer(name, *words)["cards"]:
                total = sum(part["bytes"] for part in card["parts"])
                if card["whole"] is None:
                    self.assertIsNone(card["closes"])
                    continue
                self.assertTrue(card["closes"], name)
                self.assertLess(abs(card["whole"] - total), 64 * MIB, name)

    def test_ranks_apart(self):
        cards = self.answer("vllm-0.11-two-ranks")["cards"]
        pools = [next(p["bytes"] for p in card["parts"]
                      if p["part"] == "kv_cache") for card in cards]
        self.assertEqual([card["rank"] for card in cards], [0, 1])
        self.assertEqual([pool / GIB for pool in pools], [37.0, 36.75])

    def test_parts_above_the_whole(self):
        told = self.answer("vllm-0.9", "--set", "gpu_total=40GiB")
        self.assertIs(told["cards"][0]["closes"], False)

    def test_same_weights_again_are_another_start(self):
        log = (LOGS / "llama-cpp-two-gpus.log").read_text()
        done = subprocess.run([PROGRAM, "memory", "-", "--format", "json"],
                              input=log + log, check=False,
                              capture_output=True, text=True)
        once = self.answer("llama-cpp-two-gpus")["cards"][0]["parts"]
        twice = json.loads(done.stdout)["cards"][0]["parts"]
        self.assertEqual([p["bytes"] for p in once],
                         [p["bytes"] for p in twice])

    def test_nothing(self):
        self.assertEqual(self.answer("nothing", status=1)["cards"], [])
        self.assertEqual(memory("missing").returncode, 2)

    def test_people(self):
        for lang, words in (("en", ["weights", "KV cache", "left unused"]),
                            ("zh", ["权重", "KV 缓存", "预留不用"])):
            for form in ("text", "markdown", "html", "csv"):
                done = memory("vllm-0.7", "--lang", lang, "--format", form)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for word in words:
                    self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
