#!/usr/bin/env python3
"""The catalogue's KV cache per token against a second source, for the models
that are met most (kv_per_token.tsv): the program's own answer, and that the
catalogue calls the shape `seen`."""
import glob
import json
import os
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
LEAST_MODELS = 60
RELEASE = "0.11.0"  # charges layer by layer: no padding of groups


def rows():
    path = os.path.join(HERE, "kv_per_token.tsv")
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                model, value, where = line.rstrip("\n").split("\t")
                yield model, int(value), where


def catalogue():
    models = {}
    for path in glob.glob(os.path.join(ROOT, "kb", "models", "*.yaml")):
        with open(path, encoding="utf-8") as file:
            for model in yaml.load(file, yaml.CSafeLoader)["models"]:
                models[model["id"]] = model
    return models


def slope(model):
    done = subprocess.run(
        [OOMKB, "fit", "--format", "json", "--model", model,
         "--engine-version", RELEASE, "--kv-cache-dtype", "bfloat16",
         "--kv-available", "1GiB"], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["kv"]["bytes_per_token"]["slope"]


def main():
    models, wrong, count = catalogue(), 0, 0
    for name, value, where in rows():
        count += 1
        found, how = slope(name), models[name]["verified"]
        if found != value or how != "seen" or not where:
            wrong += 1
            print(f"{name}: {value} by {where}, reckoned {found}, {how}")
    print(f"{count} models, {count - wrong} as a second source has them")
    if wrong or count < LEAST_MODELS:
        sys.exit(1)


if __name__ == "__main__":
    main()
