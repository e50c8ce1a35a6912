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

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
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
LOG = """INFO vLLM API server version 0.9.1
$ vllm serve {0} --max-model-len 65536
INFO Initializing a V1 LLM engine (v0.9.1) with config: model='{0}', x=1
ValueError: To serve at least one request with the models's max seq len \
(65536), (8.00 GiB KV cache is needed, which is larger than the available KV \
cache memory (5.40 GiB). Based on the available memory, the estimated maximum \
model length is 44224.
memory cgroup out of memory: Killed process 4711 ({0}) total-vm:1kB, \
anon-rss:8388608kB, file-rss:0kB, shmem-rss:0kB, UID:0
"""
failures = []


def oomkb(*words, stdin=""):
    return subprocess.run([OOMKB, *words], input=stdin.encode(), check=False,
                          stdout=subprocess.PIPE).stdout.decode()


def rendered(markdown):
    return subprocess.run(
        ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e",
         "autolink", "-e", "tagfilter"], input=markdown.encode(), check=True,
        stdout=subprocess.PIPE).stdout.decode()


def expect(what, is_true):
    if not is_true:
        failures.append(what)


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
    for check in (check_hostile, check_commands, check_corpus):
        check()
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


main()
