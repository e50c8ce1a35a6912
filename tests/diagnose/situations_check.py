#!/usr/bin/env python3
"""Does the first fix follow from the facts, as an expert decides?

Each file of situations/ is a decision table: which facts (what is free and
asked, who holds the GPU, what stage, which settings are in force) lead to which
first fix. Logs are written from the facts, in the words of several releases,
with and without the lines that are optional, and answered in one run.

    situations_check.py [-v] [--logs DIR] [SITUATION...]

-v prints every row that differs, with what was offered. --logs keeps the logs.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).parent / "situations"
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C", "XDG_DATA_HOME": "/nowhere"}
FIRM = ("enough", "may_be_enough")
TOKEN = re.compile(r"\{\{(.+?)\}\}")


def size(gib):
    """As PyTorch prints it."""
    return f"{gib:.2f} GiB" if gib >= 1 else f"{gib * 1024:.2f} MiB"


WORDS = {"size": size, "sum": sum, "len": len, "int": int, "round": round,
         "str": str, "min": min, "max": max, "enumerate": enumerate,
         "MiB": lambda gib: round(gib * 1024),
         "kB": lambda gib: round(gib * 1024 * 1024),
         "bytes": lambda gib: round(gib * (1 << 30)),
         "comma": lambda n: f"{n:,}", "__builtins__": {}}


class Situation:
    """A file of situations/, over the one that it names with `with`."""

    def __init__(self, path):
        own = yaml.load(path.read_text(), yaml.CSafeLoader)
        base = yaml.load((HERE / f"{own['with']}.yaml").read_text(),
                         yaml.CSafeLoader) \
            if "with" in own else {}
        self.id, self.name, self.rows = path.stem, own["situation"], own["rows"]
        self.facts = base.get("facts", {}) | own.get("facts", {})
        self.let = base.get("let", {}) | own.get("let", {})
        self.parts = base.get("parts", {}) | own.get("parts", {})

    def scopes(self, row):
        """The facts of a row, one scope for each of its variations."""
        for each in row.get("each", [{}]):
            scope = WORDS | self.facts | row.get("facts", {}) | each
            for name, formula in self.let.items():
                if name not in scope:
                    scope[name] = eval(formula, scope)
            yield scope

    def choices(self, word):
        """The texts that one word of `log` stands for: `a?` may be left out,
        `(a|b)` is either, `a/2-3` its second and third wording."""
        if word.endswith("?"):
            return self.choices(word[:-1]) + [None]
        if word.startswith("("):
            return [text for each in word[1:-1].split("|")
                    for text in self.choices(each)]
        name, _, which = word.partition("/")
        texts = self.parts[name]
        texts = texts if isinstance(texts, list) else [texts]
        if which:
            least, _, most = which.partition("-")
            texts = texts[int(least) - 1:int(most or least)]
        return texts

    def logs(self, row):
        for scope in self.scopes(row):
            for texts in itertools.product(
                    *map(self.choices, row["log"].split())):
                yield scope, "\n".join(
                    TOKEN.sub(lambda m: str(eval(m[1], scope)), text)
                    for text in texts if text is not None) + "\n"


def written(situations, folder):
    """[(situation, row, scope, path)], with the logs in the folder."""
    cases = []
    for situation in situations:
        for row in situation.rows:
            for i, (scope, text) in enumerate(situation.logs(row)):
                words = re.sub(r"\W+", "-", row["case"])[:48]
                path = folder / f"{situation.id}.{words}.{i}.log"
                path.write_text(text)
                cases.append((situation, row, scope, path))
    return cases


def reports(paths):
    done = subprocess.run([OOMKB, "--format", "jsonl", *map(str, paths)],
                          env=ENV, stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"exit status {done.returncode}")
    return list(map(json.loads, done.stdout.splitlines()))


class Cures:
    def __init__(self):
        table = yaml.load((HERE / "cures.yaml").read_text(), yaml.CSafeLoader)
        self.patterns = {name: re.compile(p) for name, p in table.items()}

    def of(self, fix):
        act = fix["acts_on"]
        does = act.get("kind") or f"{act.get('flag')} {act.get('change')}"
        texts = (does.lower().lstrip("-").replace("_", "-"),
                 f"id:{fix['id']}")
        return {name for name, pattern in self.patterns.items()
                if any(pattern.search(text) for text in texts)}


def root_of(report):
    found = [f for f in report["findings"] if f["role"] == "root"]
    return (found or report["findings"] or [None])[0]


def offered(report):
    root = root_of(report)
    return [f for f in root["fixes"] if f["applies"] in ("yes", "if")] \
        if root else []


def numbers(fix):
    return [float(x) for x in re.findall(
        r"(?<![\w.])\d+(?:\.\d+)?", (fix["command"] or "").replace(",", ""))]


def faults(cures, row, scope, fixes):
    """What differs from the table, in one word each."""
    first = cures.of(fixes[0]) if fixes else set()
    three = set().union(*map(cures.of, fixes[:3]))
    if not first & set(row["first"].split()):
        yield "first"
    if "next" in row and not three & set(row["next"].split()):
        yield "next"
    if three & set(row.get("never", "").split()):
        yield "never"
    if row.get("firm") and fixes and \
            fixes[0]["estimate"]["verdict"] not in FIRM:
        yield "firm"
    for cure, range_ in row.get("value", {}).items() if fixes else ():
        least, most = (eval(str(x), scope) for x in range_)
        if cure in first and not any(
                least <= x <= most for x in numbers(fixes[0])):
            yield "value"


KINDS = ("first", "next", "never", "firm", "value")


class Tally:
    def __init__(self):
        self.counts = collections.defaultdict(lambda: [0, 0])
        self.rows = collections.defaultdict(lambda: collections.defaultdict(list))

    def add(self, situation, row, path, found, report):
        for kind in KINDS:
            if row.get(kind):
                count = self.counts[situation.name, kind]
                count[0] += kind not in found
                count[1] += 1
        if found:
            self.rows[situation.name, row["case"]][tuple(found)].append(
                (path.name, report))

    def table(self, situations):
        for name in [s.name for s in situations] + [None]:
            cells = []
            for kind in KINDS:
                each = [v for (n, k), v in self.counts.items()
                        if k == kind and name in (None, n)]
                cells.append(f"{sum(v[0] for v in each):4}/"
                             f"{sum(v[1] for v in each):<4}")
            yield f"{name or 'all':52} " + " ".join(cells)


def told(fix):
    e = fix["estimate"]
    verdict = {"enough": "E", "may_be_enough": "M", "not_enough": "N"} \
        .get(e["verdict"], "-")
    act = fix["acts_on"]
    return (f"{fix['id']}[{act.get('kind') or act.get('flag')}]"
            f"{verdict}{fix['p']:.2f}/{fix['price']:.1f}")


def show(tally):
    for (name, case), by in tally.rows.items():
        print(f"\n{name}: {case}")
        for found, logs in by.items():
            print(f"  {','.join(found)}: {len(logs)} logs")
            seen = set()
            for path, report in logs:
                root = root_of(report)
                line = (root["entry"] if root else "nothing") + ": " + " ".join(
                    map(told, offered(report)[:4]))
                key = re.sub(r"\d", "", line)
                if key not in seen:
                    seen.add(key)
                    print(f"    {path}\n      {line}")


def main():
    read = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    read.add_argument("-v", dest="is_verbose", action="store_true")
    read.add_argument("--logs", type=pathlib.Path)
    read.add_argument("names", nargs="*")
    words = read.parse_args()
    found = [Situation(p) for p in sorted(HERE.glob("*.yaml"))
             if p.stem not in ("cures", "torch")
             and (not words.names or p.stem in words.names)]
    cures, tally = Cures(), Tally()
    with tempfile.TemporaryDirectory() as scratch:
        folder = words.logs or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        cases = written(found, folder)
        answers = reports([path for _, _, _, path in cases])
    for (situation, row, scope, path), report in zip(cases, answers):
        bad = list(faults(cures, row, scope, offered(report)))
        tally.add(situation, row, path, bad, report)
    if words.is_verbose:
        show(tally)
    print(f"{'':52} " + " ".join(f"{k:>9}" for k in KINDS))
    print("\n".join(tally.table(found)))
    return int(bool(tally.rows))


if __name__ == "__main__":
    sys.exit(main())
