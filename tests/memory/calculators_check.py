#!/usr/bin/env python3
"""docs/CALCULATORS.md is what `make peers` would write now: every row is
worked out again, from the shapes in kb/models/ and the program as built."""
import difflib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "CALCULATORS.md")
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))


def main():
    fresh = subprocess.run([sys.executable, os.path.join(HERE, "peers_run.py"),
                            OOMKB], stdout=subprocess.PIPE, check=True,
                           text=True).stdout
    with open(PAGE, encoding="utf-8") as file:
        stored = file.read()
    stale = list(difflib.unified_diff(stored.splitlines(), fresh.splitlines(),
                                      "docs/CALCULATORS.md", "make peers",
                                      lineterm="", n=0))
    if stale:
        print("\n".join(stale[:40]))
        sys.exit("docs/CALCULATORS.md is stale: make peers")


if __name__ == "__main__":
    main()
