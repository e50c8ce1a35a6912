#!/usr/bin/env python3
"""Markdown by a renderer that is not ours (cmark-gfm, raw HTML let through):
what a log holds never becomes a tag, a link or a heading, every command comes
out as it went in, and every page of the corpus has its parts."""
import glob
import html
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, "tests/support")
from hostile import LOG, ROOT, expect, oomkb, told  # noqa: E402

TAGS = {"h1", "h2", "h3", "p", "ul", "ol", "li", "code", "pre", "strong",
        "blockquote", "a", "hr"}
HOSTILE = ["<script>alert(1)</script>", "</code></pre><img src=x>",
           "`````sh", "``` <b>x</b>", "[x](javascript:1)", "![x](y)",
           "**bold**", "~~gone~~", "&lt;b&gt;", "<!-- x", "<https://x.y>",
           "# heading", "| a | b |", "$x$", "@everyone", "\\", "`", "*", "_x_",
           "http://evil.example/x", "www.evil.example", "||spoiler||"]
# What a page makes of text after Markdown: none of these may be left in it.
ACTING = [":joy:", "GH-1", "http://evil.example", "www.evil.example",
          "@everyone"]


def rendered(markdown):
    return subprocess.run(
        ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e",
         "autolink", "-e", "tagfilter"], input=markdown.encode(), check=True,
        stdout=subprocess.PIPE).stdout.decode()


def check_page(what, page):
    tags = set(re.findall(r"</?([A-Za-z!][A-Za-z0-9]*)", page))
    expect(f"{what}: tags {tags - TAGS}", not tags - TAGS)
    for link in re.findall(r'href="([^"]*)"', page):
        expect(f"{what}: link {link}", link.startswith("https://"))
    expect(f"{what}: no heading", re.search("<h[12]>", page))


def check_hostile():
    for text in HOSTILE:
        for words in ([], ["--why"], ["--redact"], ["--lang", "zh"]):
            page = oomkb("--format", "markdown", *words,
                         stdin=LOG.format(text))
            check_page(f"{text} {words}", rendered(page))


def check_acting():
    """Outside of code: there nothing acts."""
    for text in ACTING:
        page = rendered(oomkb("--format", "markdown", "--all",
                              stdin=LOG.format(text)))
        prose = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", page, flags=re.S)
        expect(f"{text}: acts in {prose}", text not in prose)
        expect(f"{text}: is not shown",
               text in page.replace("\u2060", ""))


def check_commands():
    for text in ("'/m/`x`'", "'/m/```'", "a_b_c"):  # no substitution
        log = LOG.format(text)
        after = json.loads(oomkb("--format", "json", stdin=log))["command"]
        page = rendered(oomkb("--format", "markdown", stdin=log))
        codes = [html.unescape(code).strip() for code in
                 re.findall(r"<code[^>]*>(.*?)</code>", page, re.S)]
        expect(f"{text}: {after} is not in {codes}",
               after is not None and after["after"] in codes)


def check_corpus():
    logs = glob.glob(os.path.join(ROOT, "entries/*/*.log"))
    for path in sorted(logs) + glob.glob(os.path.join(ROOT, "examples/*.log")):
        with open(path, encoding="utf-8", errors="replace") as log:
            page = oomkb("--format", "markdown", stdin=log.read())
        check_page(path, rendered(page))
    for line in oomkb("list", "--format", "jsonl").splitlines():
        entry = json.loads(line)
        page = rendered(oomkb("explain", entry["id"], "--format", "markdown"))
        check_page(entry["id"], page)
        shown = html.unescape(re.sub("<[^>]*>", "", page))
        expect(f"{entry['id']}: title",
               entry["title"].replace("`", "") in shown)
    check_page("list", rendered(oomkb("list", "--format", "markdown")))


def main():
    for check in (check_hostile, check_acting, check_commands, check_corpus):
        check()
    sys.exit(told())


main()
