#!/usr/bin/env python3
"""`oomkb site --html` is whole: every page well formed and in both languages,
every link and every address in sitemap.xml, llms.txt and search.json leads to a
file, nothing is left of a template, each page says what it may load, the same
bytes twice; what models take is what `fit` says. A quarter of the pages goes
through a parser, with OOMKB_ALL=1 each."""
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from urllib.parse import unquote

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from many import ALL, is_asked  # noqa: E402
from pages import Page  # noqa: E402

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
BASE = "https://example.org/some/kb"
TOOLS = {"log.html", "calculator.html"}
with open(os.path.join(ROOT, "kb/model.schema.json"), encoding="utf-8") as f:
    SCHEMA = jsonschema.Draft202012Validator(json.load(f))
MODELS = ["Qwen/Qwen2.5-7B-Instruct", "deepseek-ai/DeepSeek-V3",
          "google/gemma-3-27b-it", "openai/gpt-oss-20b"]


def oomkb(*words):
    return subprocess.run([OOMKB, *words], cwd="/", check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def files_of(folder):
    files = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    return files


def html_of(folder, *words):
    done = oomkb("site", "--html", "-o", folder, "--base-url", BASE, *words)
    assert done.returncode == 0, done.stderr
    return files_of(folder)


def name_of(path):
    """The same for a page in both languages: they are read together."""
    return re.sub("^(en|zh)/", "", path)


def target_of(path, link):
    """The file that a link on a page leads to; None: it leads elsewhere."""
    link = link.split("#")[0].split("?")[0]
    if link.startswith(BASE):
        link = "/" + link[len(BASE):].lstrip("/")
    elif re.match("[a-z]+:", link):
        return None
    here = "" if link.startswith("/") else os.path.dirname(path)
    target = os.path.normpath(os.path.join(here, unquote(link).lstrip("/")))
    is_folder = link.endswith("/") or target == "."
    return os.path.normpath(os.path.join(target, "index.html")) \
        if is_folder else target


def index_of_three(folder):
    """Of a corpus of three entries, which is put into the folder."""
    shutil.copytree(os.path.join(ROOT, "tests/good"), folder)
    shutil.copy(os.path.join(ROOT, "kb/ranking.yaml"), folder + "/kb/")
    shutil.copytree(os.path.join(ROOT, "i18n"), folder + "/i18n",
                    dirs_exist_ok=True)
    built = oomkb("build", folder + "/entries", "-o", folder + ".db")
    assert built.returncode == 0, built.stderr
    return folder + ".db"


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.index = index_of_three(os.path.join(cls.place.name, "good"))
        cls.folder = os.path.join(cls.place.name, "site")
        cls.files = html_of(cls.folder)
        cls.texts = {path: text.decode() for path, text in cls.files.items()
                     if path.endswith(".html")}
        cls.pages = {path: Page(text) for path, text in cls.texts.items()
                     if is_asked(name_of(path), 4)}

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_every_page_is_well_formed(self):
        self.assertGreater(len(self.pages), 400)
        for path, page in self.pages.items():
            self.assertEqual(page.wrong, [], path)
            tags = [tag for tag, _ in page.tags]
            for one in ("title", "h1", "main", "nav"):
                self.assertIn(one, tags, path)
            is_typed = self.texts[path].startswith("<!DOCTYPE html>\n")
            self.assertTrue(is_typed, path)
            prose = re.sub(r"<(pre|code).*?</\1>", "", self.texts[path],
                           flags=re.S)
            left = re.search(r"\{\{=?[a-z_]+\}\}|>site\.[a-z_]+|\{\d\}",
                             prose)
            self.assertIsNone(left, path)

    def test_headings_do_not_skip_a_level(self):
        for path, page in self.pages.items():
            levels = [int(tag[1]) for tag, _ in page.tags
                      if re.fullmatch("h[1-6]", tag)]
            for before, after in zip(levels, levels[1:]):
                self.assertLessEqual(after - before, 1, path)

    def test_pages_are_in_both_languages(self):
        for path, page in self.pages.items():
            lang = path.split("/")[0]
            if lang not in ("en", "zh"):
                continue
            other = ("zh" if lang == "en" else "en") + path[2:]
            self.assertIn(other, self.pages)
            self.assertIn(("html", {"lang": lang}), page.tags)
            alternates = {given["hreflang"]: link for tag, link, given
                          in page.links if given.get("rel") == "alternate"}
            self.assertEqual(set(alternates), {"en", "zh"}, path)
            self.assertEqual(target_of(path, alternates[lang]), path)

    def test_every_link_leads_somewhere(self):
        seen = 0
        for path, text in self.texts.items():
            for link in re.findall(r' (?:href|src|data-src)="([^"]*)"', text):
                link = html.unescape(link)
                target = target_of(path, link)
                if link.startswith("#"):
                    self.assertIn(f' id="{link[1:]}"', text, path)
                elif target is not None:
                    self.assertTrue(target in self.files, f"{path}: {link}")
                    seen += 1
        self.assertGreater(seen, 10 * len(self.texts))

    def test_a_missing_page_links_by_whole_addresses(self):
        for _, link, _ in Page(self.texts["404.html"]).links:
            self.assertTrue(link.startswith(BASE) or link == "#main", link)

    def test_pages_load_nothing_from_elsewhere(self):
        for path, page in self.pages.items():
            policy = page.metas["Content-Security-Policy"]
            self.assertTrue(policy.startswith("default-src 'none';"), path)
            self.assertNotIn("unsafe-inline", policy)
            self.assertNotRegex(policy, r"https?:|\*")
            self.assertEqual("'wasm-unsafe-eval'" in policy,
                             os.path.basename(path) in TOOLS, path)
            has_script = any(tag == "script" for tag, _ in page.tags)
            self.assertEqual(has_script, "script-src" in policy, path)
            first = [given for tag, given in page.tags if tag == "meta"][1]
            self.assertEqual(first.get("http-equiv"),
                             "Content-Security-Policy", path)
            for tag, link, _ in page.links:
                if tag not in ("a", "link"):
                    self.assertIsNotNone(target_of(path, link), path)

    def test_tables_say_what_their_cells_are(self):
        for path, page in self.pages.items():
            for tag, given in page.tags:
                if tag == "th":
                    self.assertIn(given.get("scope"), ("col", "row"), path)

    def test_every_entry_has_its_three_pages(self):
        for line in oomkb("list", "--format", "jsonl").stdout.splitlines():
            entry = json.loads(line)
            for lang in ("en", "zh"):
                for suffix in ("html", "md", "json"):
                    path = f"{lang}/{entry['id']}.{suffix}"
                    self.assertTrue(path in self.files, path)
            text = html.unescape(re.sub("<[^>]*>", "", self.texts[
                f"en/{entry['id']}.html"]))
            self.assertIn(entry["title"].replace("`", ""), text)

    def test_lists_for_programs_name_files(self):
        space = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9",
                 "x": "http://www.w3.org/1999/xhtml"}
        tree = xml.fromstring(self.files["sitemap.xml"])
        named = {target_of("", loc.text) for loc
                 in tree.findall("s:url/s:loc", space)}
        self.assertEqual(named, {path for path in self.texts
                                 if path[:3] in ("en/", "zh/")})
        for url in tree.findall("s:url", space):
            langs = {link.get("hreflang"): link.get("href") for link
                     in url.findall("x:link", space)}
            self.assertEqual(set(langs), {"en", "zh"})
        links = re.findall(r"\]\(([^)]*)\)", self.files["llms.txt"].decode())
        self.assertGreater(len(links), 500)
        for link in links:
            self.assertTrue(target_of("", link) in self.files, link)
        for lang in ("en", "zh"):
            rows = json.loads(self.files[f"{lang}/search.json"])
            self.assertGreater(len(rows), 800)
            for row in rows:
                path = f"{lang}/{row['id']}.html"
                self.assertTrue(path in self.files, path)

    def test_models_take_what_fit_says(self):
        for model in MODELS:
            page = self.files["en/models/" + model.replace("/", "--") + ".md"]
            said = oomkb("fit", "--model", model, "--gpu", "H200 SXM",
                         "--all", "--format", "text").stdout
            row = re.search(r"^\| H200 SXM \|.*$", page.decode(), re.M).group(0)
            verdict = said.split("\n")[0].rsplit(": ", 1)[1]
            self.assertIn(f"| {verdict} |", row, said)
            longest = re.search(r"max_model_len: ([\d,]+)", said)
            if longest:
                self.assertIn(longest.group(1), row, said)
            kv = json.loads(oomkb("fit", "--model", model, "--format",
                                  "json").stdout)["kv"]["bytes_per_token"]
            self.assertIn("{:,} bytes".format(kv["slope"]), page.decode())

    def test_models_as_json(self):
        models = {path: json.loads(text) for path, text in self.files.items()
                  if re.fullmatch("en/models/.*[.]json", path)}
        for path, data in models.items():
            if is_asked(path, 8):
                SCHEMA.validate(data)
        index = models.pop("en/models/index.json")["models"]
        self.assertEqual({"en/models/" + row["page"] for row in index},
                         set(models))
        for model in MODELS:
            name = "models/" + model.replace("/", "--") + ".json"
            data = models["en/" + name]
            self.assertEqual(data["model"]["id"], model)
            self.assertIn("zh/" + name, self.files)
            fit = json.loads(oomkb("fit", "--model", model, "--gpu",
                                   "H200 SXM", "--format", "json").stdout)
            [on] = [row for row in data["gpus"] if row["gpu"] == "H200 SXM"]
            self.assertEqual(on["verdict"], fit["verdict"])
            for key in ("max_model_len", "max_concurrency",
                        "least_tensor_parallel"):
                self.assertEqual(on[key], fit["inverses"][key], model)
            [row] = [row for row in data["kv_cache"]
                     if row["engine"] == "vLLM" and row["until"] is None]
            self.assertEqual(row["bytes_per_token"],
                             fit["kv"]["bytes_per_token"]["slope"])

    @unittest.skipUnless(ALL, "of a small corpus, below")
    def test_twice_is_the_same(self):
        again = html_of(os.path.join(self.place.name, "twice"))
        self.assertEqual({path for path in again
                          if again[path] != self.files.get(path)}, set())
        self.assertEqual(set(again), set(self.files))

    def small(self, name, *words):
        """Of a corpus of three entries."""
        site = os.path.join(self.place.name, name)
        done = oomkb("site", "-o", site, "--kb", self.index, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return files_of(site), done.stderr

    def test_what_is_no_more_goes(self):
        words = ["--html", "--base-url", BASE + "/"]
        files, _ = self.small("less", *words)
        self.assertIn("style.css", files)
        _, said = self.small("less", *words)
        self.assertIn(" 0 written, 0 removed", said)
        files, _ = self.small("less")
        self.assertEqual([path for path in files if re.search(
            r"\.(html|js|css|xml|txt)$|^..\/models|search", path)], [])

    def test_the_package_is_put_beside_the_pages(self):
        package = os.path.join(self.place.name, "package")
        os.makedirs(os.path.join(package, "js"))
        for name in ("client.mjs", "cli.mjs", "js/x.wasm"):
            with open(os.path.join(package, name), "w") as file:
                file.write("export {};\n")
        words = ["--html", "--base-url", BASE]
        files, _ = self.small("with", *words, "--wasm", package + "/")
        self.assertEqual(files["wasm/js/x.wasm"], b"export {};\n")
        kept = files["offline.js"].decode()
        self.assertIn('"wasm/client.mjs", "wasm/js/x.wasm"', kept)
        for name in re.findall(r'"((?:en|zh|wasm)/[^"]*)"', kept):
            self.assertIn(name, files)
        without, _ = self.small("without", *words)
        edition = re.compile('"oomkb-([0-9a-f]{32})"')
        self.assertNotEqual(edition.findall(kept), edition.findall(
            without["offline.js"].decode()))
        for tool in TOOLS:
            self.assertNotEqual(files["en/" + tool], without["en/" + tool])

    def test_usage(self):
        folder = os.path.join(self.place.name, "none")
        for words in ([], ["--base-url", "example.org"],
                      ["--base-url", 'https://x.y/"'],
                      ["--base-url", BASE, "--wasm", self.place.name + "/no"]):
            done = oomkb("site", "--html", "-o", folder, "--kb", self.index,
                         *words)
            self.assertEqual(done.returncode, 2, words)
        # Of the whole knowledge base it refuses before a page is made.
        before = os.times().children_user
        done = oomkb("site", "--html", "-o", folder, "--base-url", BASE,
                     "--wasm", self.place.name)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no client.mjs", done.stderr)
        self.assertLess(os.times().children_user - before, 2)
        done = oomkb("site", "-o", folder, "--base-url", BASE)
        self.assertEqual(done.returncode, 2)
        self.assertFalse(os.path.exists(folder))


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
