"""Seconds and bytes: the helpers of the bench. Commands run in turns under
programs/timer.c, so that what else the machine does meets all of them alike."""
import json
import os
import statistics
import subprocess
import sys

RUNS = 9
ENOUGH_SECONDS = 4.0  # of one program in memory: then fewer runs will do
LEAST_RUNS = 3


class Times:
    """The runs of one program over so many bytes."""

    def __init__(self, seconds, size=0, peak_kib=0):
        self.seconds, self.size, self.peak_kib = seconds, size, peak_kib
        self.start = 0.0  # of that, before the first byte

    @property
    def mid(self):
        return statistics.median(self.seconds)

    @property
    def rate(self):
        """MB/s, of the median run."""
        return self.size / self.mid / 1e6

    @property
    def net_rate(self):
        """MB/s without the start."""
        return self.size / max(self.mid - self.start, 1e-6) / 1e6

    def spread(self):
        slow, fast = max(self.seconds), min(self.seconds)
        return f"{self.size / slow / 1e6:,.0f} to {self.size / fast / 1e6:,.0f}"

    def ms(self):
        return f"{self.mid * 1e3:.2f}"

    def ms_spread(self):
        return f"{min(self.seconds) * 1e3:.2f} to {max(self.seconds) * 1e3:.2f}"


def lines_of(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          env={**os.environ, "LC_ALL": "C"}, check=False,
                          stderr=subprocess.PIPE, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: "
                 f"{done.stderr.decode(errors='replace').strip()[-300:]}")
    return [json.loads(row) for row in done.stdout.decode().splitlines()]


def in_turns(timer, commands, runs=RUNS, size=0, **more):
    """Times by name, of (name, command) pairs."""
    words = [timer, str(runs)]
    for i, (_, command) in enumerate(commands):
        words += (["--"] if i else []) + command
    found = {}
    for (name, command), row in zip(commands, lines_of(words, **more)):
        if row["status"] not in (0, 1):
            sys.exit(f"{' '.join(command)} ended with {row['status']}")
        found[name] = Times(row["seconds"], size, row["peak_kib"])
    return found


def in_memory(command, size, runs=RUNS):
    """(Times, what else the program said); command takes RUNS where it has
    "RUNS"."""
    def run(n):
        return lines_of([str(n) if w == "RUNS" else w for w in command])[0]
    first = run(1)
    affordable = int(ENOUGH_SECONDS / max(first["seconds"][0], 1e-9))
    told = run(max(LEAST_RUNS, min(runs, affordable)))
    return Times(told["seconds"], size), told


def table(head, rows):
    """Markdown; a column of numbers is one that ends with a colon."""
    names = [h.rstrip(":") for h in head]
    marks = ["---:" if h.endswith(":") else "---" for h in head]
    return ["| " + " | ".join(names) + " |", "| " + " | ".join(marks) + " |"] \
        + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
