#!/usr/bin/env python3
"""No entry fires on ordinary files.

MOST files of the machine at hand that nobody wrote about a failure:
system logs, documentation, headers, sources, settings. A finding of severity
`failure` in one of them is a fault, unless the file really quotes the error:
those are named below, each with its reason. The choice is by a hash of the
path, so that it is the same in every run on a machine, and a share of every
folder that has enough.

Run from the top of the repository; OOMKB names the program.

    ordinary_check.py [--all] [--list]    every file; name those that speak
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from many import ALL  # noqa: E402

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
ROOTS = ["/var/log", "/usr/share/doc", "/usr/include", "/usr/lib/python3*",
         "/usr/local/lib/python3*", "/etc", "/usr/share/perl",
         "/usr/share/man", "/usr/share/git-core", "/usr/lib/git-core",
         "/usr/share/bash-completion", "/usr/share/info", "/usr/share/cmake*",
         "/usr/share/vim", "/usr/share/gcc*", "/usr/share/lintian"]
MOST, BATCH, BYTES_MOST = 5000 if ALL else 1500, 500, 1 << 20
# Files that quote an error of their own product, word for word.
QUOTES = [
    (r"/nodejs/", {"unknown/out-of-memory", "node/heap-limit"},
     "Node's manual and change log show what V8 prints"),
    (r"/concurrent/futures/(__pycache__/)?process\.",
     {"python/broken-process-pool"}, "the program that prints it"),
    (r"/man5/proc\.5", {"linux-kernel/fork-enomem"},
     "the manual quotes the shell's words"),
]


def files_of(root):
    for folder in pathlib.Path("/").glob(root.lstrip("/")):
        for where, folders, names in os.walk(folder):
            folders.sort()
            for name in names:
                yield os.path.join(where, name)


def is_readable(path):
    try:
        return (os.path.isfile(path) and not os.path.islink(path)
                and 0 < os.path.getsize(path) <= BYTES_MOST
                and os.access(path, os.R_OK) and "\n" not in path)
    except OSError:
        return False


def chosen(every):
    """Round and round the roots, each in the order of its hashes."""
    queues = [sorted(filter(is_readable, files_of(root)),
                     key=lambda p: (zlib.crc32(p.encode()), p))
              for root in ROOTS]
    if every:
        return [path for queue in queues for path in queue]
    picked = []
    depth = 0
    while len(picked) < MOST and any(len(q) > depth for q in queues):
        picked += [q[depth] for q in queues if len(q) > depth]
        depth += 1
    return picked[:MOST]


def findings(paths):
    for start in range(0, len(paths), BATCH):
        batch = paths[start:start + BATCH]
        run = subprocess.run([PROGRAM, "--format", "jsonl", "--", *batch],
                             capture_output=True, check=False,
                             env=os.environ | {"XDG_DATA_HOME": "/nowhere"})
        lines = run.stdout.decode().splitlines()
        if len(lines) != len(batch):
            sys.exit(f"{len(lines)} answers to {len(batch)} files: "
                     f"{run.stderr.decode()[-400:]}")
        for path, line in zip(batch, lines):
            report = json.loads(line)
            for finding in report.get("findings", []):
                yield path, finding


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("--all", action="store_true")
    args.add_argument("--list", action="store_true")
    opts = args.parse_args()
    paths = chosen(opts.all)
    faults, quoted = [], 0
    for path, finding in findings(paths):
        if finding["severity"] != "failure":
            continue
        if any(re.search(pattern, path) and finding["entry"] in entries
               for pattern, entries, _ in QUOTES):
            quoted += 1
            continue
        faults.append(f"{path}:{finding['first_line']}: {finding['entry']}")
    print("\n".join(faults))
    print(f"{len(paths)} ordinary files, {quoted} of them quote an error, "
          f"{len(faults)} spoke")
    sys.exit(1 if faults or len(paths) < 500 else 0)


if __name__ == "__main__":
    main()
