#!/usr/bin/env python3
"""HTML by a parser that is not ours: every page is well formed and has only the
tags that are meant, what a log holds never becomes a tag or a link, and every
command comes out as it went in."""
import glob
import json
import os
import sys

sys.path.insert(0, "tests/support")
from hostile import LOG, ROOT, expect, oomkb, told  # noqa: E402
from pages import Page  # noqa: E402

TAGS = set("""html head meta title body main article section h1 h2 h3 p ul ol li
code pre strong span a hr div table thead tbody tr th td figure svg rect
""".split())
HOSTILE = ["<script>alert(1)</script>", "</code></pre><img src=x>", "&lt;b&gt;",
           "<!-- x", "]]>", "</article></main>", "\"><b>", "' onload='x",
           "&#60;b&#62;", "javascript:alert(1)", "`<b>`", "<a href=x>"]


def check_page(what, text):
    page = Page(text)
    tags = {tag for tag, _ in page.tags}
    expect(f"{what}: {page.wrong}", not page.wrong)
    expect(f"{what}: tags {tags - TAGS}", not tags - TAGS)
    expect(f"{what}: no heading", "h1" in tags)
    for _, link, _ in page.links:
        expect(f"{what}: link {link}", link.startswith("https://"))
    return page


def check_hostile():
    for text in HOSTILE:
        for words in ([], ["--all", "--why"], ["--redact"], ["--lang", "zh"]):
            check_page(f"{text} {words}", oomkb(
                "--format", "html", *words, stdin=LOG.format(text)))


def check_commands():
    for text in ("'/m/`x`'", "'/m/<b>&amp;'", "a_b_c"):
        log = LOG.format(text)
        after = json.loads(oomkb("--format", "json", stdin=log))["command"]
        page = check_page(text, oomkb("--format", "html", stdin=log))
        expect(f"{text}: {after} is not in the page",
               after is not None and after["after"] in page.text())


def check_corpus():
    for line in oomkb("list", "--format", "jsonl").splitlines():
        entry = json.loads(line)
        page = check_page(entry["id"],
                          oomkb("explain", entry["id"], "--format", "html"))
        expect(f"{entry['id']}: title",
               entry["title"].replace("`", "") in page.text())
    for log in sorted(glob.glob(os.path.join(ROOT, "examples/*.log"))):
        check_page(log, oomkb("--format", "html", "--all", "--why", log))
    for words in (["list"], ["search", "kv", "cache"], ["list", "gpus"],
                  ["fit", "--model", "Qwen/Qwen2.5-7B-Instruct", "--gpu", "L4",
                   "--compare", "L4,L40S", "--all"]):
        page = Page(oomkb(*words, "--format", "html", "--lang", "zh"))
        expect(f"{words}: {page.wrong}", not page.wrong)
        expect(f"{words}: lang", ("html", {"lang": "zh"}) in page.tags)


def main():
    for check in (check_hostile, check_commands, check_corpus):
        check()
    sys.exit(told())


main()
