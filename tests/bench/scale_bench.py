#!/usr/bin/env python3
"""What a larger knowledge base costs: scale_bench.py PROGRAM [--sizes 300,3000].

Knowledge bases of corpus_gen.py are built with all checks, opened, and a log is
read with each. Wall times are medians, with the CPU time of all threads beside
them: on a machine that does other things the latter is the steadier figure.
--json gives the rows to bench.py.
  build   `oomkb build`: read, check, try every sample, write
  open    oomkb_open() and oomkb_close() on the file, in a process that is there;
          the library stands beside the program
  answer  a traceback of 10 KB that no generated entry knows, a fresh process
  scan    a log of --mib MiB without failures, from the page cache
"""
import argparse
import ctypes
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import corpus_gen
import logs

OPEN_RUNS = 31


def run(command):
    """Wall and CPU seconds of a process; it may say 0 or 1."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: "
                 + done.stderr.decode(errors="replace")[-300:])
    cpu = (after.ru_utime - before.ru_utime + after.ru_stime -
           before.ru_stime)
    return wall, cpu


def medians(command, runs):
    run(command)  # warms the cache
    times = [run(command) for _ in range(runs)]
    return tuple(statistics.median(t[i] for t in times) for i in (0, 1))


def seconds_to_open(program, index):
    """Median seconds of a call of the library, in this process."""
    lib = ctypes.CDLL(os.path.join(os.path.dirname(program), "liboomkb.so"))
    path = index.encode()
    times = []
    for _ in range(OPEN_RUNS):
        kb = ctypes.c_void_p()
        began = time.perf_counter()
        code = lib.oomkb_open(path, ctypes.byref(kb), None)
        lib.oomkb_close(kb)
        times.append(time.perf_counter() - began)
        if code != 0:
            sys.exit(f"{index} cannot be opened: {code}")
    return statistics.median(times)


def measure(program, count, folder, mib):
    base = pathlib.Path(folder) / str(count)
    index = str(base / "oomkb.db")
    corpus_gen.generate(count, base)
    build = medians([program, "build", str(base / "entries"), "-o", index],
                    3 if count <= 3000 else 1)
    trace, long = (os.path.join(folder, name) for name in
                   ("traceback.log", "normal.log"))
    if not os.path.exists(long):
        with open(trace, "w", encoding="ascii") as f:
            f.write(logs.TRACEBACK)
        logs.write(long, "normal", mib << 20)
    ask = [program, "--kb", index]
    opened = seconds_to_open(program, index)
    answer = medians(ask + [trace], OPEN_RUNS)
    scan = medians(ask + [long], 3)
    return {"entries": f"{count:,}",
            "build_s": f"{build[0]:.2f}", "build_CPU_s": f"{build[1]:.2f}",
            "index_MB": f"{os.path.getsize(index) / 1e6:.1f}",
            "open_ms": f"{opened * 1e3:.3f}",
            "traceback_ms": f"{answer[0] * 1e3:.2f}",
            "traceback_CPU_ms": f"{answer[1] * 1e3:.2f}",
            "scan_MB_s": f"{(mib << 20) / scan[0] / 1e6:.0f}"}


def rows(program, sizes, mib):
    with tempfile.TemporaryDirectory() as folder:
        return [measure(program, count, folder, mib) for count in sizes]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--sizes", default="300,3000,30000")
    parser.add_argument("--mib", type=int, default=64)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sizes = [int(n) for n in options.sizes.split(",")]
    load = os.getloadavg()[0]
    told = rows(os.path.abspath(options.program), sizes, options.mib)
    if options.json:
        print(json.dumps({"load": load, "rows": told}))
        return
    print(f"Load before: {load:.1f}; {os.cpu_count()} cores.")
    for row in told:
        print(", ".join(f"{k.replace('_', ' ')} {v}" for k, v in row.items()))


if __name__ == "__main__":
    main()
