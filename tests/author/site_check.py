#!/usr/bin/env python3
"""A site is whole: every entry in both languages and both formats, every link
leads somewhere, the same bytes twice; what is stale goes, and what is not
ours stays."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
GOOD = os.path.abspath("tests/good")
LINK = re.compile(r"(?<!\\)\]\(([^)]*)\)")


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


class Site(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.dir = os.path.join(self.place.name, "deep/site")

    def make(self, *words):
        done = oomkb("site", "-o", self.dir, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        return files_of(self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def test_every_entry_is_there(self):
        files = self.make()
        ids = [json.loads(line)["id"] for line in
               oomkb("list", "--format", "jsonl").stdout.splitlines()]
        self.assertTrue(ids)
        expected = {".oomkb-site"}
        for lang in ("en", "zh"):
            for name in ids + ["index"]:
                expected |= {f"{lang}/{name}.md", f"{lang}/{name}.json"}
        self.assertEqual(set(files), expected)
        listed = files[".oomkb-site"].decode().splitlines()[1:]
        self.assertEqual(sorted(listed), sorted(expected - {".oomkb-site"}))

    def test_json_is_what_explain_and_list_say(self):
        files = self.make()
        for lang in ("en", "zh"):
            said = oomkb("list", "--lang", lang, "--format", "json").stdout
            self.assertEqual(files[f"{lang}/index.json"].decode(), said)
            for entry in json.loads(said)["entries"]:
                said = oomkb("explain", entry["id"], "--lang", lang,
                             "--format", "json").stdout
                path = f"{lang}/{entry['id']}.json"
                self.assertEqual(files[path].decode(), said, path)

    def test_every_link_leads_somewhere(self):
        files = self.make()
        seen = 0
        for path, text in files.items():
            if not path.endswith(".md"):
                continue
            for link in LINK.findall(text.decode()):
                target = os.path.normpath(
                    os.path.join(os.path.dirname(path), link))
                self.assertIn(target, files, f"{path}: {link}")
                seen += 1
        self.assertGreater(seen, 4 * len(files) / 4)

    def test_every_page_is_reached_from_the_index(self):
        files = self.make()
        reached, todo = set(), ["en/index.md"]
        while todo:
            path = todo.pop()
            if path in reached:
                continue
            reached.add(path)
            if path.endswith(".md"):
                todo += [os.path.normpath(os.path.join(os.path.dirname(path),
                                                       link))
                         for link in LINK.findall(files[path].decode())]
        pages = {path for path in files
                 if not path.endswith(("index.json", ".oomkb-site",
                                       "zh/index.md"))}
        self.assertEqual(pages - reached, set())

    def test_twice_is_the_same(self):
        first = self.make()
        before = os.stat(self.path("en/index.md")).st_ino
        done = oomkb("site", "-o", self.dir)
        self.assertIn(" 0 written, 0 removed", done.stderr)
        self.assertEqual(files_of(self.dir), first)
        self.assertEqual(os.stat(self.path("en/index.md")).st_ino, before)

    def test_stale_pages_go_and_others_stay(self):
        self.make()
        with open(self.path("en/notes.txt"), "w") as file:
            file.write("mine")
        index = os.path.join(self.place.name, "small.db")
        folder = os.path.join(self.place.name, "good")
        subprocess.run(["cp", "-r", GOOD, folder], check=True)
        subprocess.run(["cp", "kb/schema.sql", "kb/ranking.yaml",
                        folder + "/kb/"], check=True)
        built = oomkb("build", folder + "/entries", "-o", index)
        self.assertEqual(built.returncode, 0, built.stderr)
        files = self.make("--kb", index)
        self.assertEqual(files.pop("en/notes.txt"), b"mine")
        self.assertEqual(len(files), 2 * 2 * (2 + 1) + 1)
        self.assertFalse(os.path.exists(self.path("en/vllm")))
        self.assertTrue(os.path.exists(self.path("en/pytorch")))

    def test_a_file_in_the_way_stops_it_before_it_begins(self):
        os.makedirs(self.path("en"))
        with open(self.path("en/index.md"), "w") as file:
            file.write("mine")
        done = oomkb("site", "-o", self.dir)
        self.assertEqual(done.returncode, 2)
        self.assertIn("en/index.md is in the way", done.stderr)
        self.assertEqual(files_of(self.dir), {"en/index.md": b"mine"})

    def test_a_list_that_is_not_ours_is_refused(self):
        for line in ("../../etc/passwd", "/etc/passwd", "en/../x", "en//x",
                     "xx/y.md", "en/.git"):
            with self.subTest(line=line):
                os.makedirs(self.dir, exist_ok=True)
                with open(self.path(".oomkb-site"), "w") as file:
                    file.write(f"oomkb site 1\n{line}\n")
                self.assertEqual(oomkb("site", "-o", self.dir).returncode, 2)

    def test_nothing_behind_a_link_is_touched(self):
        away = os.path.join(self.place.name, "away")
        os.makedirs(away)
        os.makedirs(self.dir)
        os.symlink(away, self.path("en"))
        self.assertEqual(oomkb("site", "-o", self.dir).returncode, 2)
        self.assertEqual(os.listdir(away), [])

    def test_a_killed_run_is_mended_by_the_next(self):
        whole = self.make()
        for wait in range(6):
            run = subprocess.Popen([OOMKB, "site", "-o", self.dir + "2"],
                                   stderr=subprocess.DEVNULL)
            try:
                run.wait(0.002 * wait + 0.001)
            except subprocess.TimeoutExpired:
                run.kill()
                run.wait()
        done = oomkb("site", "-o", self.dir + "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        files = files_of(self.dir + "2")
        self.assertEqual({path: files.get(path) for path in whole}, whole)

    def test_usage(self):
        self.assertEqual(oomkb("site").returncode, 2)
        self.assertEqual(oomkb("site", "-o", "").returncode, 2)
        self.assertEqual(oomkb("site", "-o", "/dev/null/x").returncode, 2)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
