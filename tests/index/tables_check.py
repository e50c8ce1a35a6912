#!/usr/bin/env python3
"""What the index says in SQL is what the entries say.

A run reads the pack; the tables are for who opens the file with sqlite3. Every
value of an entry's YAML has to stand in the column that src/index/tables.h
names for it, and the file has to be sound to SQLite for all that stands behind
its last page. Run from the top of the repository; OOMKB names the program, the
index stands beside it.
"""
import os
import pathlib
import sqlite3
import sys

sys.path.insert(0, "tests/support")
from entries import Shared, load  # noqa: E402

INDEX = pathlib.Path(os.environ.get("OOMKB", "build/oomkb")).parent / "oomkb.db"
SHARES = {"causes": ("cause", "share"), "cures": ("cause", "strength"),
          "set": ("name", "value")}
ALSO = {"how": "because"}  # a second key of a column
wrong, seen = [], 0


def expect(where, found, wanted):
    global seen
    seen += 1
    if found != wanted:
        wrong.append(f"{where}: {found!r} instead of {wanted!r}")


class Tables:
    def __init__(self, db):
        self.db = db
        db.row_factory = sqlite3.Row

    def rows(self, table, number):
        sql = f'SELECT * FROM "{table}" WHERE number = ?'
        return self.db.execute(sql, (number,)).fetchall()

    def row(self, table, places):
        for row in self.rows(table, places[0]):
            if tuple(row)[:len(places)] == tuple(places):
                return row
        wrong.append(f"{table}: no row {places}")
        return None

    def check_list(self, table, places, items):
        for i, item in enumerate(items):
            where = places + [i]
            if isinstance(item, dict):
                self.check(table, where, item)
            else:
                row = self.row(table, where)
                expect(f"{table} {where}", row and row["value"].strip(),
                       str(item).strip())

    def check_key(self, table, row, places, prefix, key, value):
        name = prefix + (ALSO.get(key, key) if "success" in prefix or
                         "fail" in prefix else key)
        if key in SHARES:
            first, second = SHARES[key]
            value = [{first: a, second: b} for a, b in value.items()]
        if key in ("events", "exists"):
            value = [{"is_fixed": "fixed" in event,
                      "version": next(iter(event.values()))}
                     for event in value]
        if isinstance(value, list):
            self.check_list(f"{table}_{name}", places, value)
        elif isinstance(value, dict) and "en" in value:
            for lang, text in value.items():
                expect(f"{table}.{name}", row[f"{name}_{lang}"].strip(),
                       text.strip())
        elif isinstance(value, dict):
            self.check_keys(table, row, places, name + "_", value)
        elif f"{name}_micro" in row.keys():
            expect(f"{table}.{name}", row[f"{name}_micro"],
                   round(value * 1000000))
        elif isinstance(row[name], str):
            expect(f"{table}.{name}", row[name].strip().lower(),
                   str(value).strip().lower())
        else:
            expect(f"{table}.{name}", row[name], int(value))

    def check_keys(self, table, row, places, prefix, noun):
        for key, value in noun.items():
            self.check_key(table, row, places, prefix, key, value)

    def check(self, table, places, noun):
        row = self.row(table, places)
        if row is not None:
            self.check_keys(table, row, places, "", noun)


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
        tables = Tables(db)
        number = {row["id"]: row["number"]
                  for row in db.execute("SELECT id, number FROM entry")}
        files = sorted(pathlib.Path("entries").glob("*/*.yaml"))
        expect("entries", len(number), len(files))
        for path in files:
            name = str(path.relative_to("entries").with_suffix(""))
            tables.check("entry", [number[name]], entry_of(shared, path))
        for i, name in enumerate(sorted(shared.causes)):
            tables.check("cause", [i], shared.causes[name])
        ranks = {row["id"]: row["number"]
                 for row in db.execute("SELECT id, number FROM ranking")}
        for row in load("kb/ranking.yaml")["numbers"]:
            tables.check("ranking", [ranks[row["id"]]], row)
    for line in wrong[:20]:
        print(line)
    if seen < 10000:
        print(f"only {seen} values were looked at")
    return 1 if wrong or seen < 10000 else 0


sys.exit(main())
