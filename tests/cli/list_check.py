#!/usr/bin/env python3
"""list and search as their users meet them: every entry is there, the JSON is
kb/list.schema.json's, two Chinese characters find something, no paste is an
error, and --redact holds from the command line on."""
import glob
import json
import os
import re
import subprocess
import sys
import unittest

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from many import is_asked  # noqa: E402

SCHEMA = json.load(open(os.path.join(ROOT, "kb/list.schema.json")))
ENV = {"PATH": os.environ["PATH"], "LANG": "C"}
FAILED = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate " \
         b"2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which " \
         b"1.13 GiB is free. Process 4711 has 1.00 GiB memory in use.\n"


def oomkb(*words, stdin=b""):
    return subprocess.run([OOMKB, *words], input=stdin, env=ENV, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ids_of_files():
    return sorted(os.path.relpath(path, os.path.join(ROOT, "entries"))[:-5]
                  for path in glob.glob(os.path.join(ROOT,
                                                     "entries/*/*.yaml")))


def validator(name):
    return jsonschema.Draft202012Validator(
        {"$ref": "#/$defs/" + name, "$defs": SCHEMA["$defs"]})


class Lists(unittest.TestCase):
    def test_every_entry_once_in_every_format(self):
        ids = ids_of_files()
        page = json.loads(oomkb("list", "--format", "json").stdout)
        validator("list").validate(page)
        self.assertEqual([entry["id"] for entry in page["entries"]], ids)
        lines = oomkb("list", "--format", "jsonl").stdout.splitlines()
        self.assertEqual([json.loads(line) for line in lines],
                         page["entries"])
        text = oomkb("list").stdout.decode().splitlines()
        self.assertEqual([line.split()[0] for line in text
                          if line[:1] not in (" ", "")], ids)
        markdown = oomkb("list", "--format", "markdown").stdout.decode()
        for name in ids:
            self.assertIn(f"- `{name}` \u2014 ", markdown)

    def test_of_one_component(self):
        done = oomkb("list", "vllm", "--format", "json")
        found = json.loads(done.stdout)["entries"]
        mine = [entry["id"] for entry in found
                if entry["component"] == "vllm"]
        self.assertEqual(mine, [name for name in ids_of_files()
                                if name.startswith("vllm/")])
        # and what kb/vocabulary.yaml folds into it, nothing else
        folded = re.findall(r"id: ([\w.-]+), .*folds_into: vllm}",
                            open(os.path.join(
                                ROOT, "kb/vocabulary.yaml")).read())
        self.assertLessEqual({entry["component"] for entry in found},
                             {"vllm", *folded})
        self.assertEqual(oomkb("list", "nonsense").returncode, 2)
        self.assertEqual(oomkb("list", "a", "b").returncode, 2)

    def test_names_of_every_kind_in_every_format(self):
        counts = {"models": 363, "gpus": 90, "engines": 20, "facts": 150,
                  "components": 100}
        for what, least in counts.items():
            page = json.loads(oomkb("list", what, "--format",
                                    "json").stdout)
            validator(what).validate(page)
            names = [row["name"] for row in page[what]]
            self.assertGreaterEqual(len(names), least)
            self.assertEqual(len(names), len(set(names)))
            lines = oomkb("list", what, "--format", "jsonl").stdout
            self.assertEqual([json.loads(line) for line in
                              lines.splitlines()], page[what])
            text = oomkb("list", what).stdout.decode().splitlines()
            rows = [line for line in text if not line.startswith(" ")]
            self.assertEqual(len(rows), len(names) + 1)
            self.assertTrue(all(line.startswith(name) for line, name in
                                zip(rows[1:], names)))
            self.assertLessEqual(max(map(len, text)), 80)
            markdown = oomkb("list", what, "--format", "markdown",
                             "--lang", "zh").stdout.decode()
            self.assertEqual(markdown.count("\n| "), len(names) + 1)

    def test_names_in_few_columns_are_whole(self):
        env = {**ENV, "COLUMNS": "60"}
        for what in ("models", "facts"):
            done = subprocess.run([OOMKB, "list", what], env=env, check=True,
                                  stdout=subprocess.PIPE)
            lines = done.stdout.decode().splitlines()
            self.assertLessEqual(max(map(len, lines)), 60)
        self.assertIn("hybrid_kv_disabled        bool     window layers at",
                      done.stdout.decode())

    def test_names_for_a_spreadsheet(self):
        lines = oomkb("list", "gpus", "--format", "csv").stdout.split(b"\r\n")
        self.assertIn(b"A100 40GB,40,nvidia", lines)

    def test_every_name_is_taken_where_it_is_asked_for(self):
        gpus = json.loads(oomkb("list", "gpus", "--format", "json").stdout)
        for gpu in gpus["gpus"]:
            done = oomkb("fit", "--model", "Qwen/Qwen2.5-7B", "--gpu",
                         gpu["name"])
            self.assertNotIn(b"unknown GPU", done.stderr, gpu["name"])

    def test_entries_is_what_list_shows_by_itself(self):
        self.assertEqual(oomkb("list", "entries").stdout,
                         oomkb("list").stdout)

    def test_in_chinese(self):
        page = json.loads(oomkb("list", "--lang", "zh", "--format",
                                "json").stdout)
        for entry in page["entries"]:
            self.assertRegex(entry["title"], "[\u4e00-\u9fff]")


class Searches(unittest.TestCase):
    def found(self, *words):
        done = oomkb("search", *words, "--format", "json")
        page = json.loads(done.stdout)
        validator("search").validate(page)
        self.assertEqual(done.returncode, 0 if page["entries"] else 1)
        places = [(entry["matched"], entry["score"])
                  for entry in page["entries"]]
        self.assertEqual([matched for matched, _ in places],
                         sorted((m for m, _ in places), reverse=True))
        scores = [score for matched, score in places if not matched]
        self.assertEqual(scores, sorted(scores, reverse=True))
        return [entry["id"] for entry in page["entries"]]

    def test_two_characters_find_something(self):
        for word in ("碎片", "显存", "缓存", "进程"):
            self.assertTrue(self.found(word), word)

    def test_a_title_is_found_by_its_words(self):
        for lang in ("en", "zh"):
            page = json.loads(oomkb("list", "--lang", lang, "--format",
                                    "json").stdout)
            for entry in page["entries"]:
                if is_asked(entry["id"] + lang, 5):
                    self.assertIn(entry["id"], self.found(entry["title"])[:3],
                                  entry["title"])

    def test_a_sample_finds_its_entry(self):
        page = json.loads(oomkb("explain", "vllm/kv-cache-too-small",
                                "--format", "json").stdout)
        for signature in page["entry"]["signatures"]:
            self.assertEqual("vllm/kv-cache-too-small",
                             self.found(signature["sample"])[0])

    def test_a_pasted_message_is_matched_first(self):
        done = oomkb("search", "--format", "json", FAILED.decode())
        first = json.loads(done.stdout)["entries"][0]
        self.assertTrue(first["matched"])
        self.assertEqual(first["component"], "pytorch")
        done = oomkb("search", "--format", "json", "pytorch cuda memory")
        self.assertFalse(json.loads(done.stdout)["entries"][0]["matched"])

    def test_a_component_that_is_named_comes_first(self):
        for name in ("ollama", "slurm", "ComfyUI"):
            self.assertTrue(self.found(name, "out of memory")[0].startswith(
                name.lower()), name)

    def test_a_slip_of_the_hand(self):
        self.assertEqual(self.found("dataloader", "shared", "memroy")[0],
                         "pytorch/dataloader-shm")

    def test_no_paste_is_an_error(self):
        for words in ("\"", "a* OR (", "NEAR(", "title:x", "-", "^", "'--",
                      "Traceback (most recent call last):", "\x1b[31m", "%s"):
            with self.subTest(words=words):
                done = oomkb("search", "--", words)
                self.assertIn(done.returncode, (0, 1), done)
                self.assertEqual(done.stderr, b"")
                self.assertNotIn(b"\x1b", done.stdout)

    def test_nothing_found_is_said(self):
        done = oomkb("search", "qqqqzzzz")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No entry matches", done.stdout)
        self.assertEqual(oomkb("search").returncode, 2)

    def test_words_and_one_string_are_the_same(self):
        self.assertEqual(self.found("kv", "cache"), self.found("kv cache"))


class Redacted(unittest.TestCase):
    log = b"$ python /home/annie/acme/train.py --host gpu17 " \
          b"--api-key hunter2hunter2\n" + FAILED

    def test_nothing_private_is_shown(self):
        for form in ("text", "json", "jsonl", "markdown"):
            done = oomkb("--redact", "--why", "--format", form,
                         "--set", "pod=annie-pod-1", stdin=self.log)
            self.assertEqual(done.returncode, 0)
            for word in (b"annie", b"acme", b"gpu17", b"hunter2"):
                self.assertNotIn(word, done.stdout, form)
            self.assertIn(b"2.00 GiB", done.stdout)

    def test_names_of_several_inputs_are_numbers(self):
        done = oomkb("--redact", "/dev/null", "/dev/null")
        self.assertIn(b"==> 1/2 <==", done.stdout)
        self.assertNotIn(b"null", done.stdout)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
