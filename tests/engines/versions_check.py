#!/usr/bin/env python3
"""The releases in which a message begins and ends, entry by entry, against those
in which its words were found (tests/data/oracle/versions.jsonl).

The data come from a sweep over wheels and repositories (docs/AUDIT.md): a head
for each product says from which release to which it looked, and before each
first release which one it had looked at (`steps`), and a line for each
signature in which stretches of releases all of its literals stand; a stretch
without an end reaches the newest. Signatures whose words are put together when
the program runs are not among them.
"""
import json
import os
import sys

import yaml

from release import order

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "oracle", "versions.jsonl")
ENTRIES = os.path.join(HERE, "..", "..", "entries")


def claims(entry, signature, product):
    """[events] of a signature for a product; none: it is gone."""
    with open(os.path.join(ENTRIES, entry + ".yaml"),
              encoding="utf-8") as file:
        for one in yaml.load(file, yaml.CSafeLoader).get("signatures", []):
            if one["id"] == signature:
                return [each.get("events", [])
                        for each in one.get("versions", [])
                        if each["product"] == product]
    return []


def stretches(events):
    """[[introduced, fixed or ""]]"""
    out = []
    for event in events:
        for word, release in event.items():
            if word == "introduced":
                out.append([str(release), ""])
            elif out:
                out[-1][1] = str(release)
    return out


def wrong(events, found, head):
    """Why the events cannot be what was found; None: they are."""
    said = stretches(events)
    if len(said) != len(found):
        return f"{len(said)} stretches, and {len(found)} were found"
    for (start, end), (first, last) in zip(said, found):
        if order(start) > order(first):
            return f"from {start}, and it stands in {first}"
        if order(start) < order(first) and first != head["first"]:
            before = head.get("steps", {}).get(first)
            if before is None or order(start) <= order(before):
                return f"from {start}, and {first} is the first that has it"
        if end and order(last or head["last"]) >= order(end):
            return f"gone in {end}, and it stands in {last or head['last']}"
        if last and not end:
            return f"no end, and {last} is the last that has it"
    return None


def main():
    with open(DATA, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    heads = {row["product"]: row for row in rows if "entry" not in row}
    failed = checked = 0
    for row in rows:
        if "entry" not in row:
            continue
        checked += 1
        found = claims(row["entry"], row["signature"], row["product"])
        why = "it has no versions now: sweep again" if not found else \
            wrong(found[0], row["found"], heads[row["product"]])
        if why:
            failed += 1
            print(f"{row['entry']} {row['signature']} ({row['product']}): "
                  f"{why}")
    print(f"versions: {checked} signatures of {len(heads)} products, "
          f"{failed} wrong")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
