#!/usr/bin/env python3
"""Write src/log/wrap_words.def: the words of all samples, by which two lines
that were one are told from two. Run from the top of the repository."""
import collections
import pathlib
import re
import textwrap

import yaml

WORD = re.compile(r"(?<![\w'./\\%-])[A-Za-z]{2,15}(?![\w'/\\-])")
SHORT_SEEN = 3  # how often a word of two letters has to stand in samples
# What wrapped prose has at its edges, whatever the samples say.
PROSE = """a about above after again all also an and any are as at be because
been before being below between both but by can cannot could did do does down
due during each either even every first for from get give given got had has
have here how however if in instead into is it its just keep last least less
like made make many may might more most much must need new next no non not now
of off old on once one only or other our out over per please same see set
should since so some still stop such take than that the their then there these
they this those through to too tried try trying two under until up use used
using usually very via want was we well were what when where whether which
while who why will with within without would yet you your"""


def texts():
    for path in sorted(pathlib.Path("entries").rglob("*.yaml")):
        for signature in yaml.safe_load(path.read_text()).get("signatures", []):
            yield signature["sample"]
        log = path.with_suffix(".log")
        if log.is_file():
            yield log.read_text()


def main():
    seen = collections.Counter()
    for text in texts():
        seen.update({word.lower() for word in WORD.findall(text)})
    words = {word for word, count in seen.items()
             if len(word) > 2 or count >= SHORT_SEEN} | set(PROSE.split())
    lines = textwrap.wrap(" ".join(sorted(words)), 77)
    pathlib.Path("src/log/wrap_words.def").write_text(
        "/* Words of messages in small letters, sorted. Made by "
        "tests/tools/wrap_words.py\n * from the samples of the entries. */\n"
        + "".join(f'"{line}",\n' for line in lines))


if __name__ == "__main__":
    main()
