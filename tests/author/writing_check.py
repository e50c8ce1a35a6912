#!/usr/bin/env python3
"""What kb/WRITING.md teaches is true: its entry compiles and is answered, its
other examples have keys that exist, and what it points at is there.

OOMKB names the program. Run from the top of the repository.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
PAGE = pathlib.Path("kb/WRITING.md").read_text(encoding="utf-8")
SCHEMA = json.loads(pathlib.Path("kb/entry.schema.json").read_text(
    encoding="utf-8"))
ID = "vllm/the-whole-language"
# What the entry of the page points at, as small as it can be.
HEAD = """title: {en: The GPU is full, zh: 显存已满}
mechanism: unspecified
severity: failure
root_cause: {en: A block did not fit., zh: 放不下一块显存。}
signatures:
  - id: any
    pattern: 'the toy card is out of memory'
    sample: RuntimeError, the toy card is out of memory
first_seen: 2024-01-02
last_verified: 2024-02-03
"""
MEMBER = """title: {en: A forward pass filled the GPU, zh: 前向计算占满了显存}
mechanism: activation
severity: failure
root_cause: {en: A step needs more than is left., zh: 单步所需超过剩余显存。}
same_words_as: pytorch/cuda-oom
all_of:
  - {pattern: 'in toy_forward', scope: traceback}
first_seen: 2024-01-02
last_verified: 2024-02-03
"""
LOG = """  File "toy.py", line 3, in toy_forward
RuntimeError, the toy card is out of memory
"""


def block_of(heading):
    part = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.search(r"```yaml\n(.*?)```", part, re.S).group(1)


def blocks():
    return re.findall(r"```yaml\n(.*?)```", PAGE, re.S)


def oomkb(*words, stdin=""):
    return subprocess.run([OOMKB, *map(str, words)], input=stdin, text=True,
                          capture_output=True, check=False)


def keys_of(node):
    if isinstance(node, dict):
        yield from node
        for value in node.values():
            yield from keys_of(value)
    elif isinstance(node, list):
        for value in node:
            yield from keys_of(value)


class Writing(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.dir)
        for name in ("kb", "i18n"):
            shutil.copytree(name, self.dir / name)
        self.text = block_of("The whole language in one entry")
        self.put(ID + ".yaml", self.text)
        self.put(ID + ".ok.log", "INFO: the KV cache has 5.40 GiB.\n")
        self.put("pytorch/cuda-oom.yaml", HEAD)
        self.put("pytorch/cuda-oom.ok.log", "INFO: the toy card has memory\n")
        self.put("pytorch/cuda-oom-forward.yaml", MEMBER)
        self.put("pytorch/cuda-oom-forward.log", LOG)
        self.put("pytorch/cuda-oom-forward.ok.log",
                 "INFO: the toy card has memory in toy_forward\n")
        self.index = self.dir / "x.db"

    def put(self, name, text):
        path = self.dir / "entries" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def build(self):
        done = oomkb("build", self.dir / "entries", "-o", self.index)
        self.assertEqual(done.returncode, 0, done.stderr)

    def explained(self):
        done = oomkb("--kb", self.index, "explain", ID, "--format", "json",
                     "--lang", "zh")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["entry"]

    def test_the_entry_compiles_and_says_what_the_page_says(self):
        self.build()
        wrote, said = yaml.safe_load(self.text), self.explained()
        self.assertEqual(said["title"], wrote["title"]["zh"])
        self.assertEqual(said["causes"], wrote["causes"])
        self.assertEqual([s["id"] for s in said["signatures"]],
                         [s["id"] for s in wrote["signatures"]])
        used, own = said["workarounds"]
        self.assertEqual(used["use"], used["id"])
        self.assertEqual(used["effort"], "flag")
        self.assertTrue(used["how"] and used["cures"])
        for key in ("id", "command", "effort", "loses", "frees", "cures",
                    "effect"):
            self.assertEqual(own[key], wrote["workarounds"][1][key], key)
        self.assertEqual(len(said["dead_ends"]), len(wrote["dead_ends"]))

    def test_the_sample_is_answered(self):
        self.build()
        sample = yaml.safe_load(self.text)["signatures"][0]["sample"]
        log = ("EngineCore starts\nTraceback (most recent call last):\n"
               '  File "worker.py", line 3, in determine_available_memory\n'
               + sample)
        done = oomkb("--kb", self.index, "--format", "json", stdin=log)
        found = json.loads(done.stdout)["findings"]
        self.assertEqual([f["entry"] for f in found], [ID], done.stderr)
        facts = {f["name"]: f["value"] for f in found[0]["facts"]}
        self.assertEqual(facts["max_model_len"], 32768)
        self.assertEqual(facts["kv_available"], round(5.4 * 2**30))

    def test_every_key_is_shown(self):
        shown = set(keys_of(yaml.safe_load(self.text)))
        known = set(SCHEMA["properties"]) - {"withdrawn"}
        for name, shape in SCHEMA["definitions"].items():
            if name not in ("settings", "events", "fact"):
                known |= set(shape.get("properties", {}))
        self.assertEqual(known - shown, set())

    def test_other_examples_have_keys_that_exist(self):
        known = set(re.findall(r"^\| `([a-z_0-9]+)` \|",
                               pathlib.Path("kb/FORMAT.md").read_text(
                                   encoding="utf-8"), re.M))
        self.assertIn("cures", known)
        tops = {"causes", "fixes", "acts", "family", "name", "programs"}
        seen = 0
        for text in blocks()[1:]:
            example = yaml.safe_load(text)
            self.assertTrue(tops & set(example), text[:40])
            for key in example:
                seen += 1
                self.assertIn(key, known)
        self.assertGreater(seen, 8)

    def test_what_it_points_at_is_there(self):
        for path in set(re.findall(r"\b(?:kb|src|tests|i18n)/[\w./-]*\w",
                                   PAGE)):
            self.assertTrue(pathlib.Path(path).exists(), path)
        page = pathlib.Path("kb/FORMAT.md").read_text(encoding="utf-8")
        words = pathlib.Path("src/corpus/words.def").read_text(
            encoding="utf-8")
        listed = re.findall(
            r"WORD\((?:MECHANISM|EFFECT|FREES|ACT_KIND), (\w+)\)", words)
        self.assertEqual([w for w in listed if f"`{w}`" not in page], [])
        schema = pathlib.Path("kb/report.schema.json").read_text(
            encoding="utf-8")
        effects = re.findall(r"WORD\(EFFECT, (\w+)\)", words)
        self.assertEqual([w for w in effects if f'"{w}"' not in schema], [])


if __name__ == "__main__":
    sys.argv[1:] = [word for word in sys.argv[1:] if word != OOMKB]
    unittest.main()
