#!/usr/bin/env python3
"""`oomkb check --stale`: what is due is listed, oldest first, and nothing else.

A small corpus of our own with dates reckoned from today. Run from the top of
the repository; OOMKB names the program.
"""
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
FAULTS = []


def expect(is_true, what):
    if not is_true:
        FAULTS.append(what)


def ago(days):
    return str(datetime.date.today() - datetime.timedelta(days=days))


def corpus(folder, verified, link_seen, newest_seen):
    shutil.copytree("tests/good", folder, dirs_exist_ok=True)
    shutil.copy("kb/ranking.yaml", folder / "kb")
    for path in (folder / "entries").glob("*/*.yaml"):
        text = re.sub(r"last_verified: .*", f"last_verified: {verified}",
                      path.read_text())
        path.write_text(text)
    entry = folder / "entries/pytorch/no-room.yaml"
    entry.write_text(entry.read_text() + f"""evidence:
  - url: https://example.org/thread
    seen: {link_seen}
    claim: {{en: It says so., zh: 其中这样说。}}
""")
    engine = folder / "kb/engines/toy.yaml"
    engine.rename(folder / "kb/engines/pytorch.yaml")
    engine = folder / "kb/engines/pytorch.yaml"
    engine.write_text(re.sub(r"(?m)^(newest: .*)$",
                             rf"\1\nnewest_seen: {newest_seen}",
                             engine.read_text()))


def run(folder, *args):
    return subprocess.run([PROGRAM, "check", "--stale",
                           str(folder / "entries"), *args],
                          capture_output=True, text=True, check=False)


def due(folder, *args):
    done = run(folder, "--format", "json", *args)
    expect(done.stderr == "", done.stderr)
    listed = json.loads(done.stdout)["due"]
    expect(done.returncode == (1 if listed else 0), f"exit {done.returncode}")
    return [(item["what"], item["days"]) for item in listed]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        corpus(folder, ago(10), ago(5), ago(10))
        expect(due(folder) == [], f"nothing is due: {due(folder)}")
        expect(due(folder, "--days", "7") == [("last_verified", 10)] * 2,
               f"older than a week: {due(folder, '--days', '7')}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        corpus(folder, ago(200), ago(300), ago(3))
        listed = due(folder)
        expect(listed == [("evidence", 300), ("last_verified", 200),
                          ("release", 200), ("last_verified", 200),
                          ("release", 200)], f"all is due: {listed}")
        text = run(folder).stdout
        expect("no-room.yaml:" in text and "https://example.org/thread" in text
               and "5 due" in text, text)
        expect("5 项待核实" in run(folder, "--lang", "zh").stdout, "Chinese")
        (folder / "entries/pytorch/no-room.yaml").write_text("title: 1\n")
        broken = run(folder)
        expect(broken.returncode == 2 and "E0" in broken.stderr, "broken")
    print("\n".join(FAULTS))
    sys.exit(1 if FAULTS else 0)


if __name__ == "__main__":
    main()
