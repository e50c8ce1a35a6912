#!/usr/bin/env python3
"""Is the first fix what an expert would do first?

    first_fix.py PROGRAM --ideas IDEAS.py [--kb INDEX] [--set A|B] [-v]
                 (KEY.jsonl LOGS_DIR)...

A key was written by a reader who had not seen the program's answers; one line
for each log: id, set (A or B, split by source repository), ok_first (what may
stand first), bad_first (plainly wrong there), ok_top3 (what the thread
confirmed), works (what alone ends the failure), cause, computable (the log has
the numbers for a verdict), expect_value (fact -> [least, most]). An idea is a
regular expression of IDEAS over what a fix says. A key is lenient: it cannot
see whether a fix uses the log's own values, so a reading goes with it.

Prints each share with its n, and calibration: of the fixes that were given p,
how many are among those that work.
"""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import re
import subprocess

FIRM = {"enough", "may_be_enough", "not_enough"}
BINS = ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01))
LINES = (("first", "first fix accepted"),
         ("wrong", "first fix plainly wrong"),
         ("in three", "an accepted fix in the first three"),
         ("confirmed", "confirmed fix in the first three"),
         ("firm", "verdict on the first fix, where computable"),
         ("value", "computed value within its range"),
         ("cause", "most probable cause as the key has it"),
         ("silent", "near misses silent"))


def ideas_of(path):
    spec = importlib.util.spec_from_file_location("ideas", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: re.compile(text, re.S)
            for name, text in module.IDEAS.items()}


def said(fix, *names):
    """Those keys of a fix as one text in lower case."""
    def flat(value):
        if isinstance(value, dict):
            return "\n".join(map(flat, value.values()))
        return "" if value is None else str(value)
    return "\n".join(flat(fix.get(name)) for name in names).lower()


class Key:
    """A line of a key, with the ideas to read fixes by."""

    def __init__(self, row, ideas):
        self.row, self.ideas = row, ideas

    def matches(self, names, text):
        return any(self.ideas[name].search(text) for name in names)

    def judge(self, fix, good):
        """(good, bad): its action and command decide, its steps only where
        those are not plainly bad."""
        if self.matches(good, said(fix, "action", "command", "acts_on")):
            return True, False
        if self.matches(self.row["bad_first"], said(fix, "action", "command")):
            return False, True
        return self.matches(good, said(fix, "action", "how", "command",
                                       "acts_on")), False


def diagnose(program, path, kb):
    words = [program, "--format", "json"] + (["--kb", kb] if kb else [])
    run = subprocess.run(words + [str(path)], capture_output=True, timeout=120,
                         env=os.environ | {"XDG_DATA_HOME": "/nowhere"},
                         check=False)
    return json.loads(run.stdout) if run.returncode in (0, 1) else None


class Tally:
    def __init__(self):
        self.counts = collections.defaultdict(lambda: [0, 0])
        self.bins = {bin_: [0, 0] for bin_ in BINS}
        self.misses = []

    def add(self, what, good):
        self.counts[what][0] += bool(good)
        self.counts[what][1] += 1

    def share(self, what):
        good, n = self.counts[what]
        return good / n if n else 0.0

    def calibrate(self, p, good):
        for bin_, count in self.bins.items():
            if bin_[0] <= p < bin_[1]:
                count[0] += bool(good)
                count[1] += 1

    def missed(self, log, what):
        self.misses.append(f"{log}: {what}")


def value_is_within(fixes, fact, least, most):
    """Is it what the first fixes propose, or set in their command?"""
    numbers = [float(x) for fix in fixes
               for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?",
                                   fix.get("command") or "")]
    proposed = [((fix.get("estimate") or {}).get("proposed") or {})
                for fix in fixes]
    numbers += [p["value"] for p in proposed
                if p.get("name") == fact and p.get("value") is not None]
    return any(least <= x <= most for x in numbers)


def first_root(report):
    roots = [f for f in report["findings"] if f["role"] == "root"]
    return (roots or report["findings"] or [None])[0]


def judge_failure(tally, key, report):
    row = key.row
    root = first_root(report) if report else None
    fixes = [f for f in root["fixes"] if f["applies"] in ("yes", "if")] \
        if root else []
    verdicts = [key.judge(f, row["ok_first"]) for f in fixes[:3]]
    good, bad = verdicts[0] if verdicts else (False, False)
    tally.add("first", good)
    tally.add("wrong", bad)
    tally.add("in three", any(v[0] for v in verdicts))
    if not good:
        what = fixes[0]["action"] if fixes else "nothing"
        tally.missed(row["id"], f"{'WRONG' if bad else 'other'}: {what}; "
                     f"wanted {' '.join(row['ok_first'])}")
    if row["ok_top3"]:
        hit = any(key.judge(f, row["ok_top3"])[0] for f in fixes[:3])
        tally.add("confirmed", hit)
        if not hit:
            tally.missed(row["id"], "not confirmed: " + " / ".join(
                f["action"] for f in fixes[:3])
                + f"; wanted {' '.join(row['ok_top3'])}")
    if row["computable"]:
        verdict = ((fixes[0].get("estimate") or {}) if fixes else {}) \
            .get("verdict")
        tally.add("firm", verdict in FIRM)
        if verdict not in FIRM:
            tally.missed(row["id"], f"no verdict: {fixes[0]['action']}"
                         if fixes else "no fix")
    for fact, bounds in (row.get("expect_value") or {}).items():
        if not isinstance(bounds, list):
            continue  # the reader gave no range
        least, most = bounds
        hit = value_is_within(fixes[:3], fact, least, most)
        tally.add("value", hit)
        if not hit:
            tally.missed(row["id"], f"{fact} not within {least}..{most}: "
                         + " / ".join(f.get("command") or "-"
                                      for f in fixes[:3]))
    if root and root.get("causes") and row.get("cause"):
        tally.add("cause", root["causes"][0]["cause"] == row["cause"])
    for fix in fixes:
        if row.get("works") and "p" in fix:
            tally.calibrate(fix["p"], key.judge(fix, row["works"])[0])


def judge_near_miss(tally, row, report):
    spoke = [f["entry"] for f in (report or {"findings": []})["findings"]
             if f["severity"] == "failure"]
    tally.add("silent", not spoke)
    if spoke:
        tally.missed(row["id"], f"near miss, but spoke: {' '.join(spoke)}")


def logs_of(folder):
    for line in (folder / "index.jsonl").read_text().splitlines():
        row = json.loads(line)
        yield row, folder / (row.get("file") or row["id"] + ".log")


def run(program, pairs, ideas, kb=None, only=None):
    """pairs: (key file, folder of logs). only: one set of the key."""
    tally = Tally()
    for key_file, folder in pairs:
        keys = {row["id"]: Key(row, ideas) for row in map(
            json.loads, pathlib.Path(key_file).read_text().splitlines())}
        for row, path in logs_of(pathlib.Path(folder)):
            key = keys.get(row["id"])
            if key and only in (None, key.row["set"]):
                judge_failure(tally, key, diagnose(program, path, kb))
            elif row["positive"] is False and only is None:
                judge_near_miss(tally, row, diagnose(program, path, kb))
    return tally


def table(tally):
    for what, called in LINES:
        good, n = tally.counts[what]
        if n:
            yield called, f"{good}/{n}", f"{100 * good / n:.1f} %"
    for (low, high), (good, n) in tally.bins.items():
        if n:
            yield (f"of fixes with p from {low:g} to {min(high, 1):g}, works",
                   f"{good}/{n}", f"{100 * good / n:.1f} %")


def main():
    read = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    read.add_argument("program")
    read.add_argument("--ideas", required=True)
    read.add_argument("--kb")
    read.add_argument("--set", dest="only", choices=["A", "B"])
    read.add_argument("-v", dest="is_verbose", action="store_true")
    read.add_argument("pairs", nargs="+", metavar="KEY LOGS_DIR")
    words = read.parse_args()
    pairs = list(zip(words.pairs[::2], words.pairs[1::2]))
    tally = run(words.program, pairs, ideas_of(words.ideas), words.kb,
                words.only)
    if words.is_verbose:
        print("\n".join(tally.misses))
    for called, count, share in table(tally):
        print(f"{called:46} {count:>9} {share:>8}")


if __name__ == "__main__":
    main()
