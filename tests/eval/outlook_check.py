#!/usr/bin/env python3
"""The table of outlooks (outlook.tsv): how often what the program says of a
restart is so. `again` stands where an unchanged restart worked in no thread,
and of what is decided nine in ten are right: in all, and where each fifth of the
repositories is answered only by those grounds that were right in the others.
With a folder of logs, each named as its address with `_` for `/`
(github.com_owner_name_issues_1.log), the program is run on those anew and has to
say the same."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib

HERE = pathlib.Path(__file__).parent
WORDS = HERE / "../../i18n/en.yaml"
OOMKB = os.environ.get("OOMKB", "build/oomkb")
MEANS = {"again": "again", "passes": "may_pass"}
AGREED = 0.9  # of what is decided
FOLDS = 5
Row = collections.namedtuple("Row", "set url label first now ground seen why")


def rows():
    for line in (HERE / "outlook.tsv").read_text().splitlines():
        if not line.startswith("#"):
            yield Row(*line.split("\t"))


def grounds():
    """Each sentence of diagnose.outlook, up to its first amount."""
    part = re.search(r"^  outlook:\n((?:    .*\n)+)    unknown: The log does not",
                     WORDS.read_text(), re.M)
    lines = re.findall(r'^    (\w+): "?([^"{\n]*)', part.group(1), re.M)
    return {start: name for name, start in lines}


def said(log):
    done = subprocess.run([OOMKB, "--format", "json", log], check=False,
                          stdout=subprocess.PIPE)
    roots = [f for f in json.loads(done.stdout)["findings"]
             if f["role"] == "root"]
    if not roots:
        return "none", "none"
    outlook = roots[0]["outlook"]
    named = [name for start, name in grounds().items()
             if outlook["because"].startswith(start)]
    return outlook["restart"], (named or ["unknown"])[0]


def count(answers):
    """Right, decided and falsely `again` of (label, answer)."""
    decided = [(label, answer) for label, answer in answers
               if answer in MEANS.values()]
    return (sum(MEANS[label] == answer for label, answer in decided),
            len(decided), decided.count(("passes", "again")))


def score(group, answers):
    right, decided, false = count(answers)
    print(f"outlook, {group}: {right} of {decided} decided are right, "
          f"{len(answers)} in all, {false} `again` where a restart worked")
    return right >= AGREED * decided and false == 0


def fold(row):
    return zlib.crc32("/".join(row.url.split("/")[3:5]).encode()) % FOLDS


def held_out(known):
    """What is said where a ground speaks only if it was right elsewhere."""
    for row in known:
        others = [(r.label, r.now) for r in known
                  if r.ground == row.ground and fold(r) != fold(row)]
        right, decided, false = count(others)
        trusted = decided > 0 and right >= AGREED * decided and false == 0
        yield row.label, row.now if trusted else "unknown"


def changed(folders):
    for row in rows():
        for folder in folders:
            name = row.url.removeprefix("https://").replace("/", "_") + ".log"
            log = pathlib.Path(folder) / name
            if log.exists() and said(log) != (row.now, row.ground):
                print(f"{row.url}: now {said(log)}, the table has another")
                yield row.url


def main():
    known = [row for row in rows() if row.now != "-"]
    for name in sorted({row.set for row in rows()}):
        score(f"set {name}, first run",
              [(r.label, r.first) for r in rows() if r.set == name])
    for name in sorted({row.ground for row in known}):
        score(f"ground {name}",
              [(r.label, r.now) for r in known if r.ground == name])
    agrees = score("all, now", [(r.label, r.now) for r in known])
    agrees &= score("held out", list(held_out(known)))
    return 0 if agrees and not list(changed(sys.argv[1:])) else 1


if __name__ == "__main__":
    sys.exit(main())
