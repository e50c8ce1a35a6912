#!/usr/bin/env python3
"""SARIF 2.1.0 as `lint` and `check` write it: what its readers rely on
(section numbers of the specification,
https://docs.oasis-open.org/sarif/sarif/v2.1.0/). `make check-sarif` holds the
same outputs against the published schema.
"""
import functools
import json
import os
import pathlib
import subprocess
import unittest
import urllib.parse

OOMKB = os.environ.get("OOMKB", "build/oomkb")
LINTED = sorted(map(str, pathlib.Path("tests/lint").glob("*.[ysb]*")))
LEVELS = {"none", "note", "warning", "error"}


@functools.lru_cache(maxsize=None)
def page_of(*command):
    done = subprocess.run([OOMKB, *command, "--format", "sarif"], text=True,
                          capture_output=True, check=False)
    return json.loads(done.stdout)


class Sarif(unittest.TestCase):
    def pages(self):
        for command in (("check", "tests/bad"),
                        ("lint", "--gpu", "RTX 4090", *LINTED),
                        ("lint", "--lang", "zh", "--gpu", "A10", *LINTED),
                        ("lint", "--gpu", "H100", "tests/lint/fits.yml")):
            with self.subTest(command=command):
                yield page_of(*command)

    def test_the_file(self):  # 3.13, 3.14
        for page in self.pages():
            self.assertEqual(set(page), {"$schema", "version", "runs"})
            self.assertEqual(page["version"], "2.1.0")
            self.assertIn("sarif-2.1.0", page["$schema"])
            self.assertEqual(len(page["runs"]), 1)
            self.assertEqual(set(page["runs"][0]),
                             {"tool", "columnKind", "results"})
            self.assertEqual(page["runs"][0]["columnKind"],
                             "unicodeCodePoints")

    def test_the_rules(self):  # 3.49
        for page in self.pages():
            driver = page["runs"][0]["tool"]["driver"]
            self.assertEqual(driver["name"], "oomkb")
            ids = [rule["id"] for rule in driver["rules"]]
            self.assertEqual(len(ids), len(set(ids)))
            for rule in driver["rules"]:
                self.assertTrue(rule["shortDescription"]["text"])
                self.assertTrue(rule["help"]["text"])
                self.assertIn(rule["defaultConfiguration"]["level"], LEVELS)

    def test_the_results(self):  # 3.27, 3.30
        some = 0
        for page in self.pages():
            run = page["runs"][0]
            ids = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
            for result in run["results"]:
                some += 1
                self.assertIn(result["ruleId"], ids)
                self.assertIn(result["level"], LEVELS)
                self.assertTrue(result["message"]["text"].strip())
                self.place(result["locations"])
        self.assertGreater(some, 100)

    def place(self, locations):
        self.assertEqual(len(locations), 1)
        where = locations[0]["physicalLocation"]
        uri = where["artifactLocation"]["uri"]
        self.assertEqual(urllib.parse.quote(uri, safe="/%:"), uri)
        region = where.get("region")
        if region is not None:
            self.assertGreaterEqual(region["startLine"], 1)
            self.assertGreaterEqual(region["startColumn"], 1)
            self.assertGreaterEqual(region["endColumn"],
                                    region["startColumn"])


if __name__ == "__main__":
    unittest.main()
