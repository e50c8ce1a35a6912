#!/usr/bin/env python3
"""Asking for news changes nothing: every sample log of the corpus, fed in
pieces with a question after each, ends in the report of the whole."""
import ctypes
import glob
import os
import random
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
LIBRARY = os.path.join(os.path.dirname(os.path.abspath(
    os.environ.get("OOMKB", "build/oomkb"))), "liboomkb.so")
LIB = ctypes.CDLL(LIBRARY)
WRITER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                          ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
POINTER = ctypes.c_void_p


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 256)]


def call(name, *arguments):
    err = Error()
    code = getattr(LIB, name)(*arguments, ctypes.byref(err))
    if code:
        sys.exit(f"{name}: {err.text.decode()}")


def written(report):
    pieces = []

    def take(_, at, n):
        pieces.append(at[:n])
        return 0

    call("oomkb_report_write", report, b"jsonl", None, WRITER(take), None)
    return b"".join(pieces)


def scan_of(kb):
    scan = POINTER()
    call("oomkb_scan_new", kb, None, ctypes.byref(scan))
    return scan


def finished(scan):
    report = POINTER()
    call("oomkb_scan_finish", scan, ctypes.byref(report))
    text = written(report)
    LIB.oomkb_report_free(report)
    return text


def feed(scan, piece):
    call("oomkb_scan_feed", scan, piece, ctypes.c_size_t(len(piece)))


def with_news(kb, log, r):
    scan, at, told = scan_of(kb), 0, 0
    while at < len(log):
        n = r.randrange(1, len(log) // 3 + 2)
        feed(scan, log[at:at + n])
        at += n
        news = POINTER()
        call("oomkb_scan_news", scan, r.randrange(2), ctypes.byref(news))
        if news:
            told += b'"findings":[{' in written(news)
    return finished(scan), told


def main():
    kb, bad, told = POINTER(), 0, 0
    call("oomkb_open", None, ctypes.byref(kb))
    logs = sorted(glob.glob(os.path.join(ROOT, "entries/*/*.log")) +
                  glob.glob(os.path.join(ROOT, "examples/*.log")))
    r = random.Random(6)
    for name in logs:
        with open(name, "rb") as f:
            log = f.read()
        scan = scan_of(kb)
        feed(scan, log)
        got, count = with_news(kb, log, r)
        told += count
        if got != finished(scan):
            print(f"{name}: news changed the report")
            bad += 1
    print(f"{len(logs)} logs, {told} times news")
    sys.exit(1 if bad or not logs or told < len(logs) / 4 else 0)


if __name__ == "__main__":
    main()
