#!/usr/bin/env python3
"""`make engines ENGINE=sglang`: SGLang's default of --mem-fraction-static, as
its releases themselves choose it.

    sglang_run.py [RELEASE...]

Each release's own function (sglang_ask.py) answers for cards, ranks and kinds
of model; answers go to tests/data/oracle/sglang.jsonl: a line for each
question, with runs of releases that answer alike. Flags and their defaults of
every release in the cache go to sglang_flags.jsonl.
"""
import json
import os
import subprocess
import sys

from engines import runs, write_surfaces
from release import CACHE, fetch, is_final, order, releases_of

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "oracle", "sglang.jsonl")
SURFACES = os.path.join(HERE, "..", "data", "oracle", "sglang_flags.jsonl")
FIRST = "0.5.3"  # before, the heuristic stood in __post_init__
CARDS = [15109, 22528, 24564, 32607, 40960, 46068, 81559, 97871, 143771,
         183359]
RANKS = [(1, 1), (2, 1), (4, 1), (8, 1), (2, 2)]


def questions():
    return [{"mib": mib, "tp": tp, "pp": pp, "mla": mla,
             "prefill_graphs": graphs}
            for mib in CARDS for tp, pp in RANKS
            for mla in (False, True) for graphs in (False, True)]


def ask(release, asked):
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, "sglang_ask.py"),
         fetch("sglang", release)],
        input="\n".join(json.dumps(one) for one in asked), encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    out = [json.loads(line) for line in done.stdout.splitlines()]
    if len(out) != len(asked):
        print(f"sglang {release}: not asked: "
              f"{done.stderr.strip().splitlines()[-1:]}")
        return None
    return out


def load(path=DATA):
    """({release: [answer of each question]}, questions)."""
    if not os.path.exists(path):
        return {}, questions()
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    releases = lines[0]["releases"]
    answers = {one: [] for one in releases}
    for line in lines[1:]:
        for first, last, answer in line.pop("runs"):
            for one in releases:
                if order(first) <= order(one) <= order(last):
                    answers[one].append(answer)
    return answers, lines[1:]


def main(words):
    answers, asked = load()
    there = [one for one in releases_of("sglang")
             if is_final(one) and order(one) >= order(FIRST)]
    for release in words or [one for one in there if one not in answers]:
        found = ask(release, asked)
        if found is not None:
            answers[release] = found
    releases = sorted(answers, key=order)
    with open(DATA, "w", encoding="utf-8") as file:
        file.write(json.dumps({"releases": releases}) + "\n")
        for i, question in enumerate(asked):
            line = {**question, "runs": runs(
                [(one, answers[one][i]) for one in releases])}
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    write_surfaces("sglang", sorted(os.listdir(os.path.join(CACHE, "sglang")),
                                    key=order), SURFACES)
    print(f"sglang: {len(releases)} releases, {len(asked)} questions")


if __name__ == "__main__":
    main(sys.argv[1:])
