#!/usr/bin/env python3
"""Run every test and end with `N passed, N failed`.

    run.py PROGRAM... [--script SCRIPT...]

A PROGRAM is a cmocka test: each of its cases counts. A SCRIPT is run as it is
and counts as one: it passes when it exits 0. What a failing one printed is
shown; what a passing one printed is not.
"""
import os
import re
import subprocess
import sys
import time


def run(command):
    env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP",
               PYTHON=sys.executable,
               XDG_DATA_HOME="/nowhere",  # nobody's own reports
               ASAN_OPTIONS="detect_leaks=1:abort_on_error=0",
               UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1")
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=900,
                              stderr=subprocess.STDOUT, env=env, check=False,
                              stdin=subprocess.DEVNULL)
        text, status = done.stdout.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode(errors="replace") + "\ntimed out"
        status = 124
    return text, status, time.monotonic() - start


def show(name, text):
    print(f"--- {name}")
    print("\n".join("    " + line for line in text.splitlines()[-80:]))


def main():
    words = sys.argv[1:]
    split = words.index("--script") if "--script" in words else len(words)
    passed = failed = 0
    for program in words[:split]:
        text, status, seconds = run([program])
        good = len(re.findall(r"^ok ", text, re.M))
        bad = len(re.findall(r"^not ok ", text, re.M))
        if status != 0 and bad == 0:
            bad = 1  # it crashed, or a sanitizer spoke
        if good + bad == 0:
            bad = 1  # a test program that tests nothing
        passed, failed = passed + good, failed + bad
        print(f"{'ok  ' if bad == 0 else 'FAIL'} {program} "
              f"({good} of {good + bad}, {seconds:.1f} s)", flush=True)
        if bad:
            show(program, text)
    for script in words[split + 1:]:
        command = [sys.executable, script] if script.endswith(".py") \
            else [script]
        text, status, seconds = run(command)
        passed, failed = passed + (status == 0), failed + (status != 0)
        print(f"{'ok  ' if status == 0 else 'FAIL'} {script} "
              f"({seconds:.1f} s)", flush=True)
        if status:
            show(script, text)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
