#!/usr/bin/env python3
"""Count 4-grams of text files: grams.py FILE... > src/match/grams.def

Bytes are folded as the filter folds them (| 0x20), and each file counts by its
square root, so that one long log does not
speak for all. Only counts leave here: per 10,000 of the commonest gram's."""
import collections
import math
import sys

TOP = 2300


def main():
    total = collections.Counter()
    for name in sys.argv[1:]:
        with open(name, "rb") as f:
            data = bytes(b | 0x20 for b in f.read(1 << 20))
        own = collections.Counter(data[i:i + 4] for i in range(len(data) - 3))
        for gram, n in own.items():
            if all(0x20 <= b < 0x7F and b not in (0x22, 0x3F, 0x5C) for b in gram) \
                    and gram.strip(b" ") \
                    and not gram.isdigit() and b"*" not in gram:
                total[gram] += math.isqrt(n * 10000)
    common = total.most_common(TOP)
    most = common[0][1]
    rows = sorted((g.decode(), 1 + n * 9999 // most) for g, n in common)
    print("/* grams.def: what the commonest 4 bytes of logs are, folded, and "
          "how common.\n * Written by tests/bench/grams.py from logs of "
          "inference servers, training runs\n * and systems and from "
          "documentation: counts only. In order of bytes. */")
    line = ""
    for gram, n in rows:
        cell = f'GRAM("{gram}", {n})'
        if line and len(line) + 1 + len(cell) > 80:
            print(line)
            line = ""
        line = f"{line} {cell}".strip()
    print(line)


if __name__ == "__main__":
    main()
