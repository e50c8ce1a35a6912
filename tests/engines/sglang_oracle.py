#!/usr/bin/env python3
"""What SGLang's releases answered (sglang_run.py) against `fit`.

    sglang_oracle.py OOMKB [--ends]

--ends: of releases that answer alike only the first and the last.

Two things are held against each other: the default of --mem-fraction-static,
which `fit --engine sglang` shows in the pool that it leaves, and the tokens of
a pool. A number agrees where the program gives that very number; it is an end
where the program gives a range of two cases that nobody told apart, and the
number is one of its ends.
"""
import collections
import concurrent.futures
import json
import subprocess
import sys

from release import order
from sglang_run import DATA, POOL

MIB = 1 << 20
GIB = 1 << 30
PLAIN, LATENTS = "Qwen/Qwen3-32B", "deepseek-ai/DeepSeek-V2-Lite-Chat"
# The release whose prefills are captured where nothing is set.
CAPTURED = "0.5.10"
THOUSANDTH = 0.501e-3  # SGLang rounds to it


def fit(program, release, words):
    done = subprocess.run(
        [program, "fit", "--format", "json", "--engine", "sglang",
         "--engine-version", release] + [str(word) for word in words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if not done.stdout:
        raise SystemExit(done.stderr.decode())
    return json.loads(done.stdout)


def ends_of(value):
    return (value["low"], value["high"]) if isinstance(value, dict) else \
        (value, value)


def verdict(low, high, theirs, slack=0.0):
    """agree; end: one of the two that the program leaves open; differ."""
    near = [abs(end - theirs) <= slack for end in (low, high)]
    return "agree" if all(near) else "end" if any(near) else "differ"


def check_fraction(program, question, release, answer):
    """A start without flags: nobody turned prefill graphs on or off."""
    base = question["mib"] * MIB
    found = fit(program, release, [
        "--model", LATENTS if question["mla"] else PLAIN,
        "--tp", question["tp"], "--pp", question["pp"],
        "--gpu-memory", base, "--set", f"free_before_load={base}",
        "--set", f"weights_bytes={GIB}"])
    low, high = [(end + GIB) / base for end in ends_of(found["pool"])]
    return verdict(low, high, answer[0] / 1000, THOUSANDTH), (low, high)


def is_default(question, release):
    """Graphs of the prefill were off by default, and with stages they are."""
    return not question["prefill_graphs"] or (
        order(release) >= order(CAPTURED) and question["pp"] == 1)


def check_pool(program, question, release, answer):
    words = ["--model", question["model"], "--tp", question["tp"],
             "--block-size", question["page"],
             "--kv-cache-dtype", question["kv_dtype"], "--gpu-memory", "160GiB",
             "--set", f"mem_fraction_static={question['fraction'] / 1000}",
             "--set", f"free_before_load={question['before']}",
             "--set", f"weights_bytes={question['weights']}"]
    low, high = ends_of(fit(program, release, words)["kv"]["tokens"])
    if low is None:
        return "differ", None
    return verdict(low, high, answer), (low, high)


def load(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return lines[0]["releases"], lines[1:]


def asked(path, every, is_asked=lambda *_: True):
    releases, questions = load(path)
    for question in questions:
        for first, last, answer in question["runs"]:
            inside = [one for one in releases
                      if order(first) <= order(one) <= order(last)]
            for release in inside if every else sorted({first, last}):
                if answer is not None and is_asked(question, release):
                    yield question, release, answer


def compare(program, every):
    """{what: {release: {verdict: numbers}}}, lines of what differs."""
    count, lines = {}, []
    for what, path, check, is_asked in (
            ("fraction", DATA, check_fraction, is_default),
            ("pool", POOL, check_pool, lambda *_: True)):
        rows = list(asked(path, every, is_asked))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda row, check=check:
                                  check(program, *row), rows))
        count[what] = collections.defaultdict(collections.Counter)
        for (question, release, answer), (said, mine) in zip(rows, found):
            count[what][release][said] += 1
            if said == "differ":
                asks = {key: value for key, value in question.items()
                        if key != "runs"}
                lines.append(f"SGLang {release} {what} {asks}: fit {mine}, "
                             f"the engine {answer}")
    return count, lines


def totals(by_release):
    return sum(by_release.values(), collections.Counter())


def section(count):
    """Of docs/ORACLES.md."""
    fraction, pool = totals(count["fraction"]), totals(count["pool"])
    releases = sorted(set(count["fraction"]) | set(count["pool"]), key=order)
    _, asks = load(POOL)
    models = {one["model"] for one in asks}
    out = ["", "## SGLang", "",
           "The default of `--mem-fraction-static`, by the release's own "
           "function for 10 sizes of card, 5 ways to split,", "models with and "
           "without latents; and the tokens of a pool, by its own functions "
           f"for {len(models)} models x 4 settings", "(from free bytes before "
           "and after the weights). Whether prefills are captured is not "
           "known before a start (from", f"{CAPTURED} on it is the default, "
           "with exceptions): there `fit` gives a range, and the number has "
           "to be one of its ends.", "",
           f"{sum(fraction.values()):,} fractions: {fraction['agree']:,} the "
           f"same, {fraction['end']:,} an end of the range, {fraction['differ']} "
           f"differ. {sum(pool.values()):,} pools: {pool['agree']:,} the same "
           f"to the token, {pool['differ']} "
           "differ.", "",
           "Not asked: pools of models with windows or with states beside the "
           "cache. `fit` gives no tokens for the first, as", "SGLang shares "
           "one sum of bytes between two pools, and a range for the second.",
           ""]
    columns = [("fraction", "agree"), ("fraction", "end"),
               ("fraction", "differ"), ("pool", "agree"), ("pool", "differ")]
    cell = [[one] + [count[what][one][said] if one in count[what] else ""
                     for what, said in columns] for one in releases]
    head = ["release", "fraction: same", "end", "differ", "pool: same",
            "differ"]
    return out + ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] \
        + ["| " + " | ".join(str(one) for one in row) + " |" for row in cell]


def main(words):
    count, lines = compare(words[0], "--ends" not in words)
    print("\n".join(lines[:40] + [
        f"SGLang, {what}: {len(by_release)} releases, "
        f"{dict(totals(by_release))}" for what, by_release in count.items()]))
    return 1 if lines or not all(totals(one) for one in count.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
