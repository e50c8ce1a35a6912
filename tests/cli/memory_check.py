#!/usr/bin/env python3
"""One allocation of the whole program fails (its own, those of the libraries
that it is linked with): it answers what it answers otherwise, or it says that
it cannot, with status 2 and nothing on stdout but an error. Never another
answer.

Run from the top of the repository; OOMKB names the program, CC the compiler.
In everyday runs a part of the allocations of each command fails, evenly
spread; with OOMKB_ALL=1 each of them in turn.
"""
import concurrent.futures
import gzip
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
LOG = "examples/vllm-long-context.log"
SOURCE = "tests/cli/fail_alloc.c"
SAMPLED = 40  # of each command
WHOLE = bool(os.environ.get("OOMKB_ALL"))
REPORTS = 92  # of the user's own


class Machine:
    """A program whose allocations can be made to fail, and its files."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.preload = str(self.folder / "fail_alloc.so")
        subprocess.run([os.environ.get("CC", "gcc"), "-std=c17", "-O1",
                        "-Wall", "-Werror", "-shared", "-fPIC", "-o",
                        self.preload, SOURCE, "-ldl"], check=True)

    def put(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return str(path)

    def run(self, args, fail_at=0):
        """Status, stdout, and how often memory was asked for."""
        count = self.folder / f"count.{fail_at}"
        done = subprocess.run(
            [PROGRAM, *args], capture_output=True, check=False, timeout=60,
            env={"HOME": str(self.folder), "LANG": "C", "LD_PRELOAD":
                 self.preload, "FAIL_AT": str(fail_at),
                 "FAIL_COUNT": str(count)})
        asked = int(count.read_text()) if count.exists() else 0
        count.unlink(missing_ok=True)
        return done.returncode, done.stdout, asked


def commands(machine):
    log = pathlib.Path(LOG).read_bytes()
    zipped = machine.put("log.gz", gzip.compress(log))
    squeezed = machine.put("log.xz", lzma.compress(log))
    lines = "".join(f"2026-11-{1 + i % 28:02} worked vllm/kv-cache-too-small "
                    "lower-max-model-len\n" for i in range(REPORTS))
    machine.put(".local/share/oomkb/feedback.txt", lines.encode())
    return [["--format", "json", "--redact", zipped],
            ["--format", "markdown", squeezed],
            [LOG], ["--why", "--lang", "zh", LOG],
            ["-j", "2", "--format", "json", LOG, zipped], ["new", LOG],
            ["search", "kv cache"], ["list", "vllm"],
            ["explain", "vllm/kv-cache-too-small"],
            ["fit", "--model", "llama-3.1-8b", "--gpu", "H100",
             "--max-model-len", "131072"],
            ["fit", "--format", "json", "--from-log", LOG,
             "--max-model-len", "8192"],
            ["feedback", "list"], ["feedback", "export"],
            ["version", "--format", "json"]]


def is_error(args, out, right):
    """Of several logs each has its answer or its error."""
    if not out or "json" not in args:
        return not out
    got = json.loads(out)
    several = got if isinstance(got, list) else [got]
    answers = json.loads(right) if isinstance(got, list) else [None]
    return len(several) == len(answers) and all(
        set(one) == {"schema", "error"} or one == answer
        for one, answer in zip(several, answers))


def fault_of(machine, args, at, right):
    status, out, _ = machine.run(args, at)
    if (status, out) == right:
        return None
    if status == 2 and is_error(args, out, right[1]):
        return None
    what = "another answer" if status in (0, 1, 2) else f"status {status}"
    return f"allocation {at} of {' '.join(args)}: {what}"


def numbers_of(asked):
    step = 1 if WHOLE else max(1, asked // SAMPLED)
    return range(1, asked + 1, step)


def faults_of(machine, args, pool):
    status, out, asked = machine.run(args)
    if asked < 3 or status == 2:
        return [f"{' '.join(args)}: status {status}, {asked} allocations: "
                "nothing to fail"]
    asks = [pool.submit(fault_of, machine, args, at, (status, out))
            for at in numbers_of(asked)]
    return [ask.result() for ask in asks if ask.result()]


def main():
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        machine = Machine(folder)
        faults = [fault for args in commands(machine)
                  for fault in faults_of(machine, args, pool)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
