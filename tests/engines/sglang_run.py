#!/usr/bin/env python3
"""`make engines` of SGLang: its default of --mem-fraction-static, and what its
pool holds, as its releases themselves reckon.

    sglang_run.py [RELEASE...]

Each release's own functions answer: sglang_ask.py for cards, ranks and kinds
of model (sglang.jsonl in tests/data/oracle), sglang_pool_ask.py for models of
the catalogue (sglang_pool.jsonl): a line for each question, with runs of
releases that answer alike. Flags and their defaults of every release in the
cache go to sglang_flags.jsonl.
"""
import json
import os
import subprocess
import sys

from engines import runs, write_surfaces
from questions import catalogue, ranks_of
from release import CACHE, fetch, is_final, order, releases_of

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "oracle", "sglang.jsonl")
SURFACES = os.path.join(HERE, "..", "data", "oracle", "sglang_flags.jsonl")
POOL = os.path.join(HERE, "..", "data", "oracle", "sglang_pool.jsonl")
FIRST = "0.5.3"  # before, the heuristic stood in __post_init__
CARDS = [15109, 22528, 24564, 32607, 40960, 46068, 81559, 97871, 143771,
         183359]
# Asked for the pool: those whose functions differ, and the newest.
POOL_RELEASES = ["0.3.6", "0.4.0", "0.4.3.post4", "0.4.6.post5",
                 "0.4.9.post6", "0.5.3", "0.5.6", "0.5.9", "0.5.12", "0.5.15",
                 "0.5.16", "0.5.18", "0.5.20", "0.5.21", "0.5.22", "0.5.23"]
# Layers that all keep whole sequences, alike or as latents.
POOL_MODELS = ["meta-llama/Llama-3.1-8B-Instruct",
               "meta-llama/Llama-3.1-70B-Instruct",
               "meta-llama/Llama-2-7b-hf", "Qwen/Qwen2.5-7B-Instruct",
               "Qwen/Qwen3-0.6B", "Qwen/Qwen3-32B", "Qwen/Qwen3-235B-A22B",
               "mistralai/Mixtral-8x7B-Instruct-v0.1", "microsoft/phi-4",
               "google/gemma-7b-it", "zai-org/GLM-4.5-Air",
               "deepseek-ai/DeepSeek-R1", "deepseek-ai/DeepSeek-V2-Lite-Chat",
               "moonshotai/Kimi-K2-Instruct"]
# page, type of the cache, ranks, thousandths, free before, of that weights
POOL_SETTINGS = [
    (1, "auto", 1, 880, 84123456789, 16060522496),
    (1, "fp8_e5m2", 2, 853, 41900000001, 7512345678),
    (1, "auto", 8, 810, 149333333333, 88888888888),
    (64, "auto", 4, 753, 24200000000, 3210987654),
]
ELEMENT = {"bfloat16": 2, "float16": 2, "float32": 4, "fp8_e5m2": 1}
RANKS = [(1, 1), (2, 1), (4, 1), (8, 1), (2, 2)]


def questions():
    return [{"mib": mib, "tp": tp, "pp": pp, "mla": mla,
             "prefill_graphs": graphs}
            for mib in CARDS for tp, pp in RANKS
            for mla in (False, True) for graphs in (False, True)]


def layer_of(model):
    group = model["groups"][0]
    if group["kind"] == "mla":
        rope = group["rope_dim"]
        return {"lora": group["latent_dim"] - rope, "rope": rope}
    return {"kv_heads": group["kv_heads"], "k_dim": group["k_dim"],
            "v_dim": group["v_dim"]}


def pool_questions():
    models = catalogue()
    for name in POOL_MODELS:
        model = models[name]
        for page, kv, tp, fraction, before, weights in POOL_SETTINGS:
            yield {"model": name, "page": page, "kv_dtype": kv,
                   "tp": ranks_of(model, tp), "fraction": fraction,
                   "before": before, "weights": weights,
                   "layers": model["layers"],
                   "element": ELEMENT[model["dtype"] if kv == "auto" else kv],
                   **layer_of(model)}


def ask(release, asked, script="sglang_ask.py"):
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, script),
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
        return {}, list(pool_questions() if path == POOL else questions())
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


def add(path, releases, script):
    """Asks these releases, and writes what they and others answered."""
    answers, asked = load(path)
    for release in releases:
        found = ask(release, asked, script)
        if found is not None:
            answers[release] = found
    there = sorted(answers, key=order)
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"releases": there}) + "\n")
        for i, question in enumerate(asked):
            line = {**question, "runs": runs(
                [(one, answers[one][i]) for one in there])}
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    print(f"sglang: {len(there)} releases, {len(asked)} questions of "
          f"{script}")


def main(words):
    there = [one for one in releases_of("sglang")
             if is_final(one) and order(one) >= order(FIRST)]
    known = load(DATA)[0]
    add(DATA, words or [one for one in there if one not in known],
        "sglang_ask.py")
    known = load(POOL)[0]
    add(POOL, words or [one for one in POOL_RELEASES + [there[-1]]
                        if one not in known], "sglang_pool_ask.py")
    write_surfaces("sglang", sorted(os.listdir(os.path.join(CACHE, "sglang")),
                                    key=order), SURFACES)


if __name__ == "__main__":
    main(sys.argv[1:])
