#!/usr/bin/env python3
"""Count 4-grams of text files: grams.py FILE... > src/match/common.def

Bytes are folded as the filter folds them (| 0x20), and each file counts by its
square root, so that one long log does not
speak for all. Only counts leave here: per 10,000 of the commonest gram's, in
LEVELS."""
import collections
import math
import sys

LEVELS = (700, 1000, 1400, 2000, 2800, 4000, 5600)  # of 10,000
PER_LINE = 14


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
    most = total.most_common(1)[0][1]
    levels = {level: [] for level in LEVELS}
    for gram, n in total.items():
        share = 1 + n * 9999 // most
        for level in reversed(LEVELS):
            if share >= level:
                levels[level].append(gram.decode())
                break
    print("/* common.def: the commonest 4 bytes of logs, folded, by how common "
          "they are of\n * 10,000: at least so often. Written by "
          "tests/bench/grams.py from logs of\n * inference servers, training "
          "runs and systems and from documentation: counts\n * only. In order "
          "of bytes. */")
    for level, grams in levels.items():
        grams.sort()
        for i in range(0, len(grams), PER_LINE):
            print(f'COMMON({level}, "{"".join(grams[i:i + PER_LINE])}")')


if __name__ == "__main__":
    main()
