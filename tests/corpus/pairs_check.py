#!/usr/bin/env python3
"""Messages that look alike, and messages that follow from one another.

tests/corpus/pairs.tsv holds them, each with the entry that has to answer (its
head says how it is written). Here:
  - the root is the entry that is named, and no other failure stands beside it,
  - a consequence or wrapper that is named is there, and its cause is the root,
  - where `-` is named, nothing is called a failure,
  - the messages of one pair get different answers.
Run from the top of the repository; OOMKB names the program.
"""
import collections
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from many import reports_of  # noqa: E402

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
TABLE = pathlib.Path("tests/corpus/pairs.tsv")


def unescaped(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)


def rows():
    """(group, line number, message, answer)"""
    group = None
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        if re.match(r"# (pair|chain) \d+: ", line):
            group = line[2:]
        elif line and not line.startswith("#"):
            message, answer = line.split("\t")
            yield group, number, unescaped(message), answer


def failures_of(findings):
    return {f["entry"] for f in findings
            if f["role"] == "root" and f["severity"] == "failure"}


def beside(name, findings, roots):
    """What is wrong with an entry named after the root; or None."""
    severity, _, entry = name.rpartition("=")
    found = [f for f in findings if f["entry"] == entry]
    if not found:
        return f"{entry} is missing"
    if severity:
        return None if found[0]["severity"] == severity \
            else f"{entry} is a {found[0]['severity']}"
    if found[0]["role"] == "root":
        return f"{entry} is a root"
    cause = findings[found[0]["cause"]]["entry"]
    return None if cause in roots else f"the cause of {entry} is {cause}"


def faults(answer, findings):
    first, *others = answer.split()
    failed = failures_of(findings)
    if first == "-":
        return [f"is called a failure: {sorted(failed)}"] if failed else []
    roots = set(first.split("+"))
    found = {f["entry"] for f in findings if f["role"] == "root"}
    out = []
    if not roots <= found:
        out.append(f"roots are {sorted(found)}")
    if failed - roots:
        out.append(f"also fails: {sorted(failed - roots)}")
    return out + [w for w in (beside(o, findings, roots) for o in others) if w]


def twins(table):
    """Pairs whose messages do not differ in their answers."""
    answers = collections.defaultdict(set)
    for group, _, _, answer in table:
        answers[group].add(answer)
    return [g for g, a in answers.items() if g.startswith("pair") and len(a) < 2]


def main():
    table = list(rows())
    count = collections.Counter(g.split(" ")[0] for g in {r[0] for r in table})
    bad = [f"{TABLE}: {g}: one answer only" for g in twins(table)]
    reports = reports_of(PROGRAM,
                         [message + "\n" for _, _, message, _ in table])
    for (group, number, _, answer), report in zip(table, reports, strict=True):
        bad += [f"{TABLE}:{number}: {group}: wants {answer}; {fault}"
                for fault in faults(answer, report["findings"])]
    for line in bad:
        print(line)
    print(f"pairs: {count['pair']} pairs, {count['chain']} chains, "
          f"{len(table)} messages, {len(bad)} faults")
    return 1 if bad or not table else 0


if __name__ == "__main__":
    sys.exit(main())
