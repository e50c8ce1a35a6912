#!/usr/bin/env python3
"""How fast, against what else reads a log: bench.py PROGRAM [--write PAGE].

Every figure is the median of RUNS whole processes that read a file from the
page cache, with the smallest and largest beside it; the runs of all programs
take turns, so that what else the machine does meets all of them alike. What is
not installed is skipped and named.
"""
import argparse
import os
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

import logs

KINDS = ["normal", "hostile", "hits", "long"]
LATENCY_RUNS = 101


def literals(program):
    """What patterns look for, as far as it is plain text: for grep and rg."""
    index = os.path.join(os.path.dirname(program), "oomkb.db")
    with sqlite3.connect(f"file:{index}?mode=ro", uri=True) as db:
        rows = db.execute("select * from pattern").fetchall()
    words = set()
    for row in rows:
        text = next(c for c in reversed(row) if isinstance(c, str))
        run = ""
        best = ""
        for c in text + "(":
            if c.isalnum() or c in " _-:,='":
                run += c
            else:
                best, run = max(best, run.strip(), key=len), ""
        if len(best) >= 8:
            words.add(best)
    return sorted(words)


def programs(program, words):
    """Name, command (the log follows as the last argument)."""
    return [
        ("wc -l", ["wc", "-l"]),
        ("grep -F -f", ["grep", "-c", "-F", "-f", words]),
        ("rg -F -f", ["rg", "-j1", "-c", "-F", "-f", words]),
        ("oomkb", [program]),
    ]


def seconds_of(command):
    with tempfile.TemporaryFile() as out:  # grep stops early for /dev/null
        began = time.perf_counter()
        done = subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL,
                              check=False, env={**os.environ, "LC_ALL": "C"})
        took = time.perf_counter() - began
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return took


def measure(commands, runs):
    """Lists of seconds, by name; the commands take turns."""
    times = {name: [] for name, _ in commands}
    for name, command in commands:
        seconds_of(command)  # warms the cache
    for _ in range(runs):
        for name, command in commands:
            times[name].append(seconds_of(command))
    return times


def is_program(pid, path):
    try:
        return os.path.samefile(f"/proc/{pid}/exe", path)
    except OSError:
        return False


def peak_kib(command):
    """The last high-water mark seen; rusage would count this process, too."""
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as child:
        while child.poll() is None:
            try:
                with open(f"/proc/{child.pid}/status", encoding="ascii") as f:
                    marks = [r.split()[1] for r in f if r.startswith("VmHWM")]
            except OSError:
                marks = []
            if marks and is_program(child.pid, command[0]):
                peak = max(peak, int(marks[0]))
            time.sleep(0.002)
    return peak


def rate_rows(commands, log, runs):
    size = os.path.getsize(log)
    times = measure([(n, c + [log]) for n, c in commands], runs)
    base = statistics.median(times["oomkb"])
    for name, _ in commands:
        took = times[name]
        mid = statistics.median(took)
        yield (name, size / mid / 1e6, size / max(took) / 1e6,
               size / min(took) / 1e6, mid / base)


def table(commands, folder, size, runs):
    out = ["| log | program | MB/s, median | slowest to fastest | oomkb is |",
           "| --- | --- | ---: | ---: | ---: |"]
    for kind in KINDS:
        log = os.path.join(folder, kind + ".log")
        logs.write(log, kind, size)
        for name, mid, low, high, ratio in rate_rows(commands, log, runs):
            factor = "" if name == "oomkb" else f"{ratio:.2f} x its speed"
            out.append(f"| {kind} | {name} | {mid:.0f} | {low:.0f} to "
                       f"{high:.0f} | {factor} |")
        peak = peak_kib(commands[-1][1] + [log])
        out.append(f"| {kind} | oomkb, peak memory | {peak / 1024:.1f} MiB | "
                   "| |")
        os.remove(log)
    return out


def latency(program, folder):
    log = os.path.join(folder, "traceback.log")
    with open(log, "w", encoding="ascii") as f:
        f.write(logs.TRACEBACK)
    times = measure([("/bin/true", ["/bin/true"]),
                     ("oomkb", [program, log]),
                     ("oomkb, JSON", [program, "--format", "json", log])],
                    LATENCY_RUNS)
    empty = statistics.median(times["/bin/true"])
    out = [f"A traceback of {os.path.getsize(log) // 1000} KB, a fresh process "
           f"each, {LATENCY_RUNS} runs:", "",
           "| program | ms, median | fastest to slowest | of /bin/true |",
           "| --- | ---: | ---: | ---: |"]
    for name, took in times.items():
        mid = statistics.median(took)
        out.append(f"| {name} | {mid * 1e3:.2f} | {min(took) * 1e3:.2f} to "
                   f"{max(took) * 1e3:.2f} | {mid / empty:.1f} |")
    return out


def machine():
    model = platform.processor() or platform.machine()
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        for row in f:
            if row.startswith("model name"):
                model = row.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def page(options, folder):
    words = os.path.join(folder, "literals.txt")
    listed = literals(options.program)
    with open(words, "w", encoding="utf-8") as f:
        f.write("\n".join(listed) + "\n")
    wanted = programs(options.program, words)
    found = [(n, c) for n, c in wanted if shutil.which(c[0])]
    missing = [n for n, c in wanted if not shutil.which(c[0])]
    out = ["# How fast", "",
           "Written by `make bench`; nothing here is typed by hand.", "",
           f"{machine()}. Load before: {os.getloadavg()[0]:.1f}. Logs of "
           f"{options.mib} MiB, made by `tests/bench/logs.py`, read from the "
           f"page cache by one process with one thread; medians of "
           f"{options.runs}, taken in turns.", "",
           f"`grep` and `rg` look for {len(listed)} fixed strings, the longest "
           "plain run of each pattern, and count lines. oomkb takes the log "
           "out of its frames, matches all patterns and answers, so this is "
           "what it costs to be asked, not the same work.", ""]
    out += table(found, folder, options.mib << 20, options.runs)
    out += [""] + latency(options.program, folder) + ["", "Command lines:", ""]
    shown = {options.program: "oomkb", words: "literals.txt"}
    out += ["    " + " ".join(shown.get(w, w) for w in c) + " LOG"
            for _, c in found]
    for name in missing:
        out += ["", f"Skipped, since not installed: {name}."]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--mib", type=int, default=64)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--write", metavar="PAGE")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory() as folder:
        text = page(options, folder)
    print(text, end="")
    if options.write:
        limits = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                              "limits.md")
        with open(limits, encoding="utf-8") as f:
            text += "\n" + f.read()
        with open(options.write, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
