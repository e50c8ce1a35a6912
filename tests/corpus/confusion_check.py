#!/usr/bin/env python3
"""Every sample across every entry: who answers whose words.

    confusion_check.py [--write PAGE]

A sample is a signature's sample or an entry's <slug>.log, which its entry or
its kin must answer; <slug>.ok.log is a counter-sample, which its entry must
not. Every finding on a sample of another entry is off the diagonal and needs a
reason that the corpus declares:

    group      both answer the same words (same_words_as)
    relation   a relation of either names the other
    guess      an entry of unknown/, which speaks where nothing else does
    engine     what the log around the failure holds by intent: a <slug>.log or
               .ok.log shows another known failure, in its lines or as a cause

Only the last two need no declaration: a guess is no rival, and a log, unlike a
one-message sample, may hold a second failure; those are listed, so that a
person can see them. A counter-sample that a failure of another entry answers
is listed too. Everything else fails. Run from the top of the repository; OOMKB
names the program.
"""
import argparse
import collections
import os
import pathlib
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from many import reports_of  # noqa: E402

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
ENTRIES = pathlib.Path("entries")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def corpus():
    """id -> entry, withdrawn ones left out."""
    read = {}
    for path in sorted(ENTRIES.glob("*/*.yaml")):
        entry = yaml.load(path.read_text(), LOADER)
        if "withdrawn" not in entry:
            read[str(path.relative_to(ENTRIES))[:-5]] = entry
    return read


def samples(entries):
    """(owner, kind, name, text)"""
    for name, entry in entries.items():
        for signature in entry.get("signatures", []):
            yield name, "sample", signature["id"], signature["sample"]
        for kind in ("log", "ok.log"):
            path = ENTRIES / f"{name}.{kind}"
            if path.exists():
                yield name, kind, path.name, path.read_text()


def answers(texts):
    """For each text: [(entry, role, severity)]."""
    return [[(f["entry"], f["role"], f["severity"])
             for f in report["findings"]]
            for report in reports_of(PROGRAM, texts)]


def head(entries, name):
    return entries[name].get("same_words_as", name)


def relates(entries, one, other):
    return any(r["entry"] == other for r in entries[one].get("relations", []))


def reason(entries, owner, spoke):
    """How the corpus declares that spoke may answer a sample of owner."""
    if head(entries, owner) == head(entries, spoke):
        return "group"
    if relates(entries, owner, spoke) or relates(entries, spoke, owner):
        return "relation"
    if spoke.startswith("unknown/"):
        return "guess"
    # kin of kin: the head of a group is named, a member of it speaks
    group = [e for e in entries if head(entries, e) == head(entries, spoke)]
    mine = [e for e in entries if head(entries, e) == head(entries, owner)]
    if any(relates(entries, a, b) or relates(entries, b, a)
           for a in mine for b in group):
        return "relation"
    return None


class Matrix:
    def __init__(self, entries):
        self.entries = entries
        self.cells = collections.Counter()  # (owner, spoke) -> findings
        self.faults, self.notes = [], []
        self.count = collections.Counter()

    def add(self, owner, kind, name, found):
        self.count[kind] += 1
        spoke = {entry for entry, _, _ in found}
        if kind == "ok.log":
            self.counter(owner, name, found)
            return
        if kind == "log" and owner not in spoke:
            self.faults.append(f"{owner}: silent on its own {name}")
        for entry in spoke:
            self.cells[owner, entry] += 1
            if entry == owner or reason(self.entries, owner, entry):
                continue
            text = f"{owner}: {kind} {name} is answered by {entry}"
            (self.faults if kind == "sample" else self.notes).append(text)

    def counter(self, owner, name, found):
        for entry, _, severity in found:
            if entry == owner:
                self.faults.append(f"{owner}: answers its counter-sample "
                                   f"{name}")
            elif severity == "failure" and not reason(self.entries, owner,
                                                      entry):
                self.notes.append(f"{owner}: counter-sample {name} is "
                                  f"answered by {entry}")

    def off_diagonal(self):
        return {k: n for k, n in self.cells.items() if k[0] != k[1]}

    def sums(self):
        off = self.off_diagonal()
        by = collections.Counter(reason(self.entries, *k) or "engine"
                                 for k in off)
        counted = ", ".join(f"{n} by {why}" for why, n in sorted(by.items()))
        return (f"{len(self.entries)} entries, {self.count['sample']} samples, "
                f"{self.count['log']} logs, {self.count['ok.log']} "
                f"counter-samples; {len(off)} pairs off the diagonal: "
                f"{counted}; {len(self.faults)} undeclared")


def page(matrix):
    """The matrix for people: a row an entry, what stands off the diagonal."""
    lines = ["# Confusion matrix", "",
             "Written by `make confusion`: every sample of every entry, read "
             "by the whole knowledge base. A row is", "an entry; `own` counts "
             "its samples that it answers itself, the rest who else spoke on "
             "them and why", "that may be (`tests/corpus/confusion_check.py` "
             "tells the reasons).", "", matrix.sums() + ".", "",
             "| entry | own | others |", "| --- | --- | --- |"]
    others = collections.defaultdict(list)
    for (owner, spoke), n in sorted(matrix.off_diagonal().items()):
        why = reason(matrix.entries, owner, spoke) or "engine"
        others[owner].append(f"{spoke} {n} ({why})")
    for owner in matrix.entries:
        lines.append(f"| {owner} | {matrix.cells[owner, owner]} | "
                     f"{'; '.join(others[owner])} |")
    if matrix.notes:
        lines += ["", "## Logs that hold more than one failure", ""]
        lines += [f"- {note}" for note in matrix.notes]
    return "\n".join(lines) + "\n"


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--write", type=pathlib.Path)
    opts = args.parse_args()
    entries = corpus()
    rows = list(samples(entries))
    matrix = Matrix(entries)
    for (owner, kind, name, _), found in zip(rows, answers(
            [text for *_, text in rows])):
        matrix.add(owner, kind, name, found)
    if opts.write:
        opts.write.write_text(page(matrix))
    print(matrix.sums())
    print("\n".join(matrix.faults))
    sys.exit(1 if matrix.faults or not matrix.cells else 0)


if __name__ == "__main__":
    main()
