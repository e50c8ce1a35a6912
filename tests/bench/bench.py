#!/usr/bin/env python3
"""How fast, beside what else reads logs: bench.py PROGRAM [--write PAGE].

Whole processes and scans in memory, the start of a process, memory over 10 GB,
and the scale of the corpus, in one run on one machine; medians, with the
slowest and the fastest run. Each target is held against what was measured, and
what falls short is told from the numbers. --quick takes a minute.
"""
import argparse
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import beside
import logs
import verdicts
from measure import RUNS, in_memory, in_turns, table
from peers import RG, PatternSet, Programs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KINDS = ["normal", "cluster", "framed", "hostile", "hits", "failing", "long"]
LATENCY_RUNS = 101
ROOM_BYTES = 2 << 30
STREAM_SECONDS = 200  # of the longest log through a pipe, about
WORDS = 40  # of a generated set that stand in its hostile and hit logs
NAIVE_BYTES = 1 << 20  # of the log, over each 1,000 patterns


class Bench:
    """What one run knows: programs, pattern sets, and rows as they come."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.program = options.program
        self.began = time.monotonic()
        self.runs = 3 if options.quick else options.runs
        self.programs = Programs(options.program, folder)
        self.timer = self.programs.at["timer"]
        self.skipped = dict(self.programs.missing)
        for name in ("rg", "grep", "wc"):
            if not shutil.which(name):
                self.skipped[name] = "not installed"
        self.sets = []
        self.whole, self.memory = {}, {}  # (kind, entries, name): Times
        self.starts = {}  # (entries, name): Times on an empty log
        self.commands = {}
        self.notes = []
        self.build = {}  # entries: Times of `oomkb build`
        self.built = {}  # (entries, name): what the program said on building

    def say(self, text):
        if not self.options.quiet:
            gone = time.monotonic() - self.began
            print(f"{gone:6.0f} s  {text}", file=sys.stderr, flush=True)

    def has(self, name):
        return name not in self.skipped

    # ---- corpora ----

    def corpora(self):
        """(entries, folder): the shipped one, and generated ones."""
        yield "shipped", os.path.join(ROOT, "entries")
        for n in self.options.entries:
            made = beside.corpus(n, self.folder)
            if made:
                yield n, made
            else:
                self.notes.append(
                    f"{n:,} entries: skipped, there is no generator for them")

    def add_set(self, name, entries):
        folder = os.path.join(self.folder, f"set-{name}")
        index = os.path.join(folder, "oomkb.db")
        os.makedirs(folder)
        self.say(f"index and pattern set of {entries}")
        wrong = beside.drop_refused(self.program, entries, index) \
            if self.sets else None
        if wrong:
            self.notes.append(f"{name} entries: skipped, {wrong}")
            return
        build = [self.program, "build", entries, "-o", index]
        runs = 0 if self.options.quick or self.sets else 3
        took = in_turns(self.timer, [("build", build)], runs)["build"]
        said = subprocess.run([self.program, "version", "--kb", index],
                              capture_output=True, text=True, check=True)
        count = int(said.stdout.split(" entries")[0].split()[-1].replace(
            ",", ""))
        self.build[count] = took
        made = PatternSet(self.programs, index, folder, count,
                          self.options.most_regexes)
        self.sets.append(made)
        if made.why_no_rg:
            self.notes.append(f"rg -f, {count:,} entries: {made.why_no_rg}")
        for kind in ("literals", "regexes"):
            self.compile_hs(made, kind)

    def compile_hs(self, made, kind):
        if not self.has("scan_hs"):
            return
        if kind == "regexes" and made.count > self.options.most_regexes:
            self.notes.append(
                f"Vectorscan, regexes of {made.entries:,} entries: skipped, "
                f"compiling {made.count:,} takes minutes")
            return
        name = f"Vectorscan, {kind}"
        words = [self.programs.at["scan_hs"], kind,
                 made.path(f"{kind}.bin"), made.path(f"{kind}.hs")]
        done = subprocess.run(words, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            self.notes.append(f"{name} of {made.entries:,} entries: "
                              f"{done.stderr.strip()[-120:]}")
            return
        told = beside.read_json(done.stdout)
        made.left_out[name] = told["left_out"]
        self.built[made.entries, name] = told

    # ---- whole processes ----

    def whole_commands(self, made):
        """(name, command) that take the log as the word LOG."""
        at = self.programs.at
        found = [("wc -l", ["wc", "-l", "LOG"])] if self.has("wc") else []
        if self.has("newlines"):
            found.append(("memchr loop", [at["newlines"], "LOG"]))
        if self.has("grep"):
            found.append(("grep -F", ["grep", "-c", "-F", "-f",
                                      made.path("literals.txt"), "LOG"]))
        if self.has("rg"):
            found.append(("rg -F", [*RG, "--unicode", "-F", "-f",
                                    made.path("literals.txt"), "LOG"]))
        if os.path.exists(made.path("rg.txt")):
            found.append(("rg -f", [*RG, "-f", made.path("rg.txt"), "LOG"]))
        for kind in ("literals", "regexes"):
            if os.path.exists(made.path(f"{kind}.hs")):
                found.append((f"Vectorscan, {kind}",
                              [at["scan_hs"], made.path(f"{kind}.hs"), "LOG",
                               "1"]))
        if self.has("scan_re2") and made.count <= self.options.most_regexes:
            found.append(("RE2::Set", [at["scan_re2"],
                                       made.path("regexes.bin"), "LOG", "1"]))
        return found + [("oomkb", [self.program, "--kb", made.index, "LOG"])]

    def run_whole(self, log, made):
        wanted = self.whole_commands(made)
        self.commands.update(dict(wanted))
        ready = [(n, [log if w == "LOG" else w for w in c])
                 for n, c in wanted]
        return in_turns(self.timer, ready, self.runs, os.path.getsize(log))

    def measure_starts(self):
        log = os.path.join(self.folder, "empty.log")
        with open(log, "w", encoding="ascii") as f:
            f.write("\n")
        for made in self.sets:
            for name, took in self.run_whole(log, made).items():
                self.starts[made.entries, name] = took

    def measure_whole(self, kind, log, made):
        for name, took in self.run_whole(log, made).items():
            took.start = self.starts[made.entries, name].mid
            self.whole[kind, made.entries, name] = took

    # ---- in memory ----

    def memory_commands(self, made):
        at = self.programs.at
        found = []
        for kind in ("literals", "regexes"):
            if os.path.exists(made.path(f"{kind}.hs")):
                found.append((f"Vectorscan, {kind}",
                              [at["scan_hs"], made.path(f"{kind}.hs"), "LOG",
                               "RUNS"]))
        if self.has("scan_re2") and made.count <= self.options.most_regexes:
            found.append(("RE2::Set", [at["scan_re2"],
                                       made.path("regexes.bin"), "LOG",
                                       "RUNS"]))
        if self.has("scan_frames"):
            found.append(("oomkb, lines and frames only",
                          [at["scan_frames"], "LOG", "RUNS"]))
        if self.has("scan_oomkb"):
            found.append(("oomkb", [at["scan_oomkb"], made.index, "LOG",
                                    "RUNS"]))
        return found

    def measure_memory(self, kind, log, made):
        size = os.path.getsize(log)
        for name, command in self.memory_commands(made):
            ready = [log if w == "LOG" else w for w in command]
            took, told = in_memory(ready, size, self.runs)
            self.memory[kind, made.entries, name] = took
            if name == "RE2::Set":
                made.left_out[name] = told["left_out"]
        if self.has("scan_pcre2"):
            part = min(size, NAIVE_BYTES * 1000 // max(made.count, 1))
            took, told = in_memory(
                [self.programs.at["scan_pcre2"], made.path("prepared.bin"),
                 log, "RUNS", str(part)], part, 3)
            self.memory[kind, made.entries, "PCRE2-JIT, each pattern"] = took
            made.left_out["PCRE2-JIT"] = told["left_out"]

    # ---- the rest ----

    def write_log(self, kind, made):
        """Near misses and hits are those of the set; the shipped one has its
        own list."""
        log = os.path.join(self.folder, kind + ".log")
        words = None
        if made is not self.sets[0]:
            words = random.Random(kind).sample(
                made.literals, min(WORDS, len(made.literals)))
        if words and kind == "hostile":
            words = [logs.near(w) for w in words]
        logs.write(log, kind, self.options.mib << 20, words=words)
        return log

    def measure_logs(self):
        self.measure_starts()
        for kind in reversed(KINDS):  # the normal one stays for peaks()
            for made in self.sets:
                log = self.write_log(kind, made)
                self.say(f"{kind} log, {made.entries:,} entries")
                self.measure_whole(kind, log, made)
                self.measure_memory(kind, log, made)

    def latency(self):
        log = os.path.join(self.folder, "traceback.log")
        with open(log, "w", encoding="ascii") as f:
            f.write(logs.TRACEBACK)
        wanted = []
        if self.has("empty") and self.has("one_select"):
            wanted = [("empty process", [self.programs.at["empty"]]),
                      ("SQLite, one SELECT", [self.programs.at["one_select"],
                                              self.sets[0].index])]
        wanted += [("oomkb, text", [self.program, log]),
                   ("oomkb, JSON", [self.program, "--format", "json", log])]
        self.say("start of a process")
        return os.path.getsize(log), in_turns(self.timer, wanted,
                                              LATENCY_RUNS)

    def peaks(self):
        """(bytes, Times) of logs through a pipe, each larger than the last."""
        block = os.path.join(self.folder, "normal.log")
        found = []
        for size in self.options.streams:
            if found:  # not longer than it may take; the page says how large
                size = min(size, int(found[-1][1].rate * 1e6 * STREAM_SECONDS))
                if size <= found[-1][0]:
                    continue
            self.say(f"{size / 1e9:.3g} GB through a pipe")
            with subprocess.Popen([self.programs.at["stream"], block,
                                   str(size)],
                                  stdout=subprocess.PIPE) as source:
                took = in_turns(self.timer, [("oomkb", [self.program])], 0,
                                size, stdin=source.stdout)["oomkb"]
                source.stdout.close()
            found.append((size, took))
        return found


# ---- the page ----

def machine():
    model = platform.processor() or platform.machine()
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        for row in f:
            if row.startswith("model name"):
                model = row.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def rate_rows(times, sets, names, reference="oomkb"):
    for kind in KINDS:
        for made in sets:
            ours = times.get((kind, made.entries, reference))
            for name in names:
                took = times.get((kind, made.entries, name))
                if took is None:
                    continue
                factor = "" if name == reference or ours is None else \
                    f"{ours.rate / took.rate:.2f} x"
                start = [f"{took.start * 1e3:,.1f}"] if took.start else []
                yield [kind, f"{made.entries:,}", name, f"{took.rate:,.1f}",
                       took.spread(), len(took.seconds), *start, factor]


def names_in(times):
    return list(dict.fromkeys(name for _, _, name in times))


RATE_HEAD = ["log", "entries", "program", "MB/s, median:",
             "slowest to fastest:", "runs:", "oomkb is:"]
WHOLE_HEAD = RATE_HEAD[:-1] + ["start, ms:"] + RATE_HEAD[-1:]


def latency_part(bench, size, times):
    base = times.get("SQLite, one SELECT", times["oomkb, text"])
    rows = [(name, took.ms(), took.ms_spread(),
             f"{took.mid / base.mid:.2f} x") for name, took in times.items()]
    return ["", "## One short log", "",
            f"A traceback of {size // 1000} KB, a fresh process each, "
            f"{LATENCY_RUNS} runs in turns, output to a file. The empty "
            "process and the one that opens the index with SQLite and asks "
            "one question are linked against the same libraries.", ""] + \
        table(["program", "ms, median:", "fastest to slowest:",
               "of SQLite, one SELECT:"], rows)


def peak_part(peaks):
    rows = [(f"{size / 1e9:.3g} GB", f"{took.peak_kib / 1024:.1f} MiB",
             f"{took.rate:,.0f}") for size, took in peaks]
    return ["", "## Memory", "",
            "A normal log through a pipe, made as it goes, one run each.",
            ""] + table(["log", "peak memory:", "MB/s:"], rows)


def sets_part(bench):
    rows = []
    for made in bench.sets:
        build = bench.build[made.entries]
        left = ", ".join(f"{n}: {k}" for n, k in made.left_out.items()
                         if k > 0)
        rows.append((f"{made.entries:,}", f"{made.count:,}",
                     f"{len(made.literals):,}", f"{build.mid:.2f} s",
                     f"{os.path.getsize(made.index) / 1e6:.1f} MB",
                     left or "none"))
    return ["", "## Pattern sets", ""] + table(
        ["entries:", "patterns:", "literals:", "`oomkb build`, with checks:",
         "index:", "regexes left out, as the engine refuses them"], rows)


def commands_part(bench):
    hidden = {bench.folder + "/": "", bench.program: "oomkb"}
    out = ["", "## Command lines", ""]
    for command in bench.commands.values():
        line = " ".join(command)
        for path, shown in hidden.items():
            line = line.replace(path, shown)
        out.append("    " + re.sub(r"\bset-\w+/", "", line))
    out += ["", "Vectorscan scans in block mode without start of match; "
            "RE2::Set reads blocks of whole lines of 64 KiB; PCRE2-JIT runs "
            "every pattern over a slice of the log, so that its speed is that "
            "of the slice."]
    for name, why in bench.skipped.items():
        out += ["", f"Skipped: {name}: {why}."]
    for note in bench.notes:
        out += ["", f"{note}."]
    return out


def page(bench, load):
    size, times = bench.latency()
    peaks = bench.peaks()
    held = verdicts.targets(bench, times, peaks)
    made = bench.sets[0]
    out = ["# How fast", "", "Written by `make bench`; nothing here is typed "
           "by hand.", "",
           f"{machine()}. Load {load:.1f} before the run, "
           f"{os.getloadavg()[0]:.1f} after it. Logs of {bench.options.mib} "
           "MiB, made by `tests/bench/logs.py`, in memory, read by "
           f"one process; medians of {bench.runs}, of fewer where one run is "
           "long, taken in turns. The peers look for the same patterns: "
           "literals are the longest plain run of each pattern "
           f"({len(made.literals):,} for the {made.entries:,} entries that "
           "are shipped), regexes the patterns without captures and "
           "possessive marks. They count matches or lines; oomkb takes the "
           "log out of its frames, matches, and answers.", "",
           "## Targets", ""]
    out += verdicts.part(held)
    out += ["", "## Whole processes", "", "From the start of a process to its end. "
            "\"start\" is its time on a log of one empty line: compiling or "
            "loading patterns. Speeds are of the whole; targets count what is "
            "left without the start, which is kinder to the peers.", ""] + \
        table(WHOLE_HEAD, rate_rows(bench.whole, bench.sets, names_in(bench.whole)))
    out += ["", "## In memory", "", "Without reading, building and starting.",
            ""] + table(RATE_HEAD, rate_rows(bench.memory, bench.sets,
                                             names_in(bench.memory)))
    out += latency_part(bench, size, times) + peak_part(peaks)
    out += sets_part(bench)
    bench.say("the benches of single parts")
    out += beside.parts(bench.program, bench.options.entries,
                        bench.options.mib)
    return "\n".join(out + commands_part(bench)) + "\n"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--mib", type=int, default=64)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--entries", type=int, nargs="*",
                        default=[3000, 30000])
    parser.add_argument("--gigabytes", type=float, default=10,
                        help="of the longest log")
    parser.add_argument("--most-regexes", type=int, default=20000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--write", metavar="PAGE")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    options.streams = [10 ** 8, 10 ** 9, int(options.gigabytes * 1e9)]
    if options.quick:
        options.mib = min(options.mib, 8)
        options.entries, options.streams = [], [10 ** 8, 4 * 10 ** 8]
    return options


def room():
    """Where logs lie: in memory where there is enough, so that no disk is
    measured; else where temporary files go."""
    try:
        at = os.statvfs("/dev/shm")
    except OSError:
        return None
    return "/dev/shm" if at.f_bavail * at.f_frsize > ROOM_BYTES else None


def main():
    options = read_options()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=room()) as folder:
        bench = Bench(options, folder)
        for name, entries in bench.corpora():
            bench.add_set(name, entries)
        bench.measure_logs()
        text = page(bench, load)
    print(text, end="")
    if options.write:
        with open(options.write, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
