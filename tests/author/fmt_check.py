#!/usr/bin/env python3
"""`oomkb fmt`: one layout, in which an entry says what it said before."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
MESSY = r'''# Above all.
severity: failure   # behind a word
title: {en: "The toy: no room", zh: 玩具没有空间}
component: toy
mechanism: unspecified
root_cause:
    zh: >-
      没有
    en: "Nothing is left."
signatures:
    # Above an item.
    - pattern: 'refused (?<pid>\d+)'
      id: refused
      versions: [{product: toy, events: [{introduced: "1.0"}]}]
      sample: |
        toy refused 12
workarounds:
  - id: more
    effect: none
    acts_on:
      kind: code
    command: "true"
    how: {en: 'Say `a: b` and stop #1 there, which is a line of so many words that it cannot stand behind its key in the end', zh: "写 `a: b`"}
    when: ["engine = 'vllm'"]
  - use: other
    effect: none # taken away
first_seen: 2024-01-02
last_verified: "2024-02-03"
# At the end.
'''
NEAT = r'''# Above all.
title:
  en: "The toy: no room"
  zh: 玩具没有空间
mechanism: unspecified
severity: failure # behind a word
root_cause:
  en: Nothing is left.
  zh: 没有
signatures:
  # Above an item.
  - id: refused
    pattern: refused (?<pid>\d+)
    versions:
      - {product: toy, events: [{introduced: "1.0"}]}
    sample: |
      toy refused 12
workarounds:
  - id: more
    how:
      en: >-
        Say `a: b` and stop #1 there, which is a line of so many words that it cannot stand behind its key in the end
      zh: "写 `a: b`"
    acts_on: {kind: code}
    command: "true"
    when:
      - engine = 'vllm'
  - use: other
    effect: none # taken away
first_seen: 2024-01-02
last_verified: "2024-02-03"
# At the end.
'''
wrong = []


def fmt(*paths):
    return subprocess.run([OOMKB, "fmt", *map(str, paths)], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)


def expect(what, found, wanted):
    if found != wanted:
        wrong.append(f"{what}:\n{found}\ninstead of\n{wanted}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        toy = pathlib.Path(folder, "toy")
        toy.mkdir()
        path = toy / "messy.yaml"
        path.write_text(MESSY, encoding="utf-8")
        expect("said", fmt(path).stderr, "oomkb: 1 files, 1 changed\n")
        expect("layout", path.read_text(encoding="utf-8"), NEAT)
        expect("again", fmt(toy).stderr, "oomkb: 1 files, 0 changed\n")
        path.write_text("same_words_as: toy/other\ntitle: {zh: 乙, en: A}\n",
                        encoding="utf-8")
        expect("of a group", fmt(path).stderr, "oomkb: 1 files, 1 changed\n")
        table = "rows:\n  - {a: 1,   b: 2}\n"
        path.write_text(table, encoding="utf-8")
        expect("no entry", fmt(path).stderr, "oomkb: 1 files, 0 changed\n")
        expect("as it stood", path.read_text(encoding="utf-8"), table)
        path.write_text("a: [", encoding="utf-8")
        expect("no YAML", fmt(path).returncode, 2)
        expect("as it was", path.read_text(encoding="utf-8"), "a: [")
        path.write_text("b: 1\na: 2\nb: 3\n", encoding="utf-8")
        expect("a key twice", fmt(path).returncode, 2)
        expect("none lost", path.read_text(encoding="utf-8")[-5:], "b: 3\n")
        expect("no file", fmt(toy / "nowhere.yaml").returncode, 2)
        entries = pathlib.Path(folder, "entries")
        shutil.copytree("entries", entries)
        fmt(entries)
        done = fmt(entries).stderr.split(", ")[-1]
        expect("every entry twice", done, "0 changed\n")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
