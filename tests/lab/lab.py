#!/usr/bin/env python3
"""Failures made for real, answered, and cured by the first fix.

    lab.py OOMKB [--write PAGE] [--cache FOLDER] [--show] [NAME ...]

Each file of failures/ (failure.py says what stands in one) is run in a box
(box.py) until it fails. Its own output goes through oomkb; the entry is held
against the right one; the text that the report prints of the first fix is
applied, and the same script is run again. PAGE is written whole, after
everything ran; where NAMEs are given, only their rows are new in it. Programs come from FOLDER, where install.sh put them; one that
is not there is named and not run. Needs root, for cgroups and mounts.
--show prints what was run and answered. Ends with 1 where an entry was wrong.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple

sys.dont_write_bytecode = True
import box  # noqa: E402
import failure as failures  # noqa: E402
import page  # noqa: E402

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
CACHE = os.path.expanduser("~/.cache/oomkb-lab")

Applied = namedtuple("Applied", "text way is_filled script files limits "
                                "environment")
Number = namedtuple("Number", "what predicted measured")
Result = namedtuple("Result", "failure found fix applied outcome numbers why")


def python_of(cache, failure):
    path = os.path.join(cache, failure.python, "bin", "python")
    return path if os.path.exists(path) else sys.executable


def missing(cache, failure):
    """The first thing that it needs and that is not there."""
    python = python_of(cache, failure)
    for name in failure.needs:
        if shutil.which(name, path=path_of(cache)):
            continue
        done = subprocess.run(
            [python, "-c", "import sys, importlib.util as u; "
             f"sys.exit(u.find_spec({name!r}) is None)"],
            stderr=subprocess.DEVNULL, check=False)
        if done.returncode:
            return name
    return None


def path_of(cache):
    return os.environ["PATH"] + os.pathsep + os.path.join(cache, "py", "bin")


def run(cache, failure, applied=None):
    script = applied.script if applied else failure.run
    files = applied.files if applied else failure.files
    limits = applied.limits if applied else failure.limits
    environment = {"PYTHON": python_of(cache, failure), "FIX": "",
                   "PATH": path_of(cache), "PROGRAMS": PROGRAMS,
                   **(applied.environment if applied else {})}
    with tempfile.TemporaryDirectory(prefix="oomkb-lab-") as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w",
                      encoding="utf-8") as file:
                file.write(text)
        if failure.prepare:
            done = box.run(failure.name, folder, failure.prepare, {},
                           environment)
            if done.status:
                return done
        return box.run(failure.name, folder, script, limits, environment)


def is_well(failure, outcome):
    return (outcome.status == 0 and not outcome.timed_out and
            bool(re.search(failure.shows.encode(), outcome.output)))


def log_of(failure, outcome):
    parts = {"output": outcome.output, "kernel": outcome.kernel.encode(),
             "counters": outcome.counters.encode()}
    return b"".join(parts[name] for name in failure.reads)


def ask(program, log, form):
    done = subprocess.run([program, "--format", form], input=log,
                          stdout=subprocess.PIPE, check=False)
    return done.stdout


def report_of(program, log):
    return json.loads(ask(program, log, "json"))


def printed(fix):
    """What the report prints of a fix, its command first."""
    estimate = fix.get("estimate") or {}
    return [text for text in (fix["command"], fix["action"], fix["how"],
                              estimate.get("condition"),
                              estimate.get("formula")) if text]


def taken(fix, pattern):
    for text in printed(fix):
        found = re.search(pattern, text)
        if found:
            return found[1] if found.lastindex else found[0]
    return None


def replaced(text, pattern, new):
    return re.sub(pattern, lambda _: new, text)


def fact_bytes(finding, name):
    return next((fact["value"] for fact in finding["facts"]
                 if fact["name"] == name), 0)


def raised(limit, text, rule, finding):
    if "adds" in rule:
        return box.bytes_of(limit) + fact_bytes(finding, rule["adds"])
    if "times" in rule:
        return rule["times"] * box.bytes_of(limit)
    return box.bytes_of(text) + box.bytes_of(rule.get("plus", "0"))


def apply(failure, finding, fix):
    """The second run, with the printed text in its place; None where the
    report prints no such text, or the file does not know the fix."""
    rule = failure.fixes.get(fix["id"])
    if rule is None:
        return None
    text = taken(fix, rule["take"])
    if text is None:
        return None
    for word, value in rule.get("fill", {}).items():
        text = text.replace(word, str(value))
    script, files = failure.run, dict(failure.files)
    limits, environment = dict(failure.limits), {}
    way = next(iter(failures.WAYS & set(rule)))
    if way == "replaces":
        script = replaced(script, rule[way], text)
        files = {n: replaced(t, rule[way], text) for n, t in files.items()}
    elif way == "appends":
        environment["FIX"] = text
    elif way == "exports":
        name, _, value = text.partition("=")
        environment[name] = value.strip("'\"")
    elif way == "before":
        script = text + "\n" + script
    elif way == "limit":
        limits[rule[way]] = raised(limits[rule[way]], text, rule, finding)
    else:
        for old, new in rule[way].items():
            script = script.replace(old, new)
            files = {n: t.replace(old, new) for n, t in files.items()}
    return Applied(text, way, "fill" in rule, script, files, limits, environment)


# ---- numbers: what the report said beforehand, what the second run took ----

def predicted_bytes(finding, fix, rule):
    """An interval."""
    if "fact" in rule:
        for fact in finding["facts"]:
            if fact["name"] == rule["fact"]:
                return (fact.get("low", fact["value"]),
                        fact.get("high", fact["value"]))
        return None
    estimate = fix.get("estimate") or {}
    value = estimate.get(rule["estimate"])
    if isinstance(value, dict):
        return value["low"], value["high"]
    return None if value is None else (value, value)


def measured_bytes(rule, outcome):
    if rule["measured"] in ("rss", "peak"):
        return getattr(outcome, rule["measured"])
    found = re.search(rule["measured"].encode(), outcome.output)
    return box.bytes_of(found[1].decode().replace(" ", "")) if found else None


def numbers(failure, finding, fix, first, second):
    found = []
    for rule in failure.predicts:
        outcome = first if rule.get("of") == "failure" else second
        said = predicted_bytes(finding, fix, rule)
        took = measured_bytes(rule, outcome) if outcome else None
        if said and took:
            base = box.bytes_of(rule.get("besides", "0"))
            found.append(Number(rule["what"], (said[0] + base, said[1] + base),
                                took))
    return found


# ---- one failure ----

def first_finding(report):
    return report["findings"][0] if report["findings"] else None


def verdict_of(fix):
    return (fix.get("estimate") or {}).get("verdict")


def outcome_of(fix, failure, second):
    if is_well(failure, second):
        return "cured"
    return ("as said: not enough" if verdict_of(fix) == "not_enough"
            else "not cured")


def examine(program, cache, failure, show):
    lacking = missing(cache, failure)
    if lacking:
        return Result(failure, None, None, None, "not run", [],
                      f"{lacking} is not installed")
    first = run(cache, failure)
    if is_well(failure, first):
        return Result(failure, None, None, None, "did not fail", [], None)
    log = log_of(failure, first)
    if show:
        sys.stdout.write(log.decode(errors="replace"))
        sys.stdout.write(ask(program, log, "text").decode())
        sys.stdout.flush()
    finding = first_finding(report_of(program, log))
    if not finding:
        return Result(failure, None, None, None, "no finding", [], None)
    fix = next((f for f in finding["fixes"] if f["applies"] != "no"), None)
    applied = apply(failure, finding, fix) if fix else None
    if not applied:
        return Result(failure, finding["entry"], fix, None, "not applied", [],
                      "no rule for it, or no such text")
    second = run(cache, failure, applied)
    if show:
        print(f"---- {applied.way}: {applied.text}: status {second.status}, "
              f"rss {second.rss >> 20} MiB, group {second.peak >> 20} MiB, "
              f"{second.seconds:.0f} s")
        sys.stdout.write(second.output.decode(errors="replace")[-3000:])
    return Result(failure, finding["entry"], fix, applied,
                  outcome_of(fix, failure, second),
                  numbers(failure, finding, fix, first, second), None)


def is_right(result):
    return result.found == result.failure.entry


def tell(result):
    mark = "right" if is_right(result) else f"WRONG: {result.found}"
    print(f"{result.failure.name:32} {mark:8} {result.outcome}"
          f" {result.fix['id'] if result.fix else ''}"
          f" {result.why or ''}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("program")
    p.add_argument("--write")
    p.add_argument("--cache", default=CACHE)
    p.add_argument("--show", action="store_true")
    p.add_argument("names", nargs="*")
    a = p.parse_intermixed_args()
    if os.geteuid() != 0:
        print("lab: needs root, for cgroups and mounts")
        return 2
    program = os.path.abspath(a.program)
    results = []
    for failure in failures.read_all():
        if a.names and failure.name not in a.names:
            continue
        results.append(examine(program, a.cache, failure, a.show))
        tell(results[-1])
    if a.write:
        text = page.page(results, page.read(a.write) if a.names else None)
        with open(a.write, "w", encoding="utf-8") as file:
            file.write(text)
    ran = [r for r in results if r.outcome != "not run"]
    return 0 if all(is_right(r) for r in ran) else 1


if __name__ == "__main__":
    sys.exit(main())
