"""many.py: reports of many texts, in order, from few processes; and which of
many cases `make check` asks.

What the user of this machine has kept as feedback does not count."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

BATCH = 200
ALONE = os.environ | {"XDG_DATA_HOME": "/nowhere"}
ALL = bool(os.environ.get("OOMKB_ALL"))  # set by `make check-all`


def is_asked(name, every):
    """Is it in the part of the cases, one of so many, that `make check` asks?
    Always the same part: a case is in it by its name, whatever others there are.
    `make check-all` asks all."""
    return ALL or zlib.crc32(name.encode()) % every == 0


def reports_of(program, texts, options=()):
    reports = []
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, text in enumerate(texts):
            path = pathlib.Path(folder) / f"{number}.log"
            path.write_text(text)
            paths.append(str(path))
        for start in range(0, len(paths), BATCH):
            run = subprocess.run(
                [program, "--format", "jsonl", *options,
                 *paths[start:start + BATCH]],
                capture_output=True, check=False, env=ALONE)
            if run.returncode not in (0, 1):
                sys.exit(f"program failed: {run.stderr.decode()}")
            reports += [json.loads(line) for line
                        in run.stdout.decode().splitlines()]
    return reports
