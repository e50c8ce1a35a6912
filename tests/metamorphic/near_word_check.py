#!/usr/bin/env python3
"""Near misses grown from samples: one word of the message changed, and silence.

The longest literal of each signature is looked up in its sample, and one of its
words is replaced by its opposite, else by another word: "out of memory" becomes
"out of range". The signature's entry must not answer that text. A sample that
says its failure twice proves nothing: one that is still answered without that
word is not asked. One word of each
signature is taken, the same one each time; with OOMKB_ALL=1 every word. SHOW=1
names every fault. Run from the top of the repository; OOMKB names the program.
"""
import os
import pathlib
import re
import sys
import zlib

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from many import ALL, reports_of  # noqa: E402

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
OPPOSITES = {"memory": "range", "larger": "smaller", "smaller": "larger",
             "failed": "managed", "exceeds": "meets", "less": "more",
             "more": "less", "not": "now", "cannot": "should",
             "allocate": "describe", "insufficient": "sufficient",
             "enough": "any", "exceeded": "reached", "greater": "smaller",
             "killed": "started", "full": "ready", "unable": "about"}
OTHERS = ["window", "garden", "letter", "colour", "harbour", "number"]


def literal_of(pattern):
    """The longest run of a pattern that stands for itself."""
    plain = re.sub(r"\(\?[<:!=#P'&][^()]*\)|\\[A-Za-z]|[\[\]().*+?|^$\\{}]",
                   "\0", pattern)
    return max(plain.split("\0"), key=len)


def other_word(word):
    return OPPOSITES.get(word.lower(),
                         OTHERS[zlib.crc32(word.encode()) % len(OTHERS)])


def changed(text, literal):
    """The text with another word, and without it, for each word of the literal."""
    for word in re.finditer(r"[A-Za-z]{3,}", literal):
        front, back = literal[:word.start()], literal[word.end():]
        if literal in text:
            yield tuple(text.replace(literal, front + put + back)
                        for put in (other_word(word.group()), ""))


def jobs():
    for path in sorted(pathlib.Path("entries").rglob("*.yaml")):
        name = str(path.relative_to("entries"))[:-len(".yaml")]
        entry = yaml.load(path.read_text(), yaml.CSafeLoader)
        for one in entry.get("signatures", []):
            literal = literal_of(one["pattern"])
            texts = list(changed(one["sample"], literal))
            if texts and not ALL:
                texts = [texts[zlib.crc32(name.encode()) % len(texts)]]
            for text, rest in texts:
                yield f"{name}#{one['id']}", name, text, rest


def answers(report, entry):
    return entry in [finding["entry"] for finding in report["findings"]]


def main():
    grown = list(jobs())
    bare = reports_of(PROGRAM, [rest for *_, rest in grown])
    asked = [(form, name, text) for (form, name, text, _), report
             in zip(grown, bare) if not answers(report, name)]
    faults = [f"{form}: {text.strip()[:150]}" for (form, name, text), report
              in zip(asked, reports_of(PROGRAM, [t for *_, t in asked]))
              if answers(report, name)]
    print(f"{len(asked)} near misses of one word, {len(faults)} answered")
    for fault in faults if os.environ.get("SHOW") else faults[:12]:
        print("    " + fault)
    sys.exit(1 if faults or len(asked) < 500 else 0)


if __name__ == "__main__":
    main()
