#!/usr/bin/env python3
"""Hard near misses: logs full of memory words of which none died of memory.

Dead of something else, killed by hand, healthy with tables of memory, texts
about memory. Each file of tests/eval/near/ is written by us from the forms of
such messages; none may get a finding of severity failure. Run from the top of
the repository; OOMKB names the program.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from many import reports_of  # noqa: E402

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
LEAST = 60  # so many at least


def main():
    paths = sorted(pathlib.Path("tests/eval/near").glob("*.log"))
    reports = reports_of(PROGRAM, [path.read_text() for path in paths])
    loud = {path.stem: failures for path, report in zip(paths, reports)
            if (failures := [f["entry"] for f in report["findings"]
                             if f["severity"] == "failure"])}
    print(f"{len(paths) - len(loud)} of {len(paths)} silent")
    for name, failures in loud.items():
        print(f"    {name}: {', '.join(failures)}")
    sys.exit(1 if loud or len(paths) < LEAST else 0)


if __name__ == "__main__":
    main()
