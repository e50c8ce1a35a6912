#!/usr/bin/env python3
"""Markdown by a renderer that is not ours (cmark-gfm, raw HTML let through):
what a log holds never becomes a tag, a link or a heading, every command comes
out as it went in, and every page of the corpus has its parts."""
import glob
import html
import json
import re
import sys

sys.path.insert(0, "tests/support")
import library  # noqa: E402
from hostile import LOG, expect, oomkb, told  # noqa: E402
from pages import rendered  # noqa: E402

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


def check_page(what, page):
    tags = set(re.findall(r"</?([A-Za-z!][A-Za-z0-9]*)", page))
    expect(f"{what}: tags {tags - TAGS}", not tags - TAGS)
    for link in re.findall(r'href="([^"]*)"', page):
        expect(f"{what}: link {link}", link.startswith("https://"))
    expect(f"{what}: no heading", re.search("<h[12]>", page))


def check_hostile():
    asked = {f"{number} {' '.join(words)}": oomkb(
        "--format", "markdown", *words, stdin=LOG.format(text))
             for number, text in enumerate(HOSTILE)
             for words in ([], ["--why"], ["--redact"], ["--lang", "zh"])}
    for what, page in rendered(asked).items():
        check_page(f"hostile text {what}", page)


def check_acting():
    """Outside of code: there nothing acts."""
    pages = {text: oomkb("--format", "markdown", "--all",
                         stdin=LOG.format(text)) for text in ACTING}
    for text, page in rendered(pages).items():
        prose = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", page, flags=re.S)
        expect(f"{text}: acts in {prose}", text not in prose)
        expect(f"{text}: is not shown",
               text in page.replace("\u2060", ""))


def check_commands():
    logs = {text: LOG.format(text)
            for text in ("'/m/`x`'", "'/m/```'", "a_b_c")}  # no substitution
    pages = rendered({text: oomkb("--format", "markdown", stdin=log)
                      for text, log in logs.items()})
    for text, log in logs.items():
        after = json.loads(oomkb("--format", "json", stdin=log))["command"]
        codes = [html.unescape(code).strip() for code in
                 re.findall(r"<code[^>]*>(.*?)</code>", pages[text], re.S)]
        expect(f"{text}: {after} is not in {codes}",
               after is not None and after["after"] in codes)


def check_corpus():
    logs = glob.glob("entries/*/*.log") + glob.glob("examples/*.log")
    titles = {entry["id"]: entry["title"].replace("`", "") for entry in map(
        json.loads, oomkb("list", "--format", "jsonl").splitlines())}
    pages = rendered(
        {path: library.oomkb.diagnose((library.ROOT / path).read_bytes())
         .markdown() for path in logs} |
        {name: library.oomkb.entry(name) for name in titles} |
        {"list": oomkb("list", "--format", "markdown")})
    for what, page in pages.items():
        check_page(what, page)
        shown = html.unescape(re.sub("<[^>]*>", "", page))
        expect(f"{what}: title", titles.get(what, "") in shown)


def main():
    for check in (check_hostile, check_acting, check_commands, check_corpus):
        check()
    sys.exit(told())


main()
