#!/usr/bin/env python3
"""accelerate's estimator as an oracle: what a model's weights take, and a step
that trains all of them.

    accelerate_run.py ask                asks the newest releases
    accelerate_run.py check OOMKB        `oomkb fit` against the answers, offline

`accelerate estimate-memory` reads a configuration from the hub. Here
configurations are made from the shapes of the catalogue, so that transformers'
own classes count the parameters and accelerate adds them up. Answers go to
tests/data/oracle/accelerate.jsonl.
"""
import json
import os
import subprocess
import sys

import yaml

from release import newest_of, python_with

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "oracle", "accelerate.jsonl")
MODELS = os.path.join(HERE, "..", "..", "kb", "models")
# Families whose class follows from the shape alone.
CLASSES = {"llama-2": "LlamaConfig", "llama-3": "LlamaConfig",
           "yi": "LlamaConfig", "smollm": "LlamaConfig",
           "qwen2": "Qwen2Config", "qwen2.5": "Qwen2Config",
           "qwen3": "Qwen3Config", "mistral": "MistralConfig",
           "gemma": "GemmaConfig"}
PARTS = ("weights", "gradients", "optimizer")
PRECISIONS = {"float32": "full", "bfloat16": "mixed"}


def is_plain(model):
    """One kind of layer, nothing that the shape does not say."""
    groups = model["groups"]
    return len(groups) == 1 and groups[0]["kind"] == "full" and \
        "intermediate_size" in model and not any(
            model.get(word) for word in ("moe", "multimodal", "experts",
                                         "quantization", "other_params",
                                         "uncounted"))


def words_of(model):
    group = model["groups"][0]
    table = model["vocab_size"] * model["hidden_size"]
    return {"hidden_size": model["hidden_size"],
            "num_hidden_layers": model["layers"],
            "num_attention_heads": model["heads"],
            "num_key_value_heads": group["kv_heads"],
            "head_dim": group["k_dim"],
            "vocab_size": model["vocab_size"],
            "intermediate_size": model["intermediate_size"],
            "max_position_embeddings": model["max_position"],
            "tie_word_embeddings": model["embedding_params"] == table}


def questions():
    for family, name in CLASSES.items():
        with open(os.path.join(MODELS, family + ".yaml"),
                  encoding="utf-8") as file:
            for model in yaml.safe_load(file)["models"]:
                if is_plain(model):
                    yield {"model": model["id"], "class": name,
                           "words": words_of(model)}


def ask():
    asked = list(questions())
    releases = {one: newest_of(one) for one in ("accelerate", "transformers")}
    python = python_with(["numpy", "psutil", "yaml", "safetensors", "typer"])
    subprocess.run([python, "-m", "pip", "install", "-q",
                    *(f"{one}=={at}" for one, at in releases.items())],
                   check=True)
    done = subprocess.run([python, os.path.join(HERE, "accelerate_ask.py")],
                          input="\n".join(json.dumps(one) for one in asked),
                          stdout=subprocess.PIPE, check=True, encoding="utf-8")
    with open(DATA, "w", encoding="utf-8") as file:
        file.write(json.dumps(releases) + "\n")
        for one, line in zip(asked, done.stdout.splitlines()):
            got = json.loads(line)
            file.write(json.dumps(
                {"model": one["model"], "class": one["class"],
                 "total": got["total"], "buffers": got["buffers"],
                 "train": {how: parts["model"] + parts["gradients"] +
                           parts["optimizer"]
                           for how, parts in got["train"].items()}},
                separators=(",", ":")) + "\n")
    print(f"accelerate: {len(asked)} models asked")


def budget(program, model, facts):
    """(least, most) bytes of the parts that hold the model."""
    words = [program, "fit", "--format", "json", "--engine", "transformers",
             "--model", model, "--gpu-memory", "8000GiB"]
    for fact in facts:
        words += ["--set", fact]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    low = high = 0
    for part in json.loads(done.stdout)["budget"]:
        if part["part"] in PARTS:
            is_range = isinstance(part["bytes"], dict)
            low += part["bytes"]["low"] if is_range else part["bytes"]
            high += part["bytes"]["high"] if is_range else part["bytes"]
    return low, high


def compare(program):
    """(releases, models, numbers that agree, lines of the others)."""
    with open(DATA, encoding="utf-8") as file:
        releases, *rows = [json.loads(line) for line in file]
    same, lines = 0, []
    for row in rows:
        params = (row["total"] - row["buffers"]) // 4
        low, high = budget(program, row["model"], ["dtype=float32"])
        checks = [("weights", low, 4 * params, high)]
        for how, precision in PRECISIONS.items():
            _, most = budget(program, row["model"], [
                "task=train", "optimizer=adamw", "batch_size=1",
                "seq_len=512", f"precision={precision}"])
            # accelerate counts the buffers of the position code as trained.
            spare = row["train"][how] * row["buffers"] // row["total"] + 16
            theirs = row["train"][how]
            checks.append((f"a step in {how}", most, theirs, most + spare))
        for what, least, theirs, most in checks:
            if least <= theirs <= most:
                same += 1
            else:
                lines.append(f"{row['model']}, {what}: fit {least} to {most}, "
                             f"accelerate {theirs}")
    return releases, rows, same, lines


def section(program):
    """Of docs/ORACLES.md."""
    releases, rows, same, lines = compare(program)
    return ["", "## accelerate", "",
            "What `accelerate estimate-memory` adds up: transformers' classes "
            "count the parameters of a model of the catalogue's",
            "shape without allocating it, and accelerate's "
            "`estimate_training_usage` says what model, gradients and Adam's "
            "states take. `fit` has",
            "the parameters of the catalogue. A step in 32 bits is the same "
            "number; in mixed precision accelerate's (18 bytes a parameter)",
            "is the upper end of what `fit` gives.", "",
            f"accelerate {releases['accelerate']}, transformers "
            f"{releases['transformers']}: {len(rows)} models, "
            f"{same + len(lines)} numbers, {same} agree, {len(lines)} "
            "differ."] + ([""] + [f"- {line}" for line in lines] if lines
                          else [])


def check(program):
    _, rows, same, lines = compare(program)
    print("\n".join(lines + [f"accelerate: {len(rows)} models, {same} numbers "
                             f"agree, {len(lines)} differ"]))
    return 1 if lines or not rows else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["ask"]:
        ask()
    else:
        sys.exit(check(sys.argv[2]))
