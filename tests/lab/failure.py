"""A failure of the lab: one file of failures/, read and checked.

    program    whose failure it is; at most PER_PROGRAM files of one program
    failure    what happens, in a few words
    needs      Python modules and programs without which it is not run
    python     which environment of the cache: py (left out), tf
    limits     of the box (box.py)
    files      what lies beside run.sh
    prepare    a script run beforehand, without limits: what is compiled
    run        the script; $PYTHON is the cache's, $PROGRAMS the folder
               programs/, $FIX what `appends` adds
    shows      a pattern: in the output of a run that ended well
    reads      what oomkb is given: output (left out), kernel, counters
    entry      the right answer
    fixes      by the fix's id: how it is put to use
    predicts   numbers that the report gives, and where each is measured

A fix:
    take       a pattern, looked for in what the report prints of the first
               fix: its command, its action, its steps, its arithmetic. Its
               first group, or all of it, is the text that is applied.
    fill       {SIZE: 512m}: words that the report leaves open, and what the
               lab puts there
    replaces   a pattern in the script and its files: the text stands there
               instead
    appends    yes: the text is added to the command line
    exports    yes: the text is NAME=value, set for the second run
    before     yes: the text is a command, run before the script
    limit      the limit of the box that the text, an amount, becomes;
               `plus` is added to it. With `times` the text is words, and the
               limit becomes so many times what it was;
               with `adds`, so much more as that fact of the report
    by_hand    {old: new}: a change of the program that the steps ask for in
               words; `take` then only proves that they do
"""
import os
import re
from collections import namedtuple
from glob import glob

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
PER_PROGRAM = 3
KEYS = {"program", "failure", "needs", "python", "limits", "files", "prepare",
        "run",
        "shows", "reads", "entry", "fixes", "predicts"}
LIMITS = {"memory", "address_space", "data", "locked", "shm"}
WAYS = {"replaces", "appends", "exports", "before", "limit", "by_hand"}

Failure = namedtuple("Failure", "name program failure needs python limits "
                                "files prepare run shows reads entry fixes predicts")


class BadFile(Exception):
    """A file of failures/ that is not what this page says."""


def require(is_so, name, what):
    if not is_so:
        raise BadFile(f"{name}: {what}")


def check_fix(name, fix_id, fix):
    ways = WAYS & set(fix)
    require(len(ways) == 1, name, f"fix {fix_id}: one of {sorted(WAYS)}")
    require("take" in fix, name, f"fix {fix_id}: take is missing")
    require(not set(fix) - WAYS - {"take", "fill", "plus", "times",
                               "adds"}, name,
            f"fix {fix_id}: a key that is none")
    re.compile(fix["take"])
    if "limit" in fix:
        require(fix["limit"] in LIMITS, name, f"no limit {fix['limit']}")


def read(path):
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path, encoding="utf-8") as file:
        row = yaml.safe_load(file)
    require(not set(row) - KEYS, name, f"keys {sorted(set(row) - KEYS)}")
    for key in ("program", "failure", "run", "shows", "entry", "fixes"):
        require(key in row, name, f"{key} is missing")
    limits = row.get("limits", {})
    require(not set(limits) - LIMITS, name, "a limit that is none")
    for fix_id, fix in row["fixes"].items():
        check_fix(name, fix_id, fix)
    return Failure(name, row["program"], row["failure"], row.get("needs", []),
                   row.get("python", "py"), limits, row.get("files", {}),
                   row.get("prepare"), row["run"], row["shows"], row.get("reads", ["output"]),
                   row["entry"], row["fixes"], row.get("predicts", []))


def read_all():
    failures = [read(path) for path in
                sorted(glob(os.path.join(HERE, "failures", "*.yaml")))]
    for one in failures:
        same = [f for f in failures if f.program == one.program]
        require(len(same) <= PER_PROGRAM, one.name,
                f"more than {PER_PROGRAM} of {one.program}")
    return failures
