#!/usr/bin/env python3
"""A site is whole: every entry in both languages and both formats, a README.md
in every folder, every link leads somewhere, the same bytes twice; what is stale
goes, and what is not ours stays. A page ends with its sources, has nothing in it
that only oomkb or Jekyll reads, and renders as it is meant (cmark-gfm, where it
is installed)."""
import functools
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "tests/support")
import library  # noqa: E402
from pages import rendered  # noqa: E402

OOMKB = library.PROGRAM
GOOD = os.path.abspath("tests/good")
LINK = re.compile(r"(?<!\\)\]\(([^)]*)\)")
FENCE = re.compile(r"^ *(`{3,})\w+\n.*?^ *\1$|<pre.*?</pre>", re.M | re.S)
SLOT = re.compile(r"\{[a-z_]+(\|[^}]*)?\}")
SOURCES = {"en": "\n## Sources\n", "zh": "\n## 来源\n"}


def oomkb(*words, cwd="/"):
    return subprocess.run([OOMKB, *words], cwd=cwd, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def files_of(folder):
    files = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    return files


def links_of(text):
    """To other pages; what stands in code is no link."""
    return [link for link in LINK.findall(FENCE.sub("", text.decode()))
            if not link.startswith("https://")]


def words_of(page):
    return html.unescape(re.sub("<[^>]*>", "", page))


def conditions_of(value):
    if isinstance(value, list):
        return [found for item in value for found in conditions_of(item)]
    if not isinstance(value, dict):
        return []
    return value.get("when", []) + conditions_of(list(value.values()))


def parents(path):
    """The folders that a file of the site stands in, the site itself too."""
    while path:
        path = os.path.dirname(path)
        yield path


@functools.cache
def whole():
    """The files of the site of all entries."""
    with tempfile.TemporaryDirectory() as place:
        done = oomkb("site", "-o", place)
        assert done.returncode == 0 and done.stdout == "", done
        return files_of(place)


class Site(unittest.TestCase):
    """Of all entries."""

    def test_every_entry_is_there(self):
        files = whole()
        ids = [json.loads(line)["id"] for line in
               oomkb("list", "--format", "jsonl").stdout.splitlines()]
        self.assertTrue(ids)
        expected = {".oomkb-site"}
        for lang in ("en", "zh"):
            expected.add(f"{lang}/index.json")
            for name in ids:
                expected |= {f"{lang}/{name}.md", f"{lang}/{name}.json"}
        expected |= {os.path.join(folder, "README.md") for path in expected
                     for folder in parents(path)}
        self.assertEqual(set(files), expected)
        listed = files[".oomkb-site"].decode().splitlines()[1:]
        self.assertEqual(sorted(listed), sorted(expected - {".oomkb-site"}))

    def test_json_is_what_explain_and_list_say(self):
        files = whole()
        for lang in ("en", "zh"):
            said = oomkb("list", "--lang", lang, "--format", "json").stdout
            self.assertEqual(files[f"{lang}/index.json"].decode(), said)
            for entry in json.loads(said)["entries"]:
                said = library.oomkb.entry(entry["id"], "json", lang)
                path = f"{lang}/{entry['id']}.json"
                self.assertEqual(files[path].decode(), said, path)

    def test_every_link_leads_somewhere(self):
        files = whole()
        seen = 0
        for path, text in files.items():
            if not path.endswith(".md"):
                continue
            for link in links_of(text):
                target = os.path.normpath(
                    os.path.join(os.path.dirname(path), link))
                self.assertIn(target, files, f"{path}: {link}")
                seen += 1
        self.assertGreater(seen, 4 * len(files) / 4)

    def test_every_page_is_reached_from_the_index(self):
        files = whole()
        reached, todo = set(), ["README.md"]
        while todo:
            path = todo.pop()
            if path in reached:
                continue
            reached.add(path)
            if path.endswith(".md"):
                todo += [os.path.normpath(os.path.join(os.path.dirname(path),
                                                       link))
                         for link in links_of(files[path])]
        self.assertEqual(set(files) - reached, {".oomkb-site"})

    def test_a_killed_run_is_mended_by_the_next(self):
        with tempfile.TemporaryDirectory() as place:
            for wait in range(6):
                run = subprocess.Popen([OOMKB, "site", "-o", place],
                                       stderr=subprocess.DEVNULL)
                try:
                    run.wait(0.002 * wait + 0.001)
                except subprocess.TimeoutExpired:
                    run.kill()
                    run.wait()
            done = oomkb("site", "-o", place)
            self.assertEqual(done.returncode, 0, done.stderr)
            files = files_of(place)
        self.assertEqual({path: files.get(path) for path in whole()}, whole())


class Written(unittest.TestCase):
    """Where it is put, of a corpus of three entries."""

    @classmethod
    def setUpClass(cls):
        cls.good = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.good.cleanup)
        folder = os.path.join(cls.good.name, "good")
        cls.index = folder + ".db"
        shutil.copytree(GOOD, folder)
        shutil.copy("kb/ranking.yaml", folder + "/kb/")
        built = oomkb("build", folder + "/entries", "-o", cls.index)
        assert built.returncode == 0, built.stderr

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.dir = os.path.join(self.place.name, "deep/site")

    def site(self, *words):
        return oomkb("site", "-o", self.dir, "--kb", self.index, *words)

    def make(self):
        done = self.site()
        self.assertEqual(done.returncode, 0, done.stderr)
        return files_of(self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def test_twice_is_the_same(self):
        first = self.make()
        before = os.stat(self.path("en/README.md")).st_ino
        done = self.site()
        self.assertIn(" 0 written, 0 removed", done.stderr)
        self.assertEqual(files_of(self.dir), first)
        self.assertEqual(os.stat(self.path("en/README.md")).st_ino, before)

    def test_stale_pages_go_and_others_stay(self):
        done = oomkb("site", "-o", self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("en/notes.txt"), "w") as file:
            file.write("mine")
        files = self.make()
        self.assertEqual(files.pop("en/notes.txt"), b"mine")
        self.assertEqual(len(files), 2 * (2 * 2 + 3) + 2)
        self.assertFalse(os.path.exists(self.path("en/vllm")))
        self.assertTrue(os.path.exists(self.path("en/pytorch")))

    def test_a_file_in_the_way_stops_it_before_it_begins(self):
        os.makedirs(self.path("en"))
        with open(self.path("en/README.md"), "w") as file:
            file.write("mine")
        done = self.site()
        self.assertEqual(done.returncode, 2)
        self.assertIn("en/README.md is in the way", done.stderr)
        self.assertEqual(files_of(self.dir), {"en/README.md": b"mine"})

    def test_a_list_that_is_not_ours_is_refused(self):
        for line in ("../../etc/passwd", "/etc/passwd", "en/../x", "en//x",
                     "xx/y.md", "en/.git"):
            with self.subTest(line=line):
                os.makedirs(self.dir, exist_ok=True)
                with open(self.path(".oomkb-site"), "w") as file:
                    file.write(f"oomkb site 1\n{line}\n")
                self.assertEqual(self.site().returncode, 2)

    def test_nothing_behind_a_link_is_touched(self):
        away = os.path.join(self.place.name, "away")
        os.makedirs(away)
        os.makedirs(self.dir)
        os.symlink(away, self.path("en"))
        self.assertEqual(self.site().returncode, 2)
        self.assertEqual(os.listdir(away), [])

    def test_usage(self):
        self.assertEqual(oomkb("site").returncode, 2)
        self.assertEqual(oomkb("site", "-o", "").returncode, 2)
        self.assertEqual(oomkb("site", "-o", "/dev/null/x").returncode, 2)


class Pages(unittest.TestCase):
    """What a reader of a page sees."""

    @classmethod
    def setUpClass(cls):
        cls.files = whole()
        cls.pages = {path: text.decode() for path, text in cls.files.items()
                     if path.endswith(".md")}
        cls.entries = {path: json.loads(cls.files[path[:-3] + ".json"])["entry"]
                       for path in cls.pages if "README" not in path}

    def test_a_readme_has_the_entries_of_its_folder(self):
        for path, page in self.pages.items():
            folder = os.path.dirname(path)
            if os.path.basename(path) != "README.md" or not folder:
                continue
            tables = "".join(re.findall(r"^\| \[.*$", page, re.M))
            for other in self.entries:
                if other.startswith(folder + "/"):
                    link = os.path.relpath(other, folder)
                    self.assertEqual(tables.count(f"]({link})"), 1, path)

    def test_nothing_is_left_that_a_program_reads(self):
        asked = 0
        for path, page in self.pages.items():
            self.assertNotRegex(page, r"\{\{|\{%", path)
            self.assertNotRegex(page, SLOT, path)
            for condition in conditions_of(self.entries.get(path, {})):
                self.assertNotIn(condition, page, path)
                asked += 1
        self.assertGreater(asked, len(self.entries))

    def test_an_entry_ends_with_its_sources(self):
        for path, entry in self.entries.items():
            above, _, sources = self.pages[path].partition(SOURCES[path[:2]])
            self.assertTrue(above and sources, path)
            self.assertNotIn("\n#", sources, path)
            for reference in entry["docs"] + entry["evidence"]:
                address = re.sub(r"[(){}]", lambda c: f"%{ord(c[0]):02X}",
                                 reference["url"])
                self.assertIn(f"]({address})", sources, path)

    def test_code_has_a_language(self):
        for path, page in self.pages.items():
            fences = re.findall(r"^ *```+(.*)$", page, re.M)
            self.assertEqual(set(fences[1::2]) - {""}, set(), path)
            self.assertLessEqual(set(fences[::2]), {"sh", "text", "json",
                                                    "yaml", "python"}, path)

    @unittest.skipUnless(shutil.which("cmark-gfm"), "cmark-gfm is missing")
    def test_it_renders_as_it_is_meant(self):
        for path, shown in rendered(self.pages).items():
            page = self.pages[path]
            self.check_links(path, page, shown)
            self.check_tables(path, page, shown)
            if path not in self.entries:
                continue
            entry = self.entries[path]
            text = words_of(shown)
            self.assertIn(entry["title"].replace("`", ""), text, path)
            for signature in entry["signatures"]:
                self.assertIn(signature["sample"].strip().split("\n")[0].strip(),
                              text, path)
            prose = re.sub(r"<(code|pre).*?</\1>", "", shown, flags=re.S)
            self.assertNotRegex(words_of(prose), r"\]\(|(?<!\d)\*\*|\|\s*---|```",
                                path)

    def check_links(self, path, page, shown):
        for link in re.findall(r'href="([^"]*)"', shown):
            target = os.path.normpath(os.path.join(os.path.dirname(path),
                                                   link))
            self.assertTrue(link.startswith("https://") or
                            target in self.files, f"{path}: {link}")
        self.assertGreaterEqual(shown.count("<a href"),
                                len(links_of(page.encode())), path)

    def check_tables(self, path, page, shown):
        tables = re.findall("<table>.*?</table>", shown, re.S)
        self.assertEqual(len(tables), len(re.findall(r"^\| --- ", page, re.M)),
                         path)
        rows = re.findall("<tr>.*?</tr>", "".join(tables), re.S)
        self.assertEqual(len(rows) + len(tables),
                         len(re.findall(r"^\| ", page, re.M)), path)
        for row in rows:
            cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
            self.assertTrue(all(cells), f"{path}: {row}")


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
