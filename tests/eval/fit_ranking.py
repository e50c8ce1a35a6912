#!/usr/bin/env python3
"""Fit the numbers of kb/ranking.yaml on set A of the answer keys, report on B.

    fit_ranking.py PROGRAM --ideas IDEAS.py [--write] (KEY.jsonl LOGS_DIR)...

One number at a time, over a few values around its own, for as long as the
score rises. The score is that of first fixes: accepted, less those that are
plainly wrong, and confirmed ones among the first three for half. A value has to
win by more than one log's worth, else the seed stays: the sets are small. With
--write, changed numbers and their origin go into kb/ranking.yaml.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile

import first_fix

TRIED = {
    "evidence_odds": (1.4, 1.65, 2, 2.5), "report_weight": (2, 4, 8),
    "p_condition": (0.4, 0.5, 0.6), "cure_some": (0.25, 0.3, 0.35),
    "cure_little": (0.08, 0.12, 0.15), "cure_else": (0.01, 0.03, 0.05),
    "effort_restart": (1.1, 1.2, 1.4), "effort_code": (1.3, 1.6, 2, 2.5),
    "effort_hardware": (3, 4, 6), "loses_speed": (1.1, 1.2, 1.4),
    "loses_capacity": (1.2, 1.4, 1.7), "loses_quality": (1.4, 1.7, 2, 2.4),
}
NEED = 1.5  # logs by which a value has to win


class Fit:
    def __init__(self, words, tree):
        self.words, self.tree = words, tree
        self.ideas = first_fix.ideas_of(words.ideas)
        self.page = tree / "kb/ranking.yaml"
        self.seen = {}

    def numbers(self):
        return {m[1]: float(m[2]) for m in re.finditer(
            r"id: (\w+), value: ([0-9.]+)", self.page.read_text())}

    def set(self, name, value, origin=None):
        text = self.page.read_text()
        row = rf"(\{{id: {name}, value: )[0-9.]+(, origin: )(\{{.*\}})(\}})"
        was = re.search(row, text)[3]
        self.page.write_text(re.sub(
            row, lambda m: f"{m[1]}{value:g}{m[2]}{origin or was}{m[4]}", text))

    def tally(self, which):
        index = self.tree / "index.db"
        subprocess.run([self.words.program, "build", str(self.tree / "entries"),
                        "-o", str(index)], check=True, capture_output=True)
        pairs = list(zip(self.words.pairs[::2], self.words.pairs[1::2]))
        return first_fix.run(self.words.program, pairs, self.ideas, str(index),
                             which)

    def score(self):
        """In logs of set A."""
        key = tuple(sorted(self.numbers().items()))
        if key not in self.seen:
            counts = self.tally("A").counts
            self.seen[key] = (counts["first"][0] - counts["wrong"][0]
                              + 0.5 * counts["confirmed"][0])
        return self.seen[key]

    def climb(self):
        """Changed numbers: name -> (was, is)."""
        seeds, best = self.numbers(), self.score()
        print(f"seeds: {best:g} on set A")
        is_better = True
        while is_better:
            is_better = False
            for name, values in TRIED.items():
                own = self.numbers()[name]
                for value in values:
                    self.set(name, value)
                    if self.score() >= best + NEED:
                        own, best, is_better = value, self.score(), True
                        print(f"{name} = {value:g}: {best:g}", flush=True)
                self.set(name, own)
        return {name: (seeds[name], value)
                for name, value in self.numbers().items()
                if value != seeds[name]}


def main():
    read = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    read.add_argument("program")
    read.add_argument("--ideas", required=True)
    read.add_argument("--write", action="store_true")
    read.add_argument("pairs", nargs="+", metavar="KEY LOGS_DIR")
    words = read.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for part in ("entries", "kb", "i18n"):
            shutil.copytree(part, tree / part)
        fit = Fit(words, tree)
        before = fit.tally("B")
        changed = fit.climb()
        after = fit.tally("B")
        for name, tally in (("seeds", before), ("fitted", after)):
            print(f"set B, {name}:")
            for called, count, share in first_fix.table(tally):
                print(f"  {called:46} {count:>9} {share:>8}")
        for name, (was, value) in changed.items():
            print(f"{name}: {was:g} -> {value:g}")
            n = fit.tally("A").counts["first"][1]
            fit.set(name, value, "{en: \"fitted on %d logs of set A, seed %g\", "
                    "zh: 在 A 组 %d 份日志上拟合，初值 %g}" % (n, was, n, was))
        if words.write:
            shutil.copy(fit.page, "kb/ranking.yaml")


if __name__ == "__main__":
    main()
