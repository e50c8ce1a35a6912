#!/usr/bin/env python3
"""Every sample wrapped, quoted and put into JSON: the same entry, the same facts.

Each sample of the corpus (of a signature, or the log beside an entry) is
wrapped at 72, 80, 100 and 120 columns, at blanks and in the middle of words,
and then handed in bare, behind each mark that people and files put before
lines, and inside of a JSON text. The same entries must answer in the same
roles, with the same facts out of the log; the share of each wrapping is
printed, and none may fall below what is asked for.

The default run takes a tenth of the samples, at 80 columns; OOMKB_ALL=1 takes
all of them at every width, SHOW=1 names what differs, ONLY=WORD takes the wrappings whose
name holds it. Run from the top of the repository; OOMKB names the program.
"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from many import ALL, is_asked, reports_of  # noqa: E402
from metamorphic_check import samples  # noqa: E402
from reframe_check import cut_at, difference, fold_at, said  # noqa: E402

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
WIDTHS = (72, 80, 100, 120) if ALL else (80,)
# Of a hundred, in each wrapping of that kind. What is missing, by its rule: a
# word cut into two words that exist; a blank that was the cut; a first line
# whose mark nothing proves; a table or a list whose rows are no sentence; a
# pattern that ends or begins at the line (`^`, `$`) or bounds what lies between
# by the line, where more would be another message.
LEAST = {"whole": 98, "at blanks": 95, "in words": 91}


def before(mark):
    """An empty line keeps the mark alone."""
    return lambda lines: [mark + " " + line if line else mark
                          for line in lines]


def in_json(lines):
    """A log that a field of some object holds."""
    return [json.dumps({"id": 7, "stderr": "\n".join(lines) + "\n"})]


def has_lines(lines):
    """A string of one line stays a string: nothing tells it from a text about
    an error."""
    return len(lines) > 1


def in_printed_json(lines):
    """The same, printed for people."""
    return json.dumps({"id": 7, "stderr": "\n".join(lines)},
                      indent=2).split("\n")


CARRIERS = {"bare": lambda lines: lines} \
    | {mark: before(mark) for mark in ("#", ">", "//", "rem", "|", "*", "--")} \
    | {"JSON": in_json, "JSON, printed": in_printed_json}
WRAPS = {"whole": lambda lines: lines} \
    | {f"at blanks, {n}": fold_at(n) for n in WIDTHS} \
    | {f"in words, {n}": cut_at(n) for n in WIDTHS}


def play(base, wrap, carrier):
    """How many were asked, and what was answered otherwise."""
    jobs = [(name, old, "\n".join(carrier(wrap(lines))) + "\n")
            for name, lines, old in base
            if carrier is not in_printed_json or has_lines(wrap(lines))]
    found = reports_of(PROGRAM, [text for _, _, text in jobs])
    return len(jobs), [f"{name}: {difference(old, said(report))}"
            for (name, old, _), report in zip(jobs, found)
            if said(report) != old]


def main():
    logs = [(name, text.rstrip("\n").split("\n"))
            for name, text in samples() if is_asked(name, 10)]
    plain = reports_of(PROGRAM, ["\n".join(lines) + "\n"
                                 for _, lines in logs])
    base = [(name, lines, said(report))
            for (name, lines), report in zip(logs, plain)]
    is_good = len(base) > 50
    print(f"{len(base)} samples")
    for how, carrier in CARRIERS.items():
        for wrapping, wrap in WRAPS.items():
            kind = f"{how}, {wrapping}"
            if os.environ.get("ONLY", "") not in kind:
                continue
            asked, faults = play(base, wrap, carrier)
            share = 100 - 100 * len(faults) / asked
            print(f"{kind}: {share:.1f} % alike ({len(faults)} differ)",
                  flush=True)
            if os.environ.get("SHOW"):
                print("\n".join("    " + fault for fault in faults))
            least = LEAST[wrapping.split(",")[0]]
            is_good = is_good and share >= least
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
