#!/usr/bin/env python3
"""The contract of an answer, over every sample of the corpus and every example:
25 lines for one root, 40 for two, at every width no line wider than the page
but commands; Markdown and chat carry what text carries; chat is short and does
nothing in Slack, Discord or GitHub."""
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import unicodedata

sys.path.insert(0, "tests/support")
from library import PROGRAM, ROOT, oomkb  # noqa: E402

LOGS = sorted([*ROOT.glob("entries/*/*.log"), *ROOT.glob("examples/*.log")])
ONE_ROOT, TWO_ROOTS, MEDIAN, FIT, CHAT = 25, 40, 25, 20, 700
HEADS = {"Do this first", "Do one of these", "Or", "Do not", "To be sure"}


def said(*words):
    """What the program says without a log."""
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL,
                          check=False, stdout=subprocess.PIPE,
                          env={**os.environ, "COLUMNS": "80"})
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
    """Its faults, and how long the answer is; None: nothing failed."""
    report = oomkb.diagnose(path.read_bytes())
    text = report.text()
    lines = text.count("\n")
    most = TWO_ROOTS if "\n----\n" in text else ONE_ROOT
    faults = [f"{lines} lines, {most} are allowed"] if lines > most else []
    for width in (60, 80, 120):
        for lang in ("en", "zh"):
            shown = report.text(lang=lang, width=width)
            faults += [f"wider than {width}: {line}"
                       for line in too_wide(shown, width)]
    page = plain(report.markdown())
    faults += [f"not in Markdown: {part}" for part in parts(text)
               if plain(part.removesuffix(" \\")) not in page]
    faults += [f"chat: {fault}" for fault in check_chat(report, text)]
    name = path.relative_to(ROOT)
    return [f"{name}: {fault}" for fault in faults], \
        lines if report else None


def check_chat(report, text):
    for lang in ("en", "zh"):
        chat = report.write("chat", lang=lang)
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
                text = said("fit", "--model", model, *words, "--lang",
                            lang)[1]
                most = FIT + (3 if "--compare" in words else 0)
                if text.count("\n") > most or too_wide(text, 80):
                    yield f"fit {model} {words} {lang}:\n{text}"


def check_csv():
    """A row for each row of the JSON, all as long."""
    rows = list(csv.reader(said("list", "jax", "--format",
                                "csv")[1].splitlines()))
    ids = [entry["id"] for entry in json.loads(
        said("list", "jax", "--format", "json")[1])["entries"]]
    if [row[0] for row in rows] != ids or {len(row) for row in rows} != {3}:
        yield f"csv of a list: {rows[:2]}"
    rows = list(csv.reader(said(
        "fit", "--model", "meta-llama/Llama-3.1-8B", "--compare",
        "tp=1,2,4", "--format", "csv")[1].splitlines()))
    if [row[0] for row in rows[1:]] != ["1", "2", "4"]:
        yield f"csv of a comparison: {rows}"
    for words in (["explain", "jax/step-too-large", "--format", "csv"],
                  ["list", "--format", "chat"]):
        if said(*words)[0] != 2:
            yield f"{words}: is not refused"


def main():
    faults, lengths = [*check_fit(), *check_csv()], []
    for path in LOGS:
        found, lines = check_log(path)
        faults += found
        lengths += [lines] if lines is not None else []
    if statistics.median(lengths) > MEDIAN:
        faults.append(f"median of {statistics.median(lengths)} lines")
    print("\n".join(faults[:40]))
    print(f"{len(lengths)} answers, median "
          f"{statistics.median(lengths)}, most {max(lengths)} lines")
    sys.exit(1 if faults or len(lengths) < 400 else 0)


main()
