#!/usr/bin/env python3
"""Messages about memory that a release can print, and which entry knows them.

    messages.py OOMKB PACKAGE RELEASE... [--texts] [--write FILE]

A message that is raised or logged as an error and speaks of what is missing is
filled in with numbers and given to the program. Which entries answered, and
where in the package those stand that none did, is written to FILE (a release a
line). uncovered.yaml says why a message has none; with --texts those that it does
not name are printed: they are the engine's sentences and
are not kept.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import yaml

import surface

REASONS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "uncovered.yaml")
SHORT = re.compile(
    r"out of memory|OOM\b|not enough|no available|insufficient|is larger than"
    r"|exceed|less than|too (?:small|large|many|big)|cannot allocate|"
    r"fail\w* to allocate|unable to allocate|ran out|no (?:free|more)|"
    r"(?:increase|increasing|reduce|reducing|decrease|decreasing|lower) ", re.I)
RAISED = {"error", "exception", "critical", "fatal"}


def is_failure(text, how):
    return SHORT.search(text) is not None and \
        (how in RAISED or how[:1].isupper())


def filled(text):
    """The message as a run might print it."""
    text = re.sub(r"\{\}(?=\s*/\s*\{\})", "3.87", text)
    text = re.sub(r"\{\}(?=\s?(?:GiB|GB))", "12.34", text)
    text = re.sub(r"(device|on) \{\}", r"\1 cuda:0", text)
    text = re.sub(r"utilization \(\{\}", "utilization (0.92", text)
    return text.replace("{}", "4096")


def entry_of(program, text, how, path):
    """The entry that answers the message; None: none that names it."""
    line = f"{how}: {text}" if how[:1].isupper() else \
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


def main(words):
    program, package = words[0], words[1]
    target = words[words.index("--write") + 1] if "--write" in words else None
    releases = [word for word in words[2:]
                if not word.startswith("-") and word != target]
    lines = []
    with open(REASONS, encoding="utf-8") as file:
        reasons = yaml.safe_load(file).get(package, [])
    for release in releases:
        left = 0
        known, places = collections.Counter(), collections.Counter()
        texts = surface.Surface(package, release).messages
        for text, (how, path) in sorted(texts.items()):
            if not is_failure(text, how):
                continue
            entry = entry_of(program, filled(text), how, path)
            if entry:
                known[entry] += 1
                continue
            places["/".join(path.split("/")[1:4])] += 1
            has_reason = any(one["part"] in text for one in reasons)
            left += not has_reason
            if not has_reason and "--texts" in words:
                print(release, path, how, text, sep="\t")
        print(f"{package} {release}: {sum(known.values())} messages are "
              f"known by {len(known)} entries, {sum(places.values())} by none, "
              f"{left} of these without a reason in uncovered.yaml")
        lines.append(json.dumps({"package": package, "release": release,
                                 "known": dict(sorted(known.items())),
                                 "unknown": dict(sorted(places.items()))},
                                separators=(",", ":")))
    if target:
        with open(target, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
