#!/usr/bin/env python3
"""Run every test and end with `N passed, N failed`.

    run.py [--jobs N] [--at-most SECONDS] PROGRAM... [--script SCRIPT...]

A PROGRAM is a cmocka test: each of its cases counts. A SCRIPT is run as it is
and counts as one: it passes when it exits 0. What a failing one printed is
shown; what a passing one printed is not. Tests run in parallel, one for each
processor unless --jobs says otherwise; the slowest of the last run start
first, so that no long one is left for the end (SLOW says which those are where
no run was). With OOMKB_ALL=1 in the environment tests ask all of the sets of
which they take a part. --at-most leaves out those that
took longer than that in the last run with --at-most
(build/test-times-fast.json), and names them. The time kept of a test that is
left out falls by an eighth, so that one slow run does not leave it out for good.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

BUILD = pathlib.Path("build")
LIMIT_SECONDS = 1800
SLOW = {  # seconds; of other tests a second is thought
    "tests/tools/clang_check.sh": 19,
    "tests/metamorphic/reframe_check.py": 18,
    "tests/cli/run_check.py": 17,
    "tests/metamorphic/metamorphic_check.py": 14,
    "tests/metamorphic/wrap_check.py": 14,
    "tests/tools/corpus_check.sh": 14,
    "tests/cli/jobs_check.py": 13,
    "tests/match/test_brute": 12,
    "tests/cli/follow_check.py": 12,
    "tests/install/readme_check.py": 12,
    "tests/author/site_html_check.py": 12,
    "tests/author/test_compile": 12,
    "tests/metamorphic/advice_check.py": 11,
    "tests/api/threads_check.sh": 11,
    "tests/index/test_damage": 11,
    "tests/memory/formulas_check.py": 10,
    "tests/engines/oracle_check.py": 9,
    "tests/diagnose/situations_check.py": 9,
    "tests/match/test_selection": 9,
    "tests/api/test_extremes": 8,
    "tests/api/news_check.py": 8,
    "tests/diagnose/levers_check.py": 8,
    "tests/match/test_prefilter": 8,
    "tests/author/site_check.py": 7,
    "tests/cli/json_schema_check.py": 7,
    "tests/corpus/quality_check.py": 7,
    "tests/memory/test_fit_search": 7,
    "tests/memory/test_formulas": 6,
    "tests/log/test_reader": 6,
    "tests/cli/memory_check.py": 6,
}


def run(command):
    env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP",
               PYTHON=sys.executable,
               XDG_DATA_HOME="/nowhere",  # nobody's own reports
               ASAN_OPTIONS="detect_leaks=1:abort_on_error=0",
               UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1")
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              timeout=LIMIT_SECONDS,
                              stderr=subprocess.STDOUT, env=env, check=False,
                              stdin=subprocess.DEVNULL)
        text, status = done.stdout.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode(errors="replace") + "\ntimed out"
        status = 124
    return text, status, time.monotonic() - start


def run_program(path):
    text, status, seconds = run([path])
    good = len(re.findall(r"^ok ", text, re.M))
    bad = len(re.findall(r"^not ok ", text, re.M))
    if status != 0 and bad == 0:
        bad = 1  # it crashed, or a sanitizer spoke
    if good + bad == 0:
        bad = 1  # a test program that tests nothing
    return path, good, bad, seconds, text


def run_script(path):
    command = [sys.executable, path] if path.endswith(".py") else [path]
    text, status, seconds = run(command)
    return path, int(status == 0), int(status != 0), seconds, text


def name_of(path):
    """The same test built elsewhere took as long."""
    return path[path.index("tests/"):] if "tests/" in path else path


def tell(outcome):
    path, good, bad, seconds, text = outcome
    print(f"{'FAIL' if bad else 'ok  '} {path} "
          f"({good} of {good + bad}, {seconds:.1f} s)", flush=True)
    if bad:
        lines = text.splitlines()[-80:]
        print("\n".join("    " + line for line in lines), flush=True)


def arguments():
    words = sys.argv[1:]
    split = words.index("--script") if "--script" in words else len(words)
    read = argparse.ArgumentParser(usage=__doc__)
    read.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    read.add_argument("--at-most", type=float, default=0)
    read.add_argument("programs", nargs="*")
    known = read.parse_args(words[:split])
    return known, words[split + 1:]


def main():
    known, scripts = arguments()
    # The two runs differ in their sanitizers, so that each has its own times.
    kept = BUILD / f"test-times{'-fast' if known.at_most else ''}.json"
    times = SLOW | (json.loads(kept.read_text()) if kept.exists() else {})
    work = [(run_program, path) for path in known.programs]
    work += [(run_script, path) for path in scripts]
    if known.at_most:
        late = [p for _, p in work
                if times.get(name_of(p), 0) > known.at_most]
        work = [(f, p) for f, p in work if p not in late]
        print("left to `make check`, slower than "
              f"{known.at_most:g} s:", " ".join(map(name_of, late)) or "none")
        times.update((name_of(p), round(times[name_of(p)] * 7 / 8, 1))
                     for p in late)
    work.sort(key=lambda one: -times.get(name_of(one[1]), 1))
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(1, known.jobs)) as pool:
        running = [pool.submit(function, path) for function, path in work]
        for done in concurrent.futures.as_completed(running):
            outcome = done.result()
            tell(outcome)
            times[name_of(outcome[0])] = round(outcome[3], 1)
            passed, failed = passed + outcome[1], failed + outcome[2]
    BUILD.mkdir(exist_ok=True)
    kept.write_text(json.dumps(times, indent=1, sort_keys=True))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
