#!/usr/bin/env python3
"""Models as people write them (names.tsv), asked of the whole catalogue. A
match that is a guess has to be said to be one."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
LEAST_NAMES = 120


def rows():
    with open(os.path.join(HERE, "names.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def resolve(name):
    """(id, sure or guess), or two dashes where nothing is known."""
    done = subprocess.run(
        [OOMKB, "fit", "--format", "json", "--kv-available", "1GiB",
         "--model", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        check=False)
    if done.returncode == 2 and b"unknown model" in done.stdout + done.stderr:
        return "-", "-"
    fact = json.loads(done.stdout)["inputs"]["model"]
    return fact["value"], "guess" if "guess" in fact.get("why", "") else "sure"


def main():
    wrong, count = 0, 0
    for name, model, how in rows():
        count += 1
        found = resolve(name)
        if found != (model, how):
            wrong += 1
            print(f"{name}: wanted {model} ({how}), found "
                  f"{found[0]} ({found[1]})")
    print(f"{count} names, {count - wrong} as wanted")
    if wrong or count < LEAST_NAMES:
        sys.exit(1)


if __name__ == "__main__":
    main()
