#!/usr/bin/env python3
"""DeepSpeed's own estimators as an oracle for what training takes.

    deepspeed_run.py ask [RELEASE...]    releases not asked yet, or these
    deepspeed_run.py check OOMKB         `oomkb fit` against the answers, offline

The two functions are pure sums (estimate_zero2_model_states_mem_needs,
estimate_zero3_model_states_mem_needs): they are taken out of the release's
file and called alone. Answers go to tests/data/oracle/deepspeed.jsonl: a line
for each question, with runs of releases that answer alike. They are bytes of a
GPU for weights, gradients and optimizer state; `fit` gives a range for each.
"""
import ast
import collections
import json
import os
import subprocess
import sys

from engines import runs
from release import fetch, is_final, order, releases_of

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "oracle", "deepspeed.jsonl")
FILES = {2: ("stage_1_and_2.py", "estimate_zero2_model_states_mem_needs"),
         3: ("stage3.py", "estimate_zero3_model_states_mem_needs")}
FIRST = "0.12.0"
MODELS = ["Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-1.5B", "meta-llama/Llama-2-7b-hf",
          "Qwen/Qwen2.5-7B-Instruct", "meta-llama/Llama-2-13b-hf",
          "Qwen/Qwen2.5-32B-Instruct", "meta-llama/Llama-2-70b-hf"]
GPUS = [1, 2, 4, 8]
ROUNDED = 8  # bytes
STATES = ("weights", "gradients", "optimizer")


def questions(program):
    """Parameters are the catalogue's: the sums are asked, not the models."""
    done = subprocess.run([program, "list", "models", "--format", "json"],
                          stdout=subprocess.PIPE, check=True)
    params = {one["name"]: one["parameters"]
              for one in json.loads(done.stdout)["models"]}
    return [{"model": model, "params": params[model], "gpus": gpus,
             "stage": stage, "offload": offload}
            for model in MODELS if model in params for gpus in GPUS
            for stage in (2, 3) for offload in ("none", "optimizer", "all")
            if stage == 3 or offload != "all"]


def function_of(home, stage):
    name, function = FILES[stage]
    path = os.path.join(home, "deepspeed", "runtime", "zero", name)
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found = [one for one in tree.body
             if isinstance(one, ast.FunctionDef) and one.name == function]
    space = {}
    exec(compile(ast.Module(found, []), path, "exec"), space)  # pylint: disable=exec-used
    return space[function]


def ask(release, asked):
    home = fetch("deepspeed", release)
    by_stage = {stage: function_of(home, stage) for stage in FILES}
    out = []
    for one in asked:
        words = {"num_gpus_per_node": one["gpus"],
                 "cpu_offload": one["offload"] != "none"}
        if one["stage"] == 3:
            words["largest_layer_params"] = 0
            words["cpu_offload_params"] = one["offload"] == "all"
        out.append(by_stage[one["stage"]](one["params"], **words)[1])
    return out


def load():
    with open(DATA, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return lines[0]["releases"], lines[1:]


def ask_all(words):
    asked = questions(os.environ.get("OOMKB", "build/oomkb"))
    there = words or [one for one in releases_of("deepspeed")
                      if is_final(one) and order(one) >= order(FIRST)]
    answers = {release: ask(release, asked) for release in there}
    releases = sorted(answers, key=order)
    with open(DATA, "w", encoding="utf-8") as file:
        file.write(json.dumps({"releases": releases}) + "\n")
        for i, question in enumerate(asked):
            line = {**question, "runs": runs(
                [(one, answers[one][i]) for one in releases])}
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    print(f"deepspeed: {len(releases)} releases, {len(asked)} questions")


def fit(program, one):
    words = [program, "fit", "--format", "json", "--engine", "deepspeed",
             "--model", one["model"], "--gpu-memory", "80GiB", "--gpus",
             str(one["gpus"])]
    facts = ["task=train", "optimizer=adamw", "batch_size=1", "seq_len=512",
             f"zero_stage={one['stage']}"]
    if one["offload"] != "none":
        facts.append(f"offload={one['offload']}")
    for fact in facts:
        words += ["--set", fact]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    low = high = 0
    for part in json.loads(done.stdout)["budget"]:
        if part["part"] in STATES:
            is_range = isinstance(part["bytes"], dict)
            low += part["bytes"]["low"] if is_range else part["bytes"]
            high += part["bytes"]["high"] if is_range else part["bytes"]
    return low, high


BOTH = ("stage 2 without offload counts gradients in 16 and in 32 bits, as "
        "they stand side by side for a moment of the step")
WHOLE = ("stage 2 without offload counts the 16-bit gradients whole, though "
         "each GPU keeps its part; mended in 0.14.3")


def reason(one, theirs, high):
    """Why DeepSpeed's sum lies above the range; None: nobody knows."""
    params, gpus = one["params"], one["gpus"]
    if one["stage"] != 2 or one["offload"] != "none":
        return None
    if abs(theirs - high - 2 * params // gpus) <= ROUNDED:
        return BOTH
    is_whole = abs(theirs - 4 * params - 16 * params // gpus) <= ROUNDED
    return WHOLE if is_whole else None


def compare(program):
    """(releases, questions, {inside, differ or a reason: numbers}, lines)."""
    releases, asked = load()
    count, lines = collections.Counter(), []
    for one in asked:
        low, high = fit(program, one)
        for first, last, theirs in one["runs"]:
            named = sum(order(first) <= order(r) <= order(last)
                        for r in releases)
            why = "inside" if low - ROUNDED <= theirs <= high + ROUNDED else \
                reason(one, theirs, high) or "differ"
            count[why] += named
            if why == "differ":
                lines.append(f"{first} to {last}, {one['model']} on "
                             f"{one['gpus']}, stage {one['stage']}, offload "
                             f"{one['offload']}: fit {low} to {high}, "
                             f"DeepSpeed {theirs}")
    return releases, asked, count, lines


def section(program):
    """Of docs/ORACLES.md."""
    releases, asked, count, _ = compare(program)
    models = {one["model"] for one in asked}
    return ["", "## DeepSpeed", "",
            "Weights, gradients and optimizer state on a GPU, by DeepSpeed's "
            "`estimate_zero2_model_states_mem_needs` and",
            "`estimate_zero3_model_states_mem_needs` (without its largest "
            "layer), against the range that `fit --engine deepspeed` gives.",
            "", f"{len(releases)} releases ({releases[0]} to {releases[-1]}), "
            f"{len(models)} models, 1 to 8 GPUs, stages 2 and 3, with and "
            f"without offload: {sum(count.values()):,} numbers.",
            f"{count['inside']:,} lie in the range, {count['differ']} differ "
            "without a reason, and above the range lie:", ""] + [
                f"- {count[why]:,}: {why}." for why in (BOTH, WHOLE)]


def check(program):
    releases, asked, count, lines = compare(program)
    print("\n".join(lines + [
        f"DeepSpeed: {len(releases)} releases, {len(asked)} questions: {dict(count)}"]))
    return 1 if count["differ"] or not asked else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["ask"]:
        ask_all(sys.argv[2:])
    else:
        sys.exit(check(sys.argv[2]))
