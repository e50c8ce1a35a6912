#!/usr/bin/env python3
"""How long `fit` thinks: fit_bench.py LIBRARY [--runs N]

The library is called in this process (ctypes), so that neither the start of a
program nor the opening of the index counts: what is measured is one question
to one answer as JSON, in time of the processor, so that what else the machine
does counts as little as can be. Each question is asked RUNS times; the median stands in
the table, with the smallest and the largest. rows() gives the same to
bench.py.
"""
import argparse
import ctypes
import os
import statistics
import sys
import time

RUNS = 101
LIMIT_MS = 5.0

QUESTIONS = [
    ("a model that fits", ["model=meta-llama/Llama-3.1-8B-Instruct",
                           "gpu=H100 80GB", "max_model_len=8192"]),
    ("one that does not, with its plan",
     ["model=meta-llama/Llama-3.3-70B-Instruct", "gpu=RTX 4090"]),
    ("sliding windows", ["model=google/gemma-3-27b-it", "gpu=RTX 4090"]),
    ("a hybrid with state", ["model=Qwen/Qwen3-Next-80B-A3B-Instruct",
                             "gpu=RTX 4090"]),
    ("latent attention", ["model=deepseek-ai/DeepSeek-V3", "gpu=RTX 4090"]),
    ("SGLang", ["model=google/gemma-3-27b-it", "gpu=RTX 4090",
                "engine=sglang"]),
    ("llama.cpp", ["model=Qwen/Qwen3-30B-A3B", "gpu=RTX 4090",
                   "engine=llama.cpp"]),
    ("a training run", ["model=meta-llama/Llama-3.1-8B-Instruct",
                        "gpu=A100 80GB", "engine=deepspeed"]),
]


class Question(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32),
                ("facts", ctypes.POINTER(ctypes.c_char_p)),
                ("config", ctypes.c_void_p),
                ("config_bytes", ctypes.c_size_t),
                ("config_name", ctypes.c_char_p),
                ("compare", ctypes.c_char_p), ("sweep", ctypes.c_char_p),
                ("report", ctypes.c_void_p)]


WRITER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p,
                          ctypes.c_size_t)


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.kb = ctypes.c_void_p()
        if self.lib.oomkb_open(None, ctypes.byref(self.kb), None) != 0:
            sys.exit(f"{path}: the built-in index does not open")
        self.written = 0
        self.writer = WRITER(self.take)

    def take(self, _ctx, _bytes, size):
        self.written += size
        return 0

    def ask(self, facts):
        """Seconds of the processor from question to answer."""
        listed = (ctypes.c_char_p * (len(facts) + 1))(
            *[fact.encode() for fact in facts], None)
        question = Question(size=ctypes.sizeof(Question), facts=listed)
        fits = ctypes.c_int(-1)
        self.written = 0
        began = time.process_time()
        code = self.lib.oomkb_fit_write(
            self.kb, ctypes.byref(question), b"jsonl", None, self.writer,
            None, ctypes.byref(fits), None)
        took = time.process_time() - began
        if code != 0 or self.written == 0:
            sys.exit(f"{facts}: code {code}")
        return took


def rows(path, runs=RUNS):
    """(question, median, least, most), in milliseconds."""
    library = Library(os.path.abspath(path))
    found = []
    for name, facts in QUESTIONS:
        library.ask(facts)
        times = [1000 * library.ask(facts) for _ in range(runs)]
        found.append((name, statistics.median(times), min(times), max(times)))
    return found


def page(found):
    lines = ["| question | ms | least to most |", "| --- | ---: | ---: |"]
    lines += [f"| {name} | {middle:.2f} | {least:.2f} to {most:.2f} |"
              for name, middle, least, most in found]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("--runs", type=int, default=RUNS)
    args = parser.parse_args()
    found = rows(args.library, args.runs)
    sys.stdout.write(page(found))
    slow = [name for name, middle, _, _ in found if middle > LIMIT_MS]
    if slow:
        sys.exit(f"over {LIMIT_MS:g} ms: " + ", ".join(slow))


if __name__ == "__main__":
    main()
