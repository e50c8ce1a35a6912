#!/usr/bin/env python3
"""What the program really writes under --format json against
kb/report.schema.json, by a validator that is not ours; and the schema's lists
of words against the tables in the source."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema

sys.path.insert(0, "tests/support")
import library  # noqa: E402
from many import is_asked  # noqa: E402

ROOT, OOMKB = library.ROOT, library.PROGRAM
SCHEMA = json.load(open(os.path.join(ROOT, "kb/report.schema.json")))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

failures = []


def oomkb(*words, stdin=b""):
    done = subprocess.run([OOMKB, *words], input=stdin, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout.decode("utf-8")


def definition(name):
    """A validator of one definition: anyOf would hide where it went wrong."""
    schema = {"$ref": "#/$defs/" + name, "$defs": SCHEMA["$defs"]}
    return jsonschema.Draft202012Validator(schema)


def expect_valid(what, validator, value):
    for error in validator.iter_errors(value):
        place = "/".join(str(step) for step in error.absolute_path)
        failures.append(f"{what}: {place}: {error.message[:300]}")


def expect(what, is_true):
    if not is_true:
        failures.append(what)


def check_closed(node, path="#"):
    """Every object of fixed fields refuses others and names what it has."""
    if isinstance(node, dict):
        if "properties" in node:
            expect(f"{path}: additionalProperties is not false",
                   node.get("additionalProperties") is False)
            expect(f"{path}: required is missing", "required" in node)
        for key, child in node.items():
            check_closed(child, f"{path}/{key}")
    elif isinstance(node, list):
        for i, child in enumerate(node):
            check_closed(child, f"{path}/{i}")


def check_words():
    facts = open(os.path.join(ROOT, "src/corpus/facts.def")).read()
    words = open(os.path.join(ROOT, "src/corpus/words.def")).read()
    table = {}
    for name, word in re.findall(r"WORD\(([A-Z_]+), (\w+)\)", words):
        table.setdefault(name, []).append(word)
    finding = SCHEMA["$defs"]["finding"]["properties"]
    expect("fact_name is not facts.def",
           SCHEMA["$defs"]["fact_name"]["enum"]
           == re.findall(r"^FACT(?:_OF)?\((\w+),", facts, re.M))
    for field, name in (("mechanism", "MECHANISM"), ("role", "ROLE"),
                        ("severity", "SEVERITY")):
        expect(f"{field} is not words.def",
               finding[field]["enum"] == table[name])
    for field in ("effort", "loses", "frees"):
        expect(f"{field} is not words.def",
               SCHEMA["$defs"][field]["enum"] == table[field.upper()])


def asked(names):
    return [name for name in names if is_asked(name, 4)]


def samples():
    """Of the logs we have, and of the sample of every signature."""
    for name in asked(glob.glob("entries/*/*.log") +
                      glob.glob("examples/*.log")):
        yield name, (ROOT / name).read_bytes()
    for entry in entry_ids():
        page = json.loads(library.oomkb.entry(entry, "json"))
        text = {f"{entry} {signature['id']}": signature["sample"]
                for signature in page["entry"]["signatures"]}
        for name in asked(text):
            if text[name]:
                yield name, text[name].encode()


def entry_ids():
    return [path[len("entries/"):-len(".yaml")]
            for path in sorted(glob.glob("entries/*/*.yaml"))]


def check_reports():
    validator, spoke = definition("report"), 0
    for name, log in samples():
        report = library.oomkb.diagnose(log)
        spoke += bool(report)
        for lang in ("en", "zh"):
            value = report.as_dict(lang=lang, why=True)
            expect_valid(f"{name} ({lang})", validator, value)
            line = report.write("jsonl", lang=lang, why=True)
            expect(f"{name}: jsonl is not one line", line.count("\n") == 1)
            expect(f"{name}: jsonl says something else",
                   json.loads(line) == value)
    expect("few reports have a finding", spoke > 200)


def check_entries():
    page = definition("entry_page")
    for entry in asked(entry_ids()):
        for lang in ("en", "zh"):
            text = library.oomkb.entry(entry, "json", lang)
            expect_valid(f"explain {entry} ({lang})", page, json.loads(text))


def check_errors():
    error = definition("error")
    for words in (["--format", "json", "/nonexistent.log"],
                  ["--format", "json", "--set", "nonsense=1"],
                  ["--format", "json", "--frobnicate"],
                  ["--format=json", "explain", "no/such"],
                  ["--format", "json", "--kb", "/nonexistent.db"]):
        value = json.loads(oomkb(*words))
        expect_valid(" ".join(words), error, value)


def check_several():
    with tempfile.NamedTemporaryFile(suffix=".log") as log:
        log.write(b"all is well\n")
        log.flush()
        value = json.loads(oomkb("--format", "json", log.name,
                                 "/nonexistent.log", log.name))
    expect("several inputs are no array of three",
           isinstance(value, list) and len(value) == 3)
    expect("order of inputs",
           ["error" in item for item in value] == [False, True, False])
    expect_valid("several inputs", VALIDATOR, value)


def check_hostile():
    log = b"\x1b[2J\xff\xfe\x00 CUDA out of memory. Tried to allocate " \
          b"2.00 GiB \xe2\x80\xae\x9b31m \"quoted\\\n" * 3
    text = oomkb("--format", "json", stdin=log)
    expect("control bytes in JSON", not re.search(r"[\x00-\x09\x0b-\x1f]",
                                                  text))
    expect_valid("hostile log", definition("report"), json.loads(text))


def check_it_can_fail():
    """A validator that accepts everything would pass all of this."""
    value = json.loads(oomkb("--format", "json", stdin=b"all is well\n"))
    value["more"] = 1
    expect("an additional property is accepted",
           not VALIDATOR.is_valid(value))
    del value["more"], value["summary"]
    expect("a missing field is accepted", not VALIDATOR.is_valid(value))


def main():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    check_closed(SCHEMA)
    for check in (check_words, check_reports, check_entries, check_errors,
                  check_several, check_hostile, check_it_can_fail):
        check()
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


main()
