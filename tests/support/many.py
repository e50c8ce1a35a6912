"""The reports of many logs, made in one run."""
import json
import os
import pathlib
import subprocess
import tempfile

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}


def reports(logs):
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i, log in enumerate(logs):
            names.append(f"{folder}/{i:05}.log")
            pathlib.Path(names[-1]).write_text(log, encoding="utf-8")
        done = subprocess.run([OOMKB, "--format", "jsonl", *names], env=ENV, stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]
