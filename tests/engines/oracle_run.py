#!/usr/bin/env python3
"""`make oracle`: `oomkb fit` against what the engines themselves answered.

    oracle_run.py OOMKB [--write docs/ORACLES.md] [--ends]

--ends: of releases that answer alike only the first and the last.


Reads tests/data/oracle/*.jsonl (see engines.py) and asks the program the same
questions. A number agrees where the program gives that very number; where it
gives a range because a setting is open, and the range holds the engine's, it is
counted apart as a range. No number differs: the test fails where one does.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

import accelerate_run
import deepspeed_run
import messages as message_run
import sglang_oracle
from release import order

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "oracle", "vllm.jsonl")
KEYS = ["blocks", "tokens", "max_concurrency", "bytes_per_request",
        "est_max_model_len"]
WINDOWS_ALONE = {"HuggingFaceH4/zephyr-7b-beta"}  # no layer without one
NAMES = ["blocks", "tokens", "concurrency", "bytes of a request",
         "estimated length"]


def load(path=DATA):
    """(releases, questions)."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return lines[0]["releases"], lines[1:]


def fit(program, question, release):
    words = [program, "fit", "--format", "json", "--engine-version", release,
             "--model", question["model"],
             "--block-size", question["block_size"],
             "--kv-cache-dtype", question["kv_dtype"],
             "--tp", question["tp"],
             "--max-model-len", question["max_model_len"],
             "--max-num-batched-tokens", question["max_num_batched_tokens"],
             "--kv-available", question["available"]]
    if question.get("hybrid_kv_disabled"):
        words += ["--set", "hybrid_kv_disabled=true"]
    done = subprocess.run([str(word) for word in words], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not done.stdout:
        raise SystemExit(done.stderr.decode())
    return json.loads(done.stdout)["kv"]


def verdict(mine, theirs, is_ratio):
    """agree, range or differ."""
    if mine is None:
        return "differ"
    low, high = (mine["low"], mine["high"]) if isinstance(mine, dict) else \
        (mine, mine)
    slack = 0.0051 if is_ratio else 0
    if abs(low - theirs) <= slack and abs(high - theirs) <= slack:
        return "agree"
    return "range" if low - slack <= theirs <= high + slack else "differ"


def high(amount):
    return amount["high"] if isinstance(amount, dict) else amount


def check(program, question, release, answer):
    """[(name, verdict, mine, theirs)] of one answer."""
    kv = fit(program, question, release)
    out = []
    for key, name, theirs in zip(KEYS, NAMES, answer):
        if theirs is None or (key == "blocks" and answer[4] is not None):
            continue
        out.append((name, verdict(kv[key], theirs, key == "max_concurrency"),
                    kv[key], theirs))
    # It starts as well where it prints that less than one request has room.
    # Until 0.9.0.1 it divided tokens by the length, whatever a window spares.
    spares = question["model"] in WINDOWS_ALONE and \
        order(release) < order("0.9.1")
    refuses = answer[2] is None or (answer[2] < 1 and not spares)
    # From 0.8.3 on a request of all blocks waits for ever, and until 0.29 it
    # starts: vllm-project/vllm#47272.
    waits = not refuses and order("0.8.3") <= order(release) < order("0.29.0") \
        and high(kv["bytes_per_request"]) + high(kv["bytes_per_block"]) > \
        question["available"]
    refuses = refuses or waits
    out.append(("verdict", "agree" if kv["fits"] is not refuses else "differ",
                kv["fits"], not refuses))
    return out


def asked(releases, questions, every):
    """(question, release, answer, how many releases answer so)."""
    for question in questions:
        for first, last, answer in question["runs"]:
            if isinstance(answer, str):
                continue
            inside = [one for one in releases
                      if order(first) <= order(one) <= order(last)]
            for release in inside if every else sorted({first, last}):
                yield question, release, answer


def compare(program, every=True):
    releases, questions = load()
    rows = list(asked(releases, questions, every))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda row: check(program, *row), rows)
        return releases, questions, list(zip(rows, found))


# Looked at on 2026-11-28 (transformers 5.24.0, accelerate 1.15.0).
NOT_ASKED = [
    "", "## Not asked", "",
    "- transformers: no `config.json` of any model is in the package. The "
    "defaults of 133 configuration classes stand beside", "  the name of a "
    "model that the catalogue has; 247 of 398 of their numbers (layers, width, "
    "heads, vocabulary) are", "  that model's. A default is no model, so the "
    "catalogue is not held against them."]


def totals(results):
    """Per release: how many numbers agree, are in a range, differ."""
    count = collections.defaultdict(collections.Counter)
    for (_, release, _), checks in results:
        for _, said, _, _ in checks:
            count[release][said] += 1
    return count


def differences(results):
    """[(question, release, name, mine, theirs)]."""
    return [(question, release, name, mine, theirs)
            for (question, release, _), checks in results
            for name, said, mine, theirs in checks if said == "differ"]


def changed(questions):
    """How many questions a release answers otherwise than the one before."""
    count = collections.Counter()
    for question in questions:
        for before, after in zip(question["runs"], question["runs"][1:]):
            if before[2] != after[2]:
                count[after[0]] += 1
    return count


def settings_of(question):
    return (f"block {question['block_size']}, cache {question['kv_dtype']}, "
            f"TP {question['tp']}, {question['max_model_len']:,} tokens, "
            f"{question['available']:,} bytes" +
            (", hybrid manager off" if question.get("hybrid_kv_disabled")
             else ""))


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + [
        "| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def page(program, releases, questions, results):
    count, moved = totals(results), changed(questions)
    whole = sum(count.values(), collections.Counter())
    models = {question["model"] for question in questions}
    out = ["# The engines as oracles", "",
           "Written by `make oracle`. Releases were installed without a GPU and "
           "their own functions asked; the figures are stored", "in "
           "`tests/data/oracle/`. Here `oomkb fit` answers the same questions.",
           "", "## vLLM", "",
           f"{len(releases)} releases, {len(models)} models, "
           f"{len(questions)} questions: {sum(whole.values()):,} numbers "
           f"(blocks, tokens, concurrency, bytes of a request, estimated "
           f"length, verdict). {whole['agree']:,} are the same, "
           f"{whole['range']} lie in a range that a setting leaves open, "
           f"{whole['differ']} differ.", "",
           "`changed` is how many questions a release answers otherwise than "
           "the one before. Until 0.7 the first engine", "is asked "
           "(`CacheEngine.get_cache_block_size`, `raise_if_cache_size_invalid"
           "`), then the second (`get_kv_cache_configs`", "and its "
           "checks). Blocks that a refusal leaves out are not compared.", ""]
    out += table(["release", "same", "range", "differ", "changed"],
                 [[one, count[one]["agree"], count[one]["range"],
                   count[one]["differ"], moved[one]] for one in releases])
    out += sglang_oracle.section(sglang_oracle.compare(program, True)[0])
    out += deepspeed_run.section(program) + accelerate_run.section(program)
    out += NOT_ASKED + messages()
    return "\n".join(out) + "\n"


def message_table(rows):
    """Entry x release of one package."""
    releases = [row["release"] for row in rows]
    entries = sorted({entry for row in rows for entry in row["known"]})
    out = [[f"`{entry}`"] + [row["known"].get(entry, "") for row in rows]
           for entry in entries]
    out.append(["by no entry"] + [sum(row["unknown"].values())
                                  for row in rows])
    last = rows[-1]
    return ["", f"### {last['package']}", ""] + table(
        ["entry"] + releases, out) + (
        ["", f"By no entry in {last['release']}:", ""] + [
            f"- {count}: {why or 'no reason is given'}"
            for why, count in sorted(last["unknown"].items(),
                                     key=lambda one: (-one[1], one[0]))]
        if last["unknown"] else [])


def messages():
    """The part of the page on messages (the data are messages.py's)."""
    rows = message_run.load()
    out = ["", "## Messages", "",
           "Messages of a release that are raised or logged as an error and "
           "speak of missing memory, filled in and given to the program:",
           "how many of them each entry answers. Those that none answers have "
           "a reason in `tests/engines/uncovered.yaml`."]
    for package in dict.fromkeys(row["package"] for row in rows):
        out += message_table([row for row in rows
                              if row["package"] == package])
    return out


def main(words):
    program = words[0]
    releases, questions, results = compare(program, "--ends" not in words)
    count = totals(results)
    whole = sum(count.values(), collections.Counter())
    print(f"vLLM: {len(releases)} releases, {sum(whole.values())} numbers,",
          dict(whole))
    left = differences(results)
    for question, release, name, mine, theirs in left[:40]:
        print(f"{release} {question['model']} ({settings_of(question)}): "
              f"{name}: fit {mine}, the engine {theirs}")
    if "--write" in words:
        with open(words[words.index("--write") + 1], "w",
                  encoding="utf-8") as file:
            file.write(page(program, releases, questions, results))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
