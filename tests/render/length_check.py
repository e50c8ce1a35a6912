#!/usr/bin/env python3
"""The contract of an answer, over every sample of the corpus and every example:
25 lines for one root, 40 for two, at every width no line wider than the page
but commands; Markdown and chat carry what text carries; chat is short and does
nothing in Slack, Discord or GitHub."""
import concurrent.futures
import csv
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
LOGS = sorted(glob.glob(os.path.join(ROOT, "entries/*/*.log")) +
              glob.glob(os.path.join(ROOT, "examples/*.log")))
ONE_ROOT, TWO_ROOTS, MEDIAN, FIT, CHAT = 25, 40, 25, 20, 700
HEADS = {"Do this first", "Do one of these", "Or", "Do not", "To be sure"}


def answer(path, *words, width=80):
    with open(path, "rb") as log:
        done = subprocess.run([OOMKB, *words], stdin=log, check=False,
                              stdout=subprocess.PIPE,
                              env={**os.environ, "COLUMNS": str(width)})
    return done.returncode, done.stdout.decode()


def columns(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else
               0 if unicodedata.combining(c) else 1 for c in line)


def too_wide(text, width):
    """Commands stand six blanks in; a single word cannot be broken."""
    return [line for line in text.split("\n") if columns(line) > width and
            not line.startswith("      ") and " " in line.strip()]


def plain(text):
    """Words without markup, blanks, and the marks of wrapped commands."""
    text = re.sub(r"&lt;", "<", text).replace("&amp;", "&")
    text = re.sub(r" \\\n", " ", text)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text).replace("\u2060", "")
    return re.sub(r"[\s`*]+", "", text)


def parts(text):
    """Fixes with their verdicts and sums, dead ends and questions of a text
    answer: what must stand in Markdown as well."""
    found, section = [], None
    for line in text.split("\n"):
        head = re.sub(r"  .*", "", line)
        section = head if head in HEADS else section
        section = None if line == "----" else section
        if section is None or head in HEADS or line.startswith("More: "):
            continue
        found += [piece for piece in re.split(r"  +", line.strip())
                  if len(piece) > 3]
    return found


def check_log(path):
    faults, name = [], os.path.relpath(path, ROOT)
    status, text = answer(path)
    if status == 2:
        return [f"{name}: status 2"], None
    lines = text.count("\n")
    most = TWO_ROOTS if "\n----\n" in text else ONE_ROOT
    if lines > most:
        faults.append(f"{name}: {lines} lines, {most} are allowed")
    for width in (60, 80, 120):
        for lang in ("en", "zh"):
            shown = answer(path, "--lang", lang, width=width)[1]
            faults += [f"{name}: wider than {width}: {line}"
                       for line in too_wide(shown, width)]
    page = plain(answer(path, "--format", "markdown")[1])
    faults += [f"{name}: not in Markdown: {part}" for part in parts(text)
               if plain(part.removesuffix(" \\")) not in page]
    faults += [f"{name}: chat: {fault}" for fault in check_chat(path, text)]
    return faults, lines if status == 0 else None


def check_chat(path, text):
    for lang in ("en", "zh"):
        chat = answer(path, "--format", "chat", "--lang", lang)[1]
        if len(chat) > CHAT:
            yield f"{len(chat)} characters"
        if chat.count("`") % 2:
            yield "a lone backquote"
        prose = re.sub(r"`[^`\n]*`", "", chat)
        for mark in re.findall(r"[*_~|<>#\[\]\\]|@(?!\u2060)", prose):
            yield f"{mark} outside of code: {chat}"
        if re.search(r"@(?!\u2060)|<", chat):
            yield f"a mention: {chat}"
        if lang == "en" and text.split("\n")[0][:40].replace(
                "`", "") not in chat.replace("`", ""):
            yield f"the title is missing: {chat}"


def check_fit():
    """20 lines, and a line more for each row of a comparison."""
    for words in (["--gpu", "RTX 4090"], ["--gpu", "A100 80GB"], ["--tp", "2"],
                  ["--compare", "RTX 4090,L4,A100 80GB"]):
        for model in ("Qwen/Qwen2.5-32B-Instruct", "meta-llama/Llama-3.1-8B"):
            for lang in ("en", "zh"):
                text = answer(os.devnull, "fit", "--model", model, *words,
                              "--lang", lang)[1]
                most = FIT + (3 if "--compare" in words else 0)
                if text.count("\n") > most or too_wide(text, 80):
                    yield f"fit {model} {words} {lang}:\n{text}"


def check_csv():
    """A row for each row of the JSON, all as long."""
    rows = list(csv.reader(answer(os.devnull, "list", "jax", "--format",
                                  "csv")[1].splitlines()))
    ids = [entry["id"] for entry in json.loads(
        answer(os.devnull, "list", "jax", "--format", "json")[1])["entries"]]
    if [row[0] for row in rows] != ids or {len(row) for row in rows} != {3}:
        yield f"csv of a list: {rows[:2]}"
    rows = list(csv.reader(answer(
        os.devnull, "fit", "--model", "meta-llama/Llama-3.1-8B", "--compare",
        "tp=1,2,4", "--format", "csv")[1].splitlines()))
    if [row[0] for row in rows[1:]] != ["1", "2", "4"]:
        yield f"csv of a comparison: {rows}"
    for words in (["explain", "jax/step-too-large", "--format", "csv"],
                  ["list", "--format", "chat"]):
        if answer(os.devnull, *words)[0] != 2:
            yield f"{words}: is not refused"


def main():
    faults, lengths = [*check_fit(), *check_csv()], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found, lines in pool.map(check_log, LOGS):
            faults += found
            lengths += [lines] if lines is not None else []
    if statistics.median(lengths) > MEDIAN:
        faults.append(f"median of {statistics.median(lengths)} lines")
    print("\n".join(faults[:40]))
    print(f"{len(lengths)} answers, median "
          f"{statistics.median(lengths)}, most {max(lengths)} lines")
    sys.exit(1 if faults or len(lengths) < 400 else 0)


main()
