#!/usr/bin/env python3
"""What readers of answers stumbled over, each as a property of any answer, over
every sample of the corpus, every log of tests/ and every example; folders with
more logs are arguments.

  - An amount is written once: not "492 MiB" beside "0.48 GiB".
  - The quoted line stands where it is said to stand, and is the message: no head
    of a traceback, no row of source, no stray quotes of what is around it.
  - A line below a fix says more than the fix does.
  - "Do not" has two items at most, and none that neither the log nor people's
    reports nor a setting give a reason for.
  - What is asked may change the order of the first fixes, or a verdict.
  - "Lower x from 0.4 to 0.35" goes down from what the log has.
"""
import collections
import glob
import os
import re
import sys

import yaml

sys.path.insert(0, "tests/support")
from library import ROOT, oomkb  # noqa: E402

OWN = ("entries/*/*.log", "examples/*.log", "tests/eval/near/*.log",
       "tests/cli/startup/*.log", "tests/fuzz/kept/log/*")
LEAST = 1000  # logs, so that a folder that was moved is missed

FACTOR = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
AMOUNT = re.compile(r"(?<![\w.,/-])(\d[\d,]*(?:\.\d+)?) ([KMGT]iB)\b")


def prose(text):
    """Its sentences, a line each: no commands, no quoted line of the log."""
    lines = [line for line in text.split("\n")
             if not line.startswith("      ")]
    flat = re.sub(r"\n +(?=\S)", " ", "\n".join(lines))
    return re.sub(r"(?m)^(Line [\d,]+:|第 [\d,]+ 行：).*$", "", flat)


def amounts(text):
    """{as written: (bytes, how far off that may be)}: those with decimals, as
    computed ones have them. A whole one may be an example of a text."""
    found = {}
    for match in AMOUNT.finditer(text):
        number, factor = match[1].replace(",", ""), FACTOR[match[2]]
        decimals = len(number.partition(".")[2])
        found[match[0]] = (float(number) * factor,
                           factor / 2 / 10 ** decimals if decimals else 0)
    return found


def twice_written(text, _):
    told = amounts(prose(text))
    for first, (bytes_, slack) in told.items():
        for other, (others, more) in told.items():
            if first < other and abs(bytes_ - others) <= max(slack, more) and \
                    abs(bytes_ - others) <= max(bytes_, others) / 100 and \
                    "." in first + other and not is_example(first, other):
                yield f"one amount is {first} and {other}"


def is_example(first, other):
    """A GPU of 24 or 80 GiB stands for others in a sentence."""
    return bool({first, other} & {"24 GiB", "80 GiB", "1 GiB", "8 GiB"})


def badly_quoted(text, log):
    flat = re.sub(r"\n(?! |$|[A-Z][a-z]+ )", " ", text)
    for match in re.finditer(r"(?m)^Line ([\d,]+): (.*)$", flat):
        number, quote = int(match[1].replace(",", "")), match[2]
        lines = log.split("\n")
        line = lines[number - 1] if number <= len(lines) else ""
        if not plain(quote)[:8] in plain(line) and not is_wrapped(log):
            yield f"line {number} is not: {quote[:60]}"
        is_frame = re.search(r"\.py\b", quote)  # known by that row
        if not is_frame and re.search(r"^\s*raise |^\s*File \"|Traceback \(most", line) and \
                not re.search(r"(?m)^\S*(Error|Exception):", line):
            yield f"no message is quoted: {line[:60]}"


SMALL = set("""a an and at batch by each for half halve in it its less lower of on
one or reduce shorten smaller fewer size that the them then this to use with again
set number""".split())
def words(text):
    return [word[:4] for word in re.findall(r"[a-z]+", text.lower())
            if word not in SMALL]


def said_again(text, report):
    """A first step that stands in the answer and only says the fix again."""
    flat = prose(text)
    for fix in (fix for finding in report.findings
                for fix in finding["fixes"]):
        step = re.match(r"(?:[^.]|\.(?=\S))*", fix["how"])[0]
        if step and not re.search(r"[\d`]", step) and step + "." in flat and \
                set(words(step)) <= set(words(fix["action"])):
            yield f"'{fix['action']}' and once more: {step}"


def closed_traps():
    """{entry: what it warns of, though nobody has a reason to try it}"""
    closed = {}
    for path in glob.glob(os.path.join(ROOT, "entries/*/*.yaml")):
        with open(path, encoding="utf-8") as file:
            entry = yaml.load(file, yaml.CSafeLoader)
        name = os.path.relpath(path, os.path.join(ROOT, "entries"))[:-5]
        closed[name] = [
            end["action"]["en"] for end in entry.get("dead_ends") or []
            if not end.get("when") and "flag" not in end.get("acts_on", {}) and
            not {"links", "tried"} & set(end.get("fail") or {})]
    return closed


CLOSED = closed_traps()


def idle_warnings(text, _):
    for root in text.split("\n----\n"):
        warned = re.findall(r"(?m)^ x  (.*)$", root)
        named = re.search(r"(?m)^\[([\w.-]+/[\w.-]+)\]", root)
        if len(warned) > 2:
            yield f"{len(warned)} warnings"
        for warning in warned if named else ():
            if any(warning.startswith(end + ".")
                   for end in CLOSED.get(named[1], ())):
                yield f"an idle warning: {warning}"


# Of each kind of number, from little to much.
ANSWERS = {"BYTES": ("1MiB", "700MiB", "9GiB", "90GiB", "3TiB"),
           "COUNT": ("1", "2", "8", "64", "1024"),
           "TOKENS": ("1", "64", "1024", "131072"),
           "RATIO": ("0.1", "0.5", "0.9", "0.99"), "BOOL": ("true", "false")}


def units():
    with open(os.path.join(ROOT, "src/corpus/facts.def"),
              encoding="utf-8") as file:
        text = file.read()
    return (dict(re.findall(r"(?m)^FACT\((\w+), (\w+)", text)) |
            dict.fromkeys(re.findall(r"(?m)^FACT_OF\((\w+),", text), "TEXT"))


UNITS = units()


def order(report):
    """The first fixes of each finding, with what is said of them."""
    return [[(fix["id"], fix["applies"], (fix["estimate"] or {}).get("verdict"))
             for fix in finding["fixes"] if fix["applies"] in ("yes", "if")][:5]
            for finding in report.findings]


def order_told(log, fact, value):
    """None: such a value is refused."""
    try:
        return order(oomkb.diagnose(log, facts={fact: value}))
    except oomkb.Error:
        return None


def asked_in_vain(log, report):
    for question in report.questions[:2]:
        fact = question["fact"]
        values = ANSWERS.get(UNITS[fact], ())
        told = (order_told(log, fact, value) for value in values)
        before = order(report)
        if values and all(one in (None, before) for one in told):
            yield f"asked in vain: {fact}"


def plain(line):
    return re.sub(r"\x1b\[[\d;]*m|[^a-z0-9]+", "", line.lower())


def is_wrapped(log):
    """Lines of others, in JSON or cut at some column, have numbers of their own."""
    return "\0" in log or log.lstrip().startswith(("{", "["))


def goes_up(text, _):
    for match in re.finditer(r"(?:Lower|Reduce) [^\n]*? from ([\d.,]+) to "
                             r"([\d.,]*\d)", prose(text)):
        now, then = (float(n.replace(",", "").rstrip(".")) for n in
                     match.groups())
        if then >= now:
            yield f"no way down: {match[0]}"


PROPERTIES = (twice_written, badly_quoted, idle_warnings, goes_up)


def check(path):
    with open(path, "rb") as file:
        log = file.read()
    shown = log.decode(errors="replace")
    report = oomkb.diagnose(log)
    faults = [f"{path} ({lang}): {fault}" for lang in ("en", "zh")
              for holds in PROPERTIES
              for fault in holds(report.text(lang=lang), shown)]
    return faults + [f"{path}: {fault}" for fault in
                     (*said_again(report.text(), report),
                      *asked_in_vain(log, report))]


def main():
    logs = sorted(path for pattern in OWN
                  for path in glob.glob(os.path.join(ROOT, pattern)))
    assert len(logs) >= LEAST, len(logs)
    for folder in sys.argv[1:]:
        logs += sorted(glob.glob(os.path.join(folder, "*.log")))
    faults = [fault for path in logs for fault in check(path)]
    kinds = collections.Counter(fault.split(": ", 2)[1].split(" ")[0]
                                for fault in faults)
    print("\n".join(faults[:60]))
    print(f"{len(logs)} logs, {sum(kinds.values())} faults")
    sys.exit(1 if faults else 0)


main()
