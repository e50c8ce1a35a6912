#!/usr/bin/env python3
"""How well oomkb reads a labelled folder of logs.

    eval.py PROGRAM LOGS_DIR [--half first|second] [--lang en]

LOGS_DIR/index.jsonl has one JSON object per log: file, positive, component,
mechanism, ambiguous, numbers (by fact name), source_url. A list under positive,
component or mechanism means that each answer in it counts. Prints the scores,
per component, and every miss. Exits 0 whatever the score, unless --require
names floors that are not reached.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import zlib

# One word for what several labels name (DESIGN 3: components).
FOLD = {"ggml-metal": "llama.cpp", "ggml-vulkan": "llama.cpp",
        "ggml-sycl": "llama.cpp", "ggml-cuda": "llama.cpp",
        "dataloader": "pytorch", "pytorch-cpu": "pytorch",
        "fsdp": "pytorch", "vllm-ascend": "vllm", "kernel": "linux-kernel"}
# The repeated facts: one per occurrence, never a contradiction.
MANY = {"other_in_use", "pid", "preemption_count", "retracted_count"}


def fold(name):
    return FOLD.get(name, name)


def as_set(value):
    return set(value) if isinstance(value, list) else {value}


def diagnose(program, path):
    run = subprocess.run([program, "--format", "json", str(path)],
                         capture_output=True, timeout=60, check=False)
    if run.returncode not in (0, 1):
        return None, run.stderr.decode(errors="replace").strip()
    return json.loads(run.stdout), None


def fact_sets(report):
    """Every place a fact may stand: the context, findings, instances."""
    yield [f for f in report["context"].values() if f]
    for finding in report["findings"]:
        yield finding["facts"]
        for instance in finding.get("instances", []):
            yield instance["facts"]


def number_found(report, name, wanted):
    """True, False (absent), or a contradicting value."""
    several = isinstance(wanted, list)
    wanted = wanted if several else [wanted]
    values = [[f["value"] for f in facts if f["name"] == name]
              for facts in fact_sets(report)]
    flat = [v for group in values for v in group]
    # A list: every process of a repeated fact; of a scalar one, the values
    # that two readers defend (GB or GiB, this attempt or that).
    # The strict count wants every one of them.
    every = all(w in flat for w in wanted)
    hit = every if name in MANY or not several \
        else any(w in flat for w in wanted)
    contradicted = name not in MANY and any(
        len(set(map(str, group))) > 1 and set(group) & set(wanted)
        for group in values)
    return hit and not contradicted, every and not contradicted, flat


class Score:
    def __init__(self):
        self.by = collections.defaultdict(collections.Counter)
        self.miss = []

    def add(self, component, what, good):
        for key in ("all", component):
            self.by[key][what + (" ok" if good else " no")] += 1

    def line(self, component):
        c = self.by[component]
        cells = []
        for what in ("found", "component", "mechanism", "number"):
            ok, no = c[what + " ok"], c[what + " no"]
            share = f"{100 * ok / (ok + no):5.1f} %" if ok + no else "    - "
            cells.append(f"{what} {ok:3}/{ok + no:<3} {share}")
        return f"{component:14} " + "  ".join(cells)


def judge_positive(score, row, report):
    name = sorted(map(fold, as_set(row["component"])))[0] \
        if row["component"] else "none"
    roots = [f for f in report["findings"] if f["role"] == "root"]
    score.add(name, "found", bool(roots))
    if not roots:
        score.miss.append(f"{row['id']}: nothing found")
        judge_numbers(score, row, report, name, counted=False)
        return
    engine = (report["context"].get("engine") or {}).get("value")
    mine = {fold(f["component"]) for f in report["findings"]} | {fold(engine)}
    good = bool(mine & {fold(c) for c in as_set(row["component"])})
    score.add(name, "component", good)
    if not good:
        score.miss.append(f"{row['id']}: component {sorted(filter(None, mine))}"
                          f" for {row['component']}")
    if row["mechanism"] and not row.get("ambiguous"):
        got = {f["mechanism"] for f in roots}
        good = bool(got & as_set(row["mechanism"]))
        score.add(name, "mechanism", good)
        if not good:
            score.miss.append(f"{row['id']}: mechanism {sorted(got)} "
                              f"({', '.join(f['entry'] for f in roots)}) "
                              f"for {row['mechanism']}")
    failures = [f for f in roots if f["severity"] == "failure"]
    if len(failures) > 1:
        score.by["all"]["extra roots"] += len(failures) - 1
        score.miss.append(f"{row['id']}: {len(failures)} roots: "
                          + ", ".join(f["entry"] for f in failures))
    judge_numbers(score, row, report, name, counted=True)


def judge_numbers(score, row, report, name, counted):
    for fact, wanted in (row.get("numbers") or {}).items():
        good, strict, got = number_found(report, fact, wanted)
        if counted:
            score.by["all"]["strict ok" if strict else "strict no"] += 1
            score.add(name, "number", good)
            if not good:
                score.miss.append(
                    f"{row['id']}: {fact} = {got} for {wanted}")
        else:
            score.by["all"]["number unfound"] += not good


def in_half(row, half):
    """Split by source repository, so that one author is on one side."""
    source = "/".join((row.get("source_url") or row["id"]).split("/")[:5])
    first = zlib.crc32(source.encode()) % 2 == 0
    return half is None or first == (half == "first")


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("program")
    args.add_argument("logs", type=pathlib.Path)
    args.add_argument("--half", choices=["first", "second"])
    opts = args.parse_args()
    index = opts.logs / "index.jsonl"
    if not index.is_file():
        sys.exit(f"eval: no {index}: a folder with an index.jsonl is needed")
    score = Score()
    for text in index.read_text().splitlines():
        row = json.loads(text)
        if not in_half(row, opts.half):
            continue
        report, error = diagnose(opts.program, opts.logs / row["file"])
        if report is None:
            score.miss.append(f"{row['id']}: program failed: {error}")
            score.by["all"]["broken"] += 1
        elif row["positive"] is True:
            judge_positive(score, row, report)
        elif row["positive"] is False:
            spoke = [f["entry"] for f in report["findings"]
                     if f["severity"] == "failure"]
            score.by["all"]["negative spoke" if spoke else "silent"] += 1
            if spoke:
                score.miss.append(f"{row['id']}: negative, but spoke: {spoke}")
    for component in sorted(score.by, key=lambda c: (c != "all", c)):
        print(score.line(component))
    total = score.by["all"]
    print(f"extra roots {total['extra roots']}, negatives that spoke "
          f"{total['negative spoke']} of "
          f"{total['negative spoke'] + total['silent']}, "
          f"broken {total['broken']}")
    strict = total["strict ok"] + total["strict no"]
    print(f"numbers, every value of a list wanted: {total['strict ok']}/{strict} "
          f"{100 * total['strict ok'] / max(strict, 1):.1f} %")
    print(f"\n{len(score.miss)} misses:")
    print("\n".join("  " + m for m in score.miss))


if __name__ == "__main__":
    main()
