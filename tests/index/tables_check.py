#!/usr/bin/env python3
"""What the index says in SQL is what the entries say.

A run reads the pack; the tables are for who opens the file with sqlite3. Each
entry's rows are held against its YAML, and the file has to be sound to SQLite
for all that stands behind its last page. Run from the top of the repository;
OOMKB names the program, the index stands beside it.
"""
import os
import pathlib
import sqlite3
import sys

sys.path.insert(0, "tests/support")
from entries import Shared, load  # noqa: E402

INDEX = pathlib.Path(os.environ.get("OOMKB", "build/oomkb")).parent / "oomkb.db"
wrong = []


def expect(where, found, wanted):
    if found != wanted:
        wrong.append(f"{where}: {found!r} instead of {wanted!r}")


def plain(text):
    return str(text if text is not None else "").strip()


def texts_of(entry):
    """(field, ordinal, lang) -> text, as entry_text has them."""
    out = {}

    def add(field, ordinal, text):
        for lang, words in (text or {}).items():
            out[field, ordinal, lang] = plain(words)

    add("title", 0, entry["title"])
    add("root_cause", 0, entry["root_cause"])
    add("withdrawn", 0, entry.get("withdrawn"))
    for i, fix in enumerate(entry.get("workarounds", [])):
        for name in ("action", "how", "trade_off"):
            add("workarounds." + name, i, fix.get(name))
        rate = fix.get("success", {})
        add("workarounds.success.because", i,
            rate.get("because", rate.get("how")))
    for i, end in enumerate(entry.get("dead_ends", [])):
        for name in ("action", "why", "instead"):
            add("dead_ends." + name, i, end.get(name))
        rate = end.get("fail", {})
        add("dead_ends.fail.because", i,
            rate.get("because", rate.get("how")))
    for key, name in (("versions", "note"), ("hardware", "note"),
                      ("docs", "claim"), ("evidence", "claim"),
                      ("relations", "tell_apart")):
        for i, row in enumerate(entry.get(key, [])):
            add(f"{key}.{name}", i, row.get(name))
    return {key: text for key, text in out.items() if text}


def check_lists(ask, name, number, entry):
    signatures = entry.get("signatures", [])
    expect(f"{name}: signature",
           ask("SELECT s.id, p.kind, s.sample FROM signature AS s "
               "JOIN pattern AS p ON p.id = s.pattern WHERE s.entry = ? "
               "ORDER BY s.ordinal", number),
           [(s["id"], "signature", s.get("sample", "")) for s in signatures])
    expect(f"{name}: when",
           [plain(v) for v, in ask("SELECT value FROM entry_list WHERE "
                                   "entry = ? AND field = 'when' "
                                   "ORDER BY item", number)],
           [plain(w) for w in entry.get("when", [])])
    expect(f"{name}: workaround",
           ask("SELECT w.id, w.flag, w.effort, w.loses, w.frees, w.use, "
               "w.effect, r.basis FROM "
               "workaround AS w JOIN rate AS r ON r.entry = w.entry AND "
               "r.owner = 'workaround' AND r.ordinal = w.ordinal "
               "WHERE w.entry = ? ORDER BY w.ordinal", number),
           [(w["id"], w["acts_on"].get("flag", ""), w["effort"],
             w["loses"], w["frees"], w.get("use", ""),
             w.get("effect", "none"),
             w.get("success", {}).get("basis", "none"))
            for w in entry["workarounds"]])
    expect(f"{name}: cures",
           ask("SELECT ordinal, cause, strength FROM cure WHERE entry = ? "
               "ORDER BY ordinal, item", number),
           [(i, *cure) for i, w in enumerate(entry["workarounds"])
            for cure in w["cures"].items()])
    expect(f"{name}: causes",
           ask("SELECT cause, share_micro FROM entry_cause WHERE entry = ? "
               "ORDER BY ordinal", number),
           [(cause, round(share * 1000000))
            for cause, share in entry["causes"].items()])
    expect(f"{name}: links",
           ask("SELECT field, url FROM reference WHERE entry = ? "
               "ORDER BY field, ordinal", number),
           [("doc", d["url"]) for d in entry.get("docs", [])] +
           [("evidence", d["url"]) for d in entry.get("evidence", [])])


def check_entry(ask, name, entry):
    rows = ask("SELECT number, component, mechanism, severity, role, "
               "same_words_as FROM entry WHERE id = ?", name)
    if len(rows) != 1:
        wrong.append(f"{name}: {len(rows)} rows in entry")
        return
    number = rows[0][0]
    expect(name, rows[0][1:],
           (entry.get("component", name.split("/")[0]), entry["mechanism"],
            entry["severity"], entry["role"], entry.get("same_words_as", "")))
    found = {(f, o, lang): plain(text) for f, o, lang, text in
             ask("SELECT field, ordinal, lang, text FROM entry_text "
                 "WHERE entry = ?", number)}
    expect(f"{name}: entry_text", found, texts_of(entry))
    check_lists(ask, name, number, entry)


def check_causes(ask, shared):
    expect("causes",
           ask("SELECT id, mechanism, name_en, name_zh FROM cause"),
           [(id, shared.causes[id]["mechanism"],
             shared.causes[id]["name"]["en"], shared.causes[id]["name"]["zh"])
            for id in sorted(shared.causes)])
    expect("evidence",
           ask("SELECT c.id, e.ordinal, e.predicate, e.weight, e.family "
               "FROM cause_evidence AS e JOIN cause AS c "
               "ON c.number = e.cause ORDER BY c.id, e.ordinal"),
           [(id, i, row["when"], row["weight"], row.get("family", ""))
            for id in sorted(shared.causes)
            for i, row in enumerate(shared.causes[id].get("evidence", []))])
    expect("ranking", ask("SELECT id, micro FROM ranking ORDER BY id"),
           sorted((row["id"], round(row["value"] * 1000000))
                  for row in load("kb/ranking.yaml")["numbers"]))


def main():
    shared = Shared()
    with sqlite3.connect(f"file:{INDEX}?mode=ro", uri=True) as db:
        def ask(sql, *values):
            return db.execute(sql, values).fetchall()
        expect("integrity", ask("PRAGMA integrity_check"), [("ok",)])
        pages = ask("PRAGMA page_count")[0][0]
        expect("a pack behind the pages",
               INDEX.stat().st_size > pages * 4096, True)
        files = sorted(pathlib.Path("entries").glob("*/*.yaml"))
        expect("entries", ask("SELECT count(*) FROM entry"), [(len(files),)])
        for path in files:
            name = str(path.relative_to("entries").with_suffix(""))
            check_entry(ask, name, shared.entry(path))
        check_causes(ask, shared)
    for line in wrong[:20]:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
