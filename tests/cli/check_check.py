#!/usr/bin/env python3
"""`oomkb check` of files and folders; its formats; its codes."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
CODES = re.findall(r"^CODE\((\w+), \w+, (\w+)\)$",
                   (ROOT / "src/author/codes.def").read_text(), re.M)


def oomkb(*words, cwd=ROOT):
    return subprocess.run([OOMKB, *map(str, words)], cwd=cwd, text=True,
                          capture_output=True, check=False)


class Check(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        for part in ("tests/good/entries", "tests/good/kb", "i18n"):
            shutil.copytree(ROOT / part,
                            self.dir / pathlib.PurePath(part).name)
        shutil.copy(ROOT / "kb/ranking.yaml", self.dir / "kb")
        oomkb("check", self.dir / "entries", "--write-docs")
        self.good = self.dir / "entries/pytorch/no-room.yaml"
        self.bad = self.dir / "entries/toy/bad.yaml"
        shutil.copytree(ROOT / "tests/bad/E012-bad-pattern/entries/toy",
                        self.bad.parent)
        self.bad = next(self.bad.parent.glob("*.yaml"))

    def test_a_file_is_told_of_alone(self):
        done = oomkb("check", self.good)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 entries", done.stderr)
        self.assertIn("other entries here have errors", done.stderr)
        done = oomkb("check", self.good, self.bad)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"bad|broken")
        self.assertRegex(done.stderr, r"\.yaml:\d+:\d+: error: .* \[E012\]")
        self.assertIn("oomkb: 2 entries", done.stderr)

    def test_a_folder_of_a_corpus(self):
        self.assertEqual(oomkb("check", self.good.parent).returncode, 0)
        self.assertEqual(oomkb("check", self.bad.parent).returncode, 2)
        done = oomkb("check", self.good.parent, self.bad.parent)
        self.assertIn("oomkb: 3 entries", done.stderr)
        self.assertEqual(oomkb("check", self.dir / "entries").returncode, 2)

    def test_what_is_not_there(self):
        done = oomkb("check", self.dir / "nowhere.yaml")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nowhere.yaml: No such file", done.stderr)

    def test_json(self):
        done = oomkb("check", self.bad, "--format", "json")
        page = json.loads(done.stdout)
        self.assertEqual((done.returncode, page["errors"], page["entries"]),
                         (2, 1, 1))
        first = [d for d in page["diagnostics"] if d["level"] == "error"][0]
        self.assertEqual((first["path"], first["level"], first["code"]),
                         (str(self.bad), "error", "E012"))
        self.assertGreater(first["line"], 0)
        self.assertNotIn("error:", done.stderr)

    def test_sarif(self):
        done = oomkb("check", self.bad, "--format", "sarif")
        page = json.loads(done.stdout)
        self.assertEqual(page["version"], "2.1.0")
        run = page["runs"][0]
        self.assertEqual([rule["id"] for rule in run["tool"]["driver"]["rules"]],
                         [code for code, level in CODES])
        result = [r for r in run["results"] if r["level"] == "error"][0]
        self.assertEqual(result["ruleId"], "E012")
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], str(self.bad))
        self.assertGreater(place["region"]["startLine"], 0)

    def test_formats_that_it_does_not_have(self):
        for word in ("markdown", "csv"):
            self.assertEqual(oomkb("check", "--format", word).returncode, 2)
        self.assertEqual(oomkb("list", "--format", "sarif").returncode, 2)

    def test_every_code_is_listed_and_explained(self):
        listed = oomkb("check", "--codes").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in listed],
                         [code for code, level in CODES])
        for code, level in CODES:
            for lang, marks in (("en", ("Why: ", "To fix it: ")),
                                ("zh", ("原因：", "如何改正："))):
                done = oomkb("explain", code, "--lang", lang)
                self.assertEqual(done.returncode, 0, code)
                for mark in marks:
                    self.assertRegex(done.stdout, mark + r".{4,}", code)
        self.assertEqual(oomkb("explain", "E999").returncode, 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
