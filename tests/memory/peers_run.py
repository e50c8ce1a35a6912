#!/usr/bin/env python3
"""oomkb beside four calculators, on the same twelve models.

    peers_run.py OOMKB [PAGE]

Asks `oomkb fit` and works out what the rule of each calculator gives for the
same question, with the shapes in kb/models/. The rules are written again here,
a few lines each, from their sources (linked on the page); the tools themselves
are not run. Where an engine printed the number, that is the measure. PAGE is
written only when every number could be worked out; without it the page goes to
standard output.
"""
import json
import os
import subprocess
import sys
from collections import namedtuple
from glob import glob

import yaml

GIB = 1 << 30
KB = os.path.join(os.path.dirname(__file__), "..", "..", "kb", "models")

# printed: bytes per token and GPU as an engine or a paper printed it, and
# where; None where none was found.
Case = namedtuple("Case", "model tokens tp printed said link")
ISSUE = "https://github.com/{}/issues/{}"
VLLM, LLAMA = "vllm-project/vllm", "ggml-org/llama.cpp"
CASES = [
    Case("meta-llama/Llama-3.1-8B-Instruct", 131072, 1, 131072,
         "vLLM: 2,048 blocks of 16 in 4 GiB", ISSUE.format(VLLM, 10517)),
    Case("Qwen/Qwen2.5-7B-Instruct", 32768, 1, 57344,
         "vLLM: 4,681 blocks of 16 in 4 GiB", ISSUE.format(VLLM, 10116)),
    Case("mistralai/Mistral-7B-Instruct-v0.3", 32768, 1, 131072,
         "llama.cpp: 4,096 MiB for 32,768 cells", ISSUE.format(LLAMA, 10080)),
    Case("google/gemma-3-27b-it", 131072, 1, None, "", ""),
    Case("deepseek-ai/DeepSeek-V3", 131072, 1, 70272,
         "SGLang: 17.99 GiB for 274,934 tokens",
         ISSUE.format("sgl-project/sglang", 6027)),
    Case("Qwen/Qwen3-30B-A3B", 32768, 1, 98304,
         "vLLM, the Coder of the same layers: 24.0 GiB for 262,144 tokens",
         ISSUE.format(VLLM, 34076)),
    Case("openai/gpt-oss-20b", 131072, 1, None, "", ""),
    Case("microsoft/Phi-3-mini-128k-instruct", 131072, 1, 393216,
         "llama.cpp: 49,152 MiB for 131,072 cells", ISSUE.format(LLAMA, 9049)),
    Case("mistralai/Mixtral-8x7B-Instruct-v0.1", 32768, 1, 131072,
         "vLLM: 2,048 blocks of 16 in 4 GiB", ISSUE.format(VLLM, 2621)),
    Case("meta-llama/Llama-3.1-70B-Instruct", 131072, 4, 81920,
         "llama.cpp: 2,570 MiB for 8,224 cells, over 4",
         ISSUE.format(LLAMA, 8760)),
    Case("Qwen/Qwen3.6-35B-A3B", 262144, 2, 10395,
         "vLLM, in a commit message of KAITO",
         "https://github.com/kaito-project/kaito/commit/5009de884"),
    Case("facebook/opt-13b", 2048, 1, 819200,
         "the PagedAttention paper: 800 KB, KiB meant",
         "https://arxiv.org/abs/2309.06180"),
]


# ---- the calculators: bytes per token of one request, per GPU ----

def attention(model):
    return [g for g in model["groups"] if g["kind"] not in ("state", "cross",
                                                            "indexer")]


def kaito_kv(model, case):
    """A latent once, else K and V of every layer; no window, no layer that
    keeps a state instead; two bytes; over the GPUs, a latent not."""
    first = attention(model)[0]
    if first["kind"] == "mla":
        return 2 * model["layers"] * first["latent_dim"]
    return 2 * model["layers"] * 2 * first["kv_heads"] * first["k_dim"] \
        / case.tp


def hf_mem_kv(model, case):
    """K and V of every layer, window layers only as far as the window; a
    latent counts as full heads, a state as full attention; one GPU."""
    total, layers = 0, 0
    for group in attention(model):
        tokens = min(group.get("window") or case.tokens, case.tokens)
        heads, dim = group.get("kv_heads"), group["k_dim"]
        if group["kind"] == "mla":
            heads = model["heads"]
            dim = model["hidden_size"] // model["heads"]
        total += group["layers"] * tokens * heads * dim
        layers += group["layers"]
    if layers < model["layers"]:
        first = attention(model)[0]
        total += (model["layers"] - layers) * case.tokens \
            * first["kv_heads"] * first["k_dim"]
    return 2 * 2 * total / case.tokens


def gpu_poor_kv(model, case):
    """Every head of every layer, and twice; one GPU."""
    del case
    return 2 * 2 * 2 * model["hidden_size"] * model["layers"]


# ---- and all that is needed, GiB per GPU; files: the checkpoint's bytes ----

def kaito_all(model, case, files):
    each = 1.02 * files / case.tp / GIB
    return 1.05 * each + 2.3 + kaito_kv(model, case) * case.tokens / GIB


def accelerate_all(model, case, files):
    del case, files
    return 2 * model["params"] / GIB


def hf_mem_all(model, case, files):
    return (files + hf_mem_kv(model, case) * case.tokens) / GIB


def gpu_poor_all(model, case, files):
    del files
    n, width = case.tokens, model["hidden_size"]
    working = n * width * 5 * 2 + n * n * model["heads"] * 2
    return (2 * model["params"] + gpu_poor_kv(model, case) * n + working +
            650e6) / GIB


# ---- oomkb ----

def ends(value):
    if isinstance(value, dict):
        return value["low"], value["high"]
    return value, value


def fit(program, case):
    # a card that holds anything: only what is needed is asked here
    words = [program, "fit", "--format", "json", "--model", case.model,
             "--tp", case.tp, "--max-model-len", case.tokens,
             "--max-num-batched-tokens", 2048, "--max-num-seqs", 256,
             "--kv-cache-dtype", "auto", "--gpu-memory", "4000GiB"]
    done = subprocess.run([str(word) for word in words], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.stderr:
        sys.exit(done.stderr.decode().strip())
    return json.loads(done.stdout)


def needed(answer):
    """Weights, activations, graphs ... and one request, GiB per GPU."""
    low, high = ends(answer["kv"]["bytes_per_request"])
    for part in answer["budget"]:
        if part["part"] not in ("kv_cache", "reserve"):
            least, most = ends(part["bytes"])
            low, high = low + least, high + most
    return low / GIB, high / GIB


def shapes():
    found = {}
    for path in glob(os.path.join(KB, "*.yaml")):
        with open(path, encoding="utf-8") as file:
            for model in yaml.safe_load(file)["models"]:
                found[model["id"]] = model
    return found


# ---- the page ----

def grouped(low, high=None):
    high = low if high is None else high
    if round(low) == round(high):
        return f"{round(low):,}"
    return f"{round(low):,} to {round(high):,}"


def beside(value, measure):
    """A calculator's number, and how many times the measure that is."""
    times = value / measure
    mark = "" if 0.98 < times < 1.02 else f" ({times:.2g}x)"
    return grouped(value) + mark


def kv_row(case, model, answer):
    low, high = (n / case.tokens
                 for n in ends(answer["kv"]["bytes_per_request"]))
    measure = case.printed or (low + high) / 2
    printed = f"[{case.printed:,}]({case.link})" if case.printed else "none found"
    name = case.model.split("/")[1] + (f", tp {case.tp}" if case.tp > 1 else "")
    return [name, f"{case.tokens:,}", printed, grouped(low, high)] + [
        beside(rule(model, case), measure)
        for rule in (kaito_kv, hf_mem_kv, gpu_poor_kv)]


def total_row(case, model, answer):
    files = answer["weights"]["bytes_per_gpu"] * case.tp
    low, high = needed(answer)
    return [case.model.split("/")[1], f"{low:,.1f} to {high:,.1f}"] + [
        f"{rule(model, case, files):,.1f}"
        for rule in (kaito_all, accelerate_all, hf_mem_all, gpu_poor_all)]


def table(head, rows):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |"
                     for row in [head, align, *rows]) + "\n"


def right(case, answer):
    low, high = (n / case.tokens
                 for n in ends(answer["kv"]["bytes_per_request"]))
    return low * 0.998 <= case.printed <= high * 1.002


def page(cases, models, answers):
    known = [(c, a) for c, a in zip(cases, answers) if c.printed]
    hits = sum(right(c, a) for c, a in known)
    peers = [sum(0.98 < rule(models[c.model], c) / c.printed < 1.02
                 for c, _ in known)
             for rule in (kaito_kv, hf_mem_kv, gpu_poor_kv)]
    version = answers[0]["inputs"]["engine_version"]["value"]
    sources = "\n".join(f"- {c.model.split('/')[1]}: [{c.said}]({c.link})"
                        for c in cases if c.printed)
    return TEXT.format(
        version=version, known=len(known), hits=hits, kaito=peers[0],
        hf_mem=peers[1], gpu_poor=peers[2], sources=sources,
        kv=table(["model", "tokens", "printed", "oomkb", "KAITO", "hf-mem",
                  "gpu_poor"],
                 [kv_row(c, models[c.model], a)
                  for c, a in zip(cases, answers)]),
        total=table(["model", "oomkb", "KAITO", "accelerate", "hf-mem",
                     "gpu_poor"],
                    [total_row(c, models[c.model], a)
                     for c, a in zip(cases, answers)]))


TEXT = """# oomkb beside other calculators

Written by `make peers`: `oomkb fit` as built, and the rules of four calculators worked out on the same question with the
same shapes (`kb/models/`). The tools themselves were not run; their rules are a few lines each in
[peers_run.py](../tests/memory/peers_run.py), from the sources named below.

## KV cache of one request, bytes per token and GPU

One request of that many tokens, cache in 16 bits. oomkb answers for vLLM {version} with 2,048 batched tokens: a window layer
holds the window and the tokens of a step, a block is never half used, and an interval means that a setting which was not
given decides. What is more than 2 % from the printed number (from oomkb's, where none was found) says how many times it is.

{kv}
Of the {known} with a printed number, oomkb gives {hits}, KAITO's rule {kaito}, hf-mem's {hf_mem}, gpu_poor's {gpu_poor}
(oomkb within 0.2 %, the others within 2 %). accelerate has no KV cache.

## All that is needed, GiB per GPU

oomkb: weights, activations, what lies outside PyTorch, graphs and that one request, as an interval: what cannot be known
before a start is not made up. KAITO spreads weights over the GPUs; accelerate, hf-mem and gpu_poor answer for one GPU.
accelerate and gpu_poor take 16-bit weights, whatever the checkpoint is.

{total}
## The rules

- KAITO ([bytes per token](https://github.com/kaito-project/kaito/blob/056b828/presets/workspace/generator/generator.go),
  [nodes](https://github.com/kaito-project/kaito/blob/056b828/pkg/workspace/estimator/nodesestimator/estimator.go)):
  `layers x 2 x kv_heads x head_dim x 2 bytes`, a latent once; no windows, no states. All: `1.05 x 1.02 x files / GPUs + 2.3 GiB
  + cache`, against 0.84 of the card.
- accelerate ([estimate-memory](https://github.com/huggingface/accelerate/blob/main/src/accelerate/commands/estimate.py)):
  parameters by bytes of the dtype. No cache, no context, no card.
- hf-mem ([source](https://github.com/alvarobartt/hf-mem)): file sizes and `2 x tokens x kv_heads x head_dim x bytes` over the
  layers, windows seen; no latent, no states, no tensor parallelism.
- gpu_poor ([source](https://github.com/RahulSChand/gpu_poor)): `2 x 2 x 2 x tokens x hidden_size x layers`, activations
  `tokens x hidden_size x 10 + tokens^2 x heads x 2`, and 650 MB.

## Who printed what

{sources}
"""


def main():
    models = shapes()
    answers = [fit(os.path.abspath(sys.argv[1]), case) for case in CASES]
    text = page(CASES, models, answers)
    if len(sys.argv) < 3:
        sys.stdout.write(text)
        return
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{sys.argv[2]}: {len(CASES)} models")


if __name__ == "__main__":
    main()
