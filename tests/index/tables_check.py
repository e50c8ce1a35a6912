#!/usr/bin/env python3
"""What the index says in SQL is what the entries say.

A run reads the pack; the tables are for who opens the file with sqlite3. Every
value of an entry's YAML has to stand under its key in the entry's JSON, and the
file has to be sound to SQLite for all that stands behind its last page. Run from
the top of the repository; OOMKB names the program, the index stands beside it.
"""
import json
import os
import pathlib
import sqlite3
import sys

sys.path.insert(0, "tests/support")
from entries import Shared, load  # noqa: E402

INDEX = pathlib.Path(os.environ.get("OOMKB", "build/oomkb")).parent / "oomkb.db"
SHARES = {"causes": ("cause", "share"), "cures": ("cause", "strength"),
          "set": ("name", "value")}
wrong, seen = [], 0


def expect(where, found, wanted):
    global seen
    seen += 1
    if found != wanted:
        wrong.append(f"{where}: {found!r} instead of {wanted!r}")


def as_listed(key, value):
    """Mappings of facts or causes, and events, are lists of two keys there."""
    if key in SHARES:
        first, second = SHARES[key]
        return [{first: a, second: b} for a, b in value.items()]
    if key in ("events", "exists"):
        return [{"is_fixed": "fixed" in event,
                 "version": next(iter(event.values()))} for event in value]
    return value


def check(where, found, wanted):
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            name = "because" if key == "how" and "basis" in wanted else key
            check(f"{where}.{name}", (found or {}).get(name),
                  as_listed(key, value))
    elif isinstance(wanted, list):
        expect(f"{where}: length", len(found or []), len(wanted))
        for i, item in enumerate(wanted[:len(found or [])]):
            check(f"{where}[{i}]", found[i], item)
    elif isinstance(wanted, (bool, int, float)) and not isinstance(found, str):
        expect(where, found or 0, wanted)
    elif wanted != "none" or found is not None:  # none is left out
        expect(where, str(found).strip().lower(), str(wanted).strip().lower())


def entry_of(shared, path):
    """all_of and none_of are one list there."""
    entry = shared.entry(path)
    none_of = [{**c, "is_none_of": True} for c in entry.pop("none_of", [])]
    if none_of:
        entry["all_of"] = entry.get("all_of", []) + none_of
    for fix in entry["workarounds"]:
        fix.pop("when", None)  # a row of its acts_on may add to it
    return entry


def main():
    shared = Shared()
    with sqlite3.connect(f"file:{INDEX}?mode=ro", uri=True) as db:
        expect("integrity", db.execute("PRAGMA integrity_check").fetchall(),
               [("ok",)])
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        expect("a pack behind the pages",
               INDEX.stat().st_size > pages * 4096, True)
        nouns = {table: {name: json.loads(text) for name, text in db.execute(
            f"SELECT id, json FROM {table}")}
                 for table in ("entry", "cause", "ranking")}
        numbers = db.execute("SELECT number FROM entry ORDER BY id").fetchall()
        expect("numbers", [n for n, in numbers], list(range(len(numbers))))
        files = sorted(pathlib.Path("entries").glob("*/*.yaml"))
        expect("entries", len(nouns["entry"]), len(files))
        for path in files:
            name = str(path.relative_to("entries").with_suffix(""))
            check(name, nouns["entry"][name], entry_of(shared, path))
        for name, cause in shared.causes.items():
            check(name, nouns["cause"][name], cause)
        for row in load("kb/ranking.yaml")["numbers"]:
            check(row["id"], nouns["ranking"][row["id"]], row)
    for line in wrong[:20]:
        print(line)
    if seen < 10000:
        print(f"only {seen} values were looked at")
    return 1 if wrong or seen < 10000 else 0


sys.exit(main())
