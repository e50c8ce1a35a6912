#!/usr/bin/env python3
"""Every formula that the program prints gives its own result.

Some hundred questions of `fit`, over all engines, and a report on every sample
log of the corpus: each formula in the JSON is parsed from its text, evaluated,
and held against the result that stands behind its last "=". A printed 15.26
GiB is every number that prints so. test_formulas.c does the same inside the
library, case by case; here it is the program as its users have it.
"""
import itertools
import json
import math
import os
import re
import subprocess
import unittest
from glob import glob

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
FUNCTIONS = {"floor": math.floor, "ceil": math.ceil}
TOKEN = re.compile(r"\s*((?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
                   r"|[-+/(),]|[A-Za-z_][\w-]*)")


class Unreadable(Exception):
    """The text is no formula."""


class Reader:
    """An interval [low, high] out of a text; words that are no operator,
    function or unit are labels."""

    def __init__(self, text):
        self.words, at = [], 0
        text = text.rstrip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise Unreadable(text[at:])
            self.words.append(found.group(1))
            at = found.end()
        self.at = 0

    def peek(self):
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def is_between(self):
        """The "to" of "1 to 2 GiB", not that of a sentence."""
        after = "".join(self.words[self.at + 1:self.at + 2])
        return self.peek() == "to" and re.match(r"\d|-", after)

    def skip_labels(self):
        while re.match(r"[A-Za-z_]", self.peek()) and self.peek() != "x" and \
                self.peek() not in UNITS and not self.is_between() and \
                self.peek() not in ("floor", "ceil", "min", "max"):
            self.take()

    def scaled(self, low, high, half):
        if self.peek() in UNITS:
            unit = UNITS[self.take()]
            low, high = (low - half) * unit, (high + half) * unit
        self.skip_labels()
        return low, high

    def primary(self):
        self.skip_labels()
        word = self.peek()
        if word in FUNCTIONS or word in ("min", "max"):
            self.take()
            values = self.bracket()
            if word in FUNCTIONS:
                low, high = (FUNCTIONS[word](n) for n in values[0])
            else:
                pick = min if word == "min" else max
                low = pick(v[0] for v in values)
                high = pick(v[1] for v in values)
            return self.scaled(low, high, 0)
        if word == "(":
            return self.scaled(*self.bracket()[0], 0)
        sign = 1
        if word == "-":
            self.take()
            sign = -1
        if not re.match(r"\d", self.peek()):
            raise Unreadable(" ".join(self.words))
        number = sign * float(self.take().replace(",", ""))
        return self.scaled(number, number, 0.0050001)

    def bracket(self):
        self.take()
        values = [self.sum()]
        while self.peek() == ",":
            self.take()
            values.append(self.sum())
        if self.peek() != ")":
            raise Unreadable(" ".join(self.words))
        self.take()
        return values

    def product(self):
        low, high = self.primary()
        while self.peek() in ("x", "/"):
            by = self.take()
            a, b = self.primary()
            if by == "/":
                a, b = 1 / b, 1 / a
            ends = [low * a, low * b, high * a, high * b]
            low, high = min(ends), max(ends)
        return low, high

    def sum(self):
        low, high = self.product()
        while self.peek() in ("+", "-"):
            by = self.take()
            a, b = self.product()
            low, high = (low + a, high + b) if by == "+" else (low - b,
                                                               high - a)
        return low, high

    def all(self):
        low, high = self.sum()
        if self.is_between():
            self.take()
            high = self.sum()[1]
        if self.at != len(self.words):
            raise Unreadable(" ".join(self.words))
        return low, high


def parts(formula):
    """At each ";" outside of brackets."""
    return re.split(r";\s*(?![^\[]*\])", formula)


def wrong(part):
    """None where the part holds, is a value alone, or says in words how a
    fact was derived; else what it gives."""
    text = part.split(" [")[0]
    sides = text.split(" = ")
    if len(sides) < 2:
        return "an equation without a name" if "=" in text else None
    if len(sides) == 2:
        Reader(sides[1].split(" <= ")[0]).all()
        return None
    low, high = Reader(sides[1]).all()
    shown, *limit = sides[2].split(" <= ")
    least, most = Reader(shown).all()
    slack = abs(most) * 1e-6 + 0.5
    if low > most + slack or least > high + slack:
        return f"gives {low:.0f} to {high:.0f}"
    if limit and least > Reader(limit[0]).all()[1]:
        return "is above its limit"
    return None


def formulas_in(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "formula" and isinstance(value, str):
                yield value
            elif key == "formulas":
                yield from value
            else:
                yield from formulas_in(value)
    elif isinstance(node, list):
        for value in node:
            yield from formulas_in(value)


def printed(*words, stdin=b""):
    done = subprocess.run([OOMKB, *map(str, words)], input=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, env={"PATH": os.environ["PATH"],
                                            "LANG": "C"})
    return list(formulas_in(json.loads(done.stdout)))


ENGINES = ["vllm", "sglang", "tensorrt-llm", "tgi", "lmdeploy", "transformers",
           "mlx", "exllama", "llama.cpp", "ollama"]
MODELS = ["meta-llama/Llama-3.1-8B-Instruct", "google/gemma-3-27b-it",
          "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-Next-80B-A3B-Instruct",
          "openai/gpt-oss-20b", "meta-llama/Llama-3.3-70B-Instruct"]
SETTINGS = [["--gpu", "RTX 4090"], ["--gpu", "H200", "--tp", 2, "--gpus", 2],
            ["--gpu", "A100 80GB", "--max-model-len", 5000,
             "--quantization", "awq"],
            ["--kv-available", "3.81GiB", "--max-model-len", 9000]]
LAYOUTS = ["deepseek-ai/DeepSeek-V4-Flash", "deepseek-ai/DeepSeek-V3.2",
           "Qwen/Qwen3.5-27B", "nvidia/Nemotron-H-8B-Base-8K",
           "moonshotai/Kimi-K3", "ai21labs/AI21-Jamba-Mini-1.5",
           "meta-llama/Llama-4-Scout-17B-16E-Instruct",
           "openai/whisper-large-v3", "MiniMaxAI/MiniMax-M3"]
LAYOUT_SETTINGS = [[], ["tensor_parallel=8", "decode_context_parallel=4"],
                   ["prefix_caching=true", "max_num_batched_tokens=8192"],
                   ["mamba_cache_mode=all", "kv_cache_dtype=fp8"],
                   ["num_speculative_tokens=2", "speculative_method=mtp"],
                   ["hybrid_kv_disabled=true", "pipeline_parallel=3"]]
TRAINING = [[], ["zero_stage=3", "gpu_count=8"],
            ["lora_rank=16", "quantization=bitsandbytes"],
            ["optimizer=adamw_8bit", "gradient_checkpointing=true"],
            ["optimizer=sgd", "precision=full", "batch_size=4"],
            ["offload=all", "zero_stage=2", "gpu_count=4"]]


class Formulas(unittest.TestCase):
    def hold(self, formulas, where):
        checked = 0
        for formula in formulas:
            for part in parts(formula):
                with self.subTest(where=where, part=part):
                    try:
                        self.assertIsNone(wrong(part))
                    except Unreadable as text:
                        self.fail(f"cannot read {text}")
                checked += " = " in part.split(" = ", 1)[-1]
        return checked

    def test_a_wrong_one_is_noticed(self):
        self.assertIsNotNone(wrong("a = 2 x 3 = 7 bytes"))
        self.assertIsNotNone(wrong("a = 2 x 3.00 GiB = 6.02 GiB"))
        self.assertIsNone(wrong("a = (2 + 1) layers x 3.00 GiB = 9.01 GiB"))
        self.assertIsNone(wrong("a at most = ceil(7 / 2) blocks x 2 = 8"))
        self.assertIsNone(wrong("a = 1.00 to 2.00 GiB [model: x = y; z]"))

    def test_of_fit(self):
        checked = {}
        for engine, model, words in itertools.product(ENGINES, MODELS,
                                                      SETTINGS):
            found = printed("fit", "--format", "json", "--engine", engine,
                            "--model", model, *words)
            checked[engine] = checked.get(engine, 0) + self.hold(
                found, (engine, model, words))
        for engine, count in checked.items():
            self.assertGreater(count, 10, engine)

    def test_of_fit_for_vllm_releases(self):
        for version, model in itertools.product(
                ("0.2.7", "0.6.4", "0.8.5", "0.9.2", "0.11.0", "0.15.1",
                 "0.19.0"), MODELS):
            self.hold(printed("fit", "--format", "json", "--model", model,
                              "--engine-version", version, "--gpu",
                              "A100 80GB"), (version, model))

    def test_of_unlike_layouts(self):
        for model, facts, version in itertools.product(
                LAYOUTS, LAYOUT_SETTINGS, ("0.13.0", "0.18.0", "0.27.1")):
            words = [w for fact in facts for w in ("--set", fact)]
            self.hold(printed("fit", "--format", "json", "--model", model,
                              "--engine-version", version, "--kv-available",
                              "40GiB", "--max-model-len", 33000, *words),
                      (model, facts, version))

    def test_of_training(self):
        for engine, model, facts in itertools.product(
                ("deepspeed", "fsdp", "transformers"), MODELS, TRAINING):
            words = [w for fact in ["batch_size=1", *facts]
                     for w in ("--set", fact)]
            words += ["--set", "optimizer=adamw"] if not facts else []
            found = printed("fit", "--format", "json", "--engine", engine,
                            "--model", model, "--gpu", "H100 80GB", *words)
            self.assertGreater(self.hold(found, (engine, model, facts)), 1)

    def test_of_reports(self):
        checked = 0
        for path in sorted(glob(os.path.join(ROOT, "entries", "**", "*.log"),
                                recursive=True)):
            with open(path, "rb") as file:
                found = printed("--format", "json", stdin=file.read())
            checked += self.hold(found, os.path.relpath(path, ROOT))
        self.assertGreater(checked, 20)


if __name__ == "__main__":
    unittest.main()
