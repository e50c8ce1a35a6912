#!/usr/bin/env python3
"""The evaluation counts what it says it counts: a folder of two failures and a
healthy log, labelled rightly and then wrongly.

Run from the top of the repository; OOMKB names the program.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import unseen  # beside this file

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
       " GPU 0 has a total capacity of 23.33 GiB of which 1.88 GiB is free. "
       "Process 4711 has 20.00 GiB memory in use. Including non-PyTorch memory,"
       " this process has 1.40 GiB memory in use. Of the allocated memory 1.00 "
       "GiB is allocated by PyTorch, and 0.10 GiB is reserved by PyTorch but "
       "unallocated.\n")
ROWS = [
    {"id": "card", "positive": True, "component": "pytorch",
     "mechanism": "other_process", "source_url": "https://example.org/a/b/1",
     "numbers": {"tried_alloc": 2 << 30, "other_in_use": [20 << 30]}},
    {"id": "length", "positive": True, "component": "vllm",
     "mechanism": ["kv_cache_startup", "weights"],
     "source_url": "https://example.org/c/d/2",
     "numbers": {"max_model_len": 131072}},
    {"id": "well", "positive": False, "component": None, "mechanism": None,
     "source_url": "https://example.org/a/b/3"},
]
FAULTS = []


def expect(is_true, what):
    if not is_true:
        FAULTS.append(what)


def evaluate(folder, rows, *words):
    index = "".join(json.dumps(row | {"file": row["id"] + ".log"}) + "\n"
                    for row in rows)
    (folder / "index.jsonl").write_text(index)
    return subprocess.run(
        [sys.executable, "tests/eval/eval.py", PROGRAM, str(folder), *words],
        capture_output=True, text=True, check=False)


def line(text, called):
    return next((l for l in text.splitlines() if l.startswith(called)), "")


def check_unseen():
    """Two batches of first runs: a right one, a miss, and a false alarm."""
    row = dict.fromkeys(unseen.COLUMNS, "yes") | {"batch": "a",
                                                  "numbers": "1/2"}
    missed = dict.fromkeys(unseen.COLUMNS, "no") | {
        "batch": "b", "positive": "yes", "numbers": "0/1"}
    alarm = row | {"positive": "no", "component": "-", "numbers": "-"}
    total = unseen.counts([row, missed, alarm])
    expect(total["found"] == [1, 2], f"unseen found {total['found']}")
    expect(total["numbers"] == [1, 3], f"unseen numbers {total['numbers']}")
    expect(total["silent"] == [0, 1], f"unseen silent {total['silent']}")
    text = unseen.section()
    expect("| failures found | " in text, "no line in the unseen section")
    addresses = [r["address"] for r in unseen.rows()]
    expect(len(addresses) == len(set(addresses)), "an address stands twice")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "card.log").write_text(OOM)
        (folder / "length.log").write_text(
            pathlib.Path("examples/vllm-long-context.log").read_text())
        (folder / "well.log").write_text("INFO: 20.00 GiB free\n")
        page = folder / "page.md"
        right = evaluate(folder, ROWS, "--write", str(page), "--require",
                         "found=100,mechanism=100,number=100,silent=100")
        expect(right.returncode == 0, right.stdout + right.stderr)
        expect("2/2 100.0 %" in line(right.stdout, "failures found"), "found")
        expect("0 misses" in right.stdout, right.stdout[-300:])
        expect("| failures found | 2/2 100.0 % |" in page.read_text(),
               "the page")
        wrong = [dict(ROWS[0], mechanism="weights",
                      numbers={"tried_alloc": 3 << 30}),
                 dict(ROWS[1], positive=False), dict(ROWS[2], positive=True,
                                                     component="vllm")]
        told = evaluate(folder, wrong, "--require", "found=90")
        expect(told.returncode == 1, "a floor that is not reached")
        for miss in ("card: mechanism", "card: tried_alloc",
                     "length: negative, but spoke", "well: nothing found"):
            expect(miss in told.stdout, f"{miss} is not among the misses")
        halves = [evaluate(folder, ROWS, "--half", half).stdout
                  for half in ("first", "second")]
        read = [re.search(r"error +(?:\d+/(\d+)|-)", line(text, "logs read"))
                for text in halves]
        expect(sum(int(r[1] or 0) for r in read) == 3, f"halves: {halves}")
    check_unseen()
    print("\n".join(FAULTS))
    sys.exit(1 if FAULTS else 0)


if __name__ == "__main__":
    main()
