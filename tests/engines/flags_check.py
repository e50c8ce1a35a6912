#!/usr/bin/env python3
"""Flags, variables and defaults of kb/engines/ENGINE.yaml against those that the
releases themselves have (tests/data/oracle/ENGINE_flags.jsonl): vLLM, SGLang."""
import json
import os
import sys

import yaml

from release import order

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "oracle", "%s_flags.jsonl")
ENGINE = os.path.join(HERE, "..", "..", "kb", "engines", "%s.yaml")
# Where the file is right and the data cannot show it.
KNOWN = {"--model": "made by hand by the parser",
         "--lora-modules": "until 0.4.0 api_server.py has its own parser",
         "VLLM_ATTENTION_BACKEND": "0.4.1 reads it in attention/selector.py",
         "VLLM_CPU_KVCACHE_SPACE": "0.4.0 reads it in cpu_executor.py",
         "SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK":
             "until 0.5.6 layers/moe/token_dispatcher/deepep.py reads it",
         "SGLANG_VLM_CACHE_SIZE_MB":
             "until 0.5.5 managers/scheduler.py reads it",
         "VLLM_USE_V1": "0.11.0 knows it and has no other engine"}


def load(engine):
    with open(DATA % engine, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return lines[0]["releases"], dict(lines[1:])


def is_in(release, events):
    """Do the events {introduced} and {fixed} hold in a release?"""
    holds = not events
    for event in events:
        for word, at in event.items():
            if order(release) >= order(at):
                holds = word == "introduced"
    return holds


def has(release, stretches):
    return any(order(first) <= order(release) <= order(last)
               for first, last, *_ in stretches)


def wrong_existence(row, releases, data):
    """Releases in which a flag is there and should not be, or the reverse."""
    name = row["flag"].split()[0]
    if name not in data or name in KNOWN or " " in row["flag"]:
        return []
    return [one for one in releases
            if is_in(one, row.get("exists", [])) != has(one, data[name])]


def value_of(text):
    words = {"true": "True", "false": "False"}
    return words.get(text, text.split()[0])


def wrong_default(row, flag, releases, data):
    """Releases whose own default is a literal, and another one."""
    wrong = []
    for first, last, value in data.get(flag, []):
        for one in releases:
            if value not in (None, "None") and is_in(one, row["events"]) and \
                    order(first) <= order(one) <= order(last) and \
                    value.strip("'") not in (value_of(row["value"]),
                                             row["value"].strip('"')):
                try:
                    same = float(value) == float(value_of(row["value"]))
                except ValueError:
                    same = False
                if not same:
                    wrong.append(one)
    return wrong


def check(name):
    releases, data = load(name)
    with open(ENGINE % name, encoding="utf-8") as file:
        engine = yaml.load(file, yaml.CSafeLoader)
    flag_of = {row["fact"]: row["flag"] for row in engine["flags"]}
    bad = 0
    for row in engine["flags"] + engine["options"]:
        wrong = wrong_existence(row, releases, data)
        if wrong:
            bad += 1
            print(f"{row['flag']}: not so in {wrong[0]} .. {wrong[-1]}; the "
                  f"releases: {[one[:2] for one in data[row['flag']]]}")
    for row in engine["defaults"]:
        flag = flag_of.get(row["fact"])
        wrong = wrong_default(row, flag, releases, data) if flag else []
        if wrong:
            bad += 1
            print(f"default of {flag} = {row['value']}: not so in {wrong[0]} "
                  f".. {wrong[-1]}: {data[flag]}")
    missing = [row["flag"] for row in engine["flags"] + engine["options"]
               if row["flag"].split()[0] not in data]
    print("not in the data:", *missing)
    if order(str(engine["newest"])) < order(releases[-1]):
        bad += 1
        print(f"newest: {engine['newest']}, the data have {releases[-1]}")
    return bad


def main():
    return 1 if sum(check(name) for name in ("vllm", "sglang")) else 0


if __name__ == "__main__":
    sys.exit(main())
