"""The targets, held against what was measured, and why one is missed: in words
that are chosen by the numbers."""
import os
import re

from measure import table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))

NOT_MEASURED = "not measured"


class Held:
    """One target: want and got are ratios; is_least: got should be at least
    want."""

    def __init__(self, what, want, got, is_least, why=""):
        self.what, self.want, self.got = what, want, got
        self.is_least, self.why = is_least, why

    @property
    def is_met(self):
        if self.got is None:
            return None
        return self.got >= self.want if self.is_least else \
            self.got <= self.want

    def row(self):
        sign = "at least" if self.is_least else "at most"
        got = NOT_MEASURED if self.got is None else f"{self.got:.2f}"
        met = {None: NOT_MEASURED, True: "met", False: "**not met**"}
        return (self.what, f"{sign} {self.want:g}", got, met[self.is_met])


def ratio(times, key, other):
    """Our speed over theirs; None where one is missing."""
    ours, theirs = times.get(key + ("oomkb",)), times.get(key + (other,))
    return ours.net_rate / theirs.net_rate if ours and theirs else None


def share_of_frames(bench, key):
    """How much of the time in memory goes into lines and frames alone."""
    whole = bench.memory.get(key + ("oomkb",))
    frames = bench.memory.get(key + ("oomkb, lines and frames only",))
    return frames.mid / whole.mid if whole and frames else None


def where_time_goes(bench, key):
    share = share_of_frames(bench, key)
    if share is None:
        return ""
    return (f"A program that only takes all lines out of their frames needs "
            f"{round(share * 100)} % of oomkb's time in memory; oomkb does that "
            f"where a literal may stand, and looks for such places elsewhere.")


def behind(bench, times, key, other):
    ours, theirs = times.get(key + ("oomkb",)), times.get(key + (other,))
    if not ours or not theirs:
        return ""
    return (f"oomkb reads {ours.net_rate:,.0f} MB/s there, {other} "
            f"{theirs.net_rate:,.0f}. {where_time_goes(bench, key)}")


def rate_targets(bench):
    small = bench.sets[0].entries
    large = [s.entries for s in bench.sets if 2000 <= s.entries <= 5000][:1]
    wanted = [("whole", "cluster", small, "wc -l", 0.10),
              ("whole", "normal", small, "wc -l", 0.15),
              ("whole", "normal", small, "rg -f", 6)]
    for n in [small] + large:
        wanted.append(("memory", "hostile", n, "Vectorscan, regexes", 1.0))
        wanted.append(("memory", "hits", n, "Vectorscan, regexes", 0.9))
        wanted.append(("memory", "failing", n, "Vectorscan, regexes", 0.4))
    for where, kind, n, other, want in wanted:
        times = bench.whole if where == "whole" else bench.memory
        key = (kind, n)
        words = "whole process" if where == "whole" else "in memory"
        yield Held(f"speed over {other}, {kind} log, {n:,} entries, {words}",
                   want, ratio(times, key, other), True,
                   behind(bench, times, key, other))


def latency_targets(times):
    base = times.get("SQLite, one SELECT")
    for name in ("oomkb, text", "oomkb, JSON"):
        took = times[name]
        got = took.mid / base.mid if base else None
        why = "" if base is None else (
            f"{took.mid * 1e3:.2f} ms, of which {base.mid * 1e3:.2f} are the "
            "start of a process with SQLite; the rest is opening the index, "
            "reading the entries that match, and writing the report.")
        yield Held(f"time of a short log over SQLite and one SELECT, {name}",
                   2, got, False, why)


# From so many entries on, up to the next: seconds; None: nothing is promised.
BUILD_SECONDS = ((0, 1), (3000, 5), (10000, None))


def build_seconds(entries):
    return [most for least, most in BUILD_SECONDS if least <= entries][-1]


def build_targets(bench):
    for made in bench.sets:
        want = build_seconds(made.entries)
        if want is None:
            continue
        took = bench.build[made.entries]
        yield Held(f"seconds to build {made.entries:,} entries, with checks",
                   want, took.mid, False,
                   f"{took.mid:.2f} s for {made.entries:,} entries, "
                   f"{took.mid / made.entries * 1e3:.1f} ms each.")


def streams_most():
    """How many streams the log house tells apart."""
    with open(os.path.join(ROOT, "src/log/log.h"), encoding="utf-8") as f:
        found = re.search(r"define LOG_STREAMS_MAX (\d+)", f.read())
    return found.group(1) if found else "some"


def memory_target(peaks):
    (small, first), (large, last) = peaks[-2], peaks[-1]
    yield Held(f"peak memory of {large / 1e9:.3g} GB over that of "
               f"{small / 1e9:.3g} GB", 1.25, last.peak_kib / first.peak_kib,
               False, f"{first.peak_kib / 1024:.1f} MiB became "
               f"{last.peak_kib / 1024:.1f} MiB. The log has thousands of "
               f"pids; {streams_most()} streams are told apart, and each "
               "keeps a window once it has said enough to fill one.")


def targets(bench, latency, peaks):
    return [*rate_targets(bench), *latency_targets(latency),
            *build_targets(bench), *memory_target(peaks)]


def part(held):
    out = table(["what", "wanted", "measured:", ""], [h.row() for h in held])
    missed = [h for h in held if h.is_met is False]
    if missed:
        out += ["", "## What falls short", ""]
        out += [f"- {h.what}: {h.got:.2f} where "
                f"{'at least' if h.is_least else 'at most'} {h.want:g} is "
                f"wanted. {h.why}".rstrip() for h in missed]
    return out
