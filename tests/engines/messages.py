#!/usr/bin/env python3
"""Messages about memory that a release can print, and which entry knows them.

    messages.py OOMKB PACKAGE RELEASE... [--texts] [--write]

A message that is raised or logged as an error and speaks of what is missing is
filled in with numbers and given to the program; of a library only pieces of
messages are known: they are looked for in the samples of the entries. With --write, which entries
answered, and why none did, goes to tests/data/oracle/messages.jsonl (a release
a line, for docs/ORACLES.md). uncovered.yaml says why a message has none; with
--texts those that it does not name are printed: they are the engine's
sentences and are not kept.
"""
import collections
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

import binary_messages
import surface
from release import order

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data",
                    "oracle", "messages.jsonl")
REASONS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "uncovered.yaml")
ENTRIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                       "entries")
SHORT = re.compile(
    r"out of memory|OOM\b|not enough|no available|insufficient|is larger than"
    r"|exceed|less than|too (?:small|large|many|big)|cannot allocate|"
    r"fail\w* to allocate|unable to allocate|ran out|no (?:free|more)|"
    r"(?:increase|increasing|reduce|reducing|decrease|decreasing|lower) ", re.I)
RAISED = {"error", "exception", "critical", "fatal"}


def is_failure(text, how):
    return SHORT.search(text) is not None and \
        (how in RAISED or how in ("line", "piece") or how[:1].isupper())


def filled(text):
    """The message as a run might print it."""
    text = re.sub(r"\{\}(?=\s*/\s*\{\})", "3.87", text)
    text = re.sub(r"\{\}(?=\s?(?:GiB|GB))", "12.34", text)
    text = re.sub(r"allocate \{\} buffer", "allocate CUDA0 buffer", text)
    text = text.replace("space in {}:", "space in /dev/shm:")
    text = re.sub(r"(device|on) \{\}", r"\1 cuda:0", text)
    text = re.sub(r"utilization \(\{\}", "utilization (0.92", text)
    return text.replace("{}", "4096")


def entry_of(program, text, how, path):
    """The entry that answers the message; None: none that names it."""
    line = text if how == "line" else f"{how}: {text}" if how[:1].isupper() else \
        f"ERROR 11-20 10:01:31 [{os.path.basename(path)}:90] {text}"
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        log.write(line + "\n")
        log.flush()
        done = subprocess.run([program, "--format", "json", log.name],
                              stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.DEVNULL)
    found = json.loads(done.stdout)["findings"] if done.stdout else []
    named = [one["entry"] for one in found
             if not one["entry"].startswith("unknown/")]
    return named[0] if named else None


@functools.cache
def samples(package):
    """[(entry, sample in one line)] of the signatures that the package prints."""
    out = []
    for folder, _, names in os.walk(ENTRIES):
        for name in sorted(one for one in names if one.endswith(".yaml")):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                entry = yaml.load(file, yaml.CSafeLoader)
            named = os.path.relpath(path, ENTRIES)[:-len(".yaml")]
            out += [(named, re.sub(r"\s+", " ", one.get("sample", "")))
                    for one in entry.get("signatures", [])
                    if any(each["product"] == package
                           for each in one.get("versions", []))]
    return sorted(out)


def entry_with(piece, package):
    """The entry with most samples in which a piece of a message stands."""
    parts = binary_messages.parts_of(piece)
    count = collections.Counter(
        entry for entry, sample in samples(package)
        if parts and all(part in sample for part in parts))
    return count.most_common(1)[0][0] if count else None


def look(program, package, release):
    """(what is stored, the messages that neither an entry nor a reason has)."""
    with open(REASONS, encoding="utf-8") as file:
        reasons = yaml.load(file, yaml.CSafeLoader).get(package, [])
    known, without, left = collections.Counter(), collections.Counter(), []
    texts = surface.Surface(package, release).messages
    for text, (how, path) in sorted(texts.items()):
        if not is_failure(text, how):
            continue
        entry = entry_with(text, package) if how == "piece" else \
            entry_of(program, filled(text), how, path)
        if entry:
            known[entry] += 1
            continue
        why = [one["why"] for one in reasons if one["part"] in text]
        without[why[0] if why else ""] += 1
        if not why:
            left.append((path, how, text))
    return {"package": package, "release": release,
            "known": dict(sorted(known.items())),
            "unknown": dict(sorted(without.items()))}, left


def load():
    if not os.path.exists(DATA):
        return []
    with open(DATA, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write(rows):
    """In the place of what was stored of the same releases."""
    stored = {(row["package"], row["release"]): row for row in load() + rows}
    with open(DATA, "w", encoding="utf-8") as file:
        for _, row in sorted(stored.items(), key=lambda one: (
                one[0][0], order(one[0][1]))):
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def main(words):
    program, package = words[0], words[1]
    rows = []
    for release in [word for word in words[2:] if not word.startswith("-")]:
        row, left = look(program, package, release)
        rows.append(row)
        for line in left if "--texts" in words else []:
            print(release, *line, sep="\t")
        print(f"{package} {release}: {sum(row['known'].values())} messages "
              f"are known by {len(row['known'])} entries, "
              f"{sum(row['unknown'].values())} by none, {len(left)} of these "
              "without a reason in uncovered.yaml")
    if "--write" in words:
        write(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
