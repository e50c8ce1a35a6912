#!/usr/bin/env python3
"""`make engines`: install releases, ask them, store what they answer.

    engines.py [--all] [RELEASE...]

Wheels come from the package index, one at a time, without dependencies, into
a cache outside of the tree (OOMKB_ENGINES, else ~/.cache/oomkb-engines); only
their Python files are kept there. Answers go to tests/data/oracle/vllm.jsonl:
a line for each question, with runs of releases that answer alike.
"""
import concurrent.futures
import json
import os
import subprocess
import sys

import questions
import surface
from release import CACHE, fetch, newest_of, order, python_with, releases_of

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "oracle", "vllm.jsonl")
SURFACES = os.path.join(HERE, "..", "data", "oracle", "vllm_flags.jsonl")
LEAST = ["0.6.3.post1", "0.7.3", "0.8.2", "0.8.5", "0.9.0.1", "0.9.2",
         "0.10.0", "0.10.1", "0.12.0", "0.18.0", "0.21.0", "0.25.0", "0.28.0"]
FIRST = "0.6.3.post1"


def engine_of(release):
    """What a plain start of the release runs; cards below compute capability
    8.0 are asked apart."""
    return "v0" if order(release) < order("0.8.0") else "v1"


def ask(release, asked):
    """Answers of one release, in the order of the questions; why not."""
    lines = [json.dumps({**question, "engine": engine_of(release)})
             for _, _, question in asked]
    done = subprocess.run(
        [python_with(["numpy", "pydantic", "msgspec", "cloudpickle", "psutil",
                      "cachetools", "regex"]),
         os.path.join(HERE, "vllm_ask.py"), os.path.join(CACHE, "vllm",
                                                         release)],
        input="\n".join(lines), stdout=subprocess.PIPE, check=False,
        stderr=subprocess.PIPE, encoding="utf-8")
    out = [json.loads(line) for line in done.stdout.splitlines()
           if line[:1] in '[{"']
    if not out:
        return None, done.stderr.strip().splitlines()[-1:]
    return out[1:], out[0]["why"]


def known(release, since):
    return order(release) >= order(since)


def runs(answers):
    """[(release, answer)] with neighbours that answer alike as one run."""
    out = []
    for release, answer in answers:
        if out and out[-1][2] == answer:
            out[-1][1] = release
        else:
            out.append([release, release, answer])
    return out


def kept(path):
    """(releases, {question: {release: answer}}) of the answers there are."""
    if not os.path.exists(path):
        return [], {}
    with open(path, encoding="utf-8") as file:
        head, *lines = [json.loads(line) for line in file]
    found = {}
    for line in lines:
        stretches = line.pop("runs")
        found[json.dumps(line)] = {
            release: answer for first, last, answer in stretches
            for release in head["releases"]
            if order(first) <= order(release) <= order(last)}
    return head["releases"], found


def write(asked, by_release, path=DATA):
    """Adds what was answered to the data."""
    before, old = kept(path)
    releases = sorted(set(before) | set(by_release), key=order)
    lines = []
    for i, (key, since, _) in enumerate(asked):
        answer = dict(old.get(json.dumps(key), {}))
        answer.update({one: got[i] for one, got in by_release.items()})
        answers = [(one, answer[one]) for one in releases
                   if one in answer and known(one, since)]
        lines.append(json.dumps({**key, "runs": runs(answers)},
                                separators=(",", ":")))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"releases": releases},
                              separators=(",", ":")) + "\n")
        file.write("\n".join(lines) + "\n")


def write_surfaces(package, releases, path):
    """{flag: [[first, last, default]]} and {variable: [[first, last]]}, over
    all releases of the package that are in the cache."""
    found = {one: surface.Surface(package, one) for one in releases}
    names = sorted({flag for one in found.values() for flag in one.flags})
    variables = sorted({name for one in found.values()
                        for name in one.environment})
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"releases": releases}) + "\n")
        for name in names + variables:
            has = [(one, found[one].flags.get(name, "") if name[0] == "-" else
                    True if name in found[one].environment else "")
                   for one in releases]
            file.write(json.dumps([name, [
                [first, last, value] for first, last, value in runs(has)
                if value != ""]], separators=(",", ":")) + "\n")


def main(words):
    names = [word for word in words if not word.startswith("-")]
    if "--all" in words:
        names = [one for one in releases_of("vllm")
                 if order(one) >= order(FIRST)]
    names = sorted(set(names or LEAST + [newest_of("vllm")]), key=order)
    asked = list(questions.questions())
    for name in names:
        fetch("vllm", name)
    by_release, failed = {}, []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, (got, why) in zip(names, pool.map(
                lambda one: ask(one, asked), names)):
            if got is None:
                failed.append(f"{name}: {why}")
                continue
            wrong = [one for one in got if isinstance(one, str)]
            print(f"vllm {name}: {len(got) - len(wrong)} answers, "
                  f"{len(wrong)} without", *why.values(),
                  *sorted(set(wrong)), sep="\n  ")
            by_release[name] = got
    write(asked, by_release)
    there = sorted(os.listdir(os.path.join(CACHE, "vllm")), key=order)
    write_surfaces("vllm", there, SURFACES)
    for line in failed:
        print("not imported:", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
