#!/usr/bin/env python3
"""SARIF of `lint` and `check` against the schema of SARIF 2.1.0: `make
check-sarif`.

    schema.py PROGRAM

The schema is the file sarif-2.1.0.json of the npm package
@microsoft/sarif-multitool-linux, which is fetched into a temporary folder and
not run. Without npm, jsonschema or a registry it says "skipped". The test in
tests/cli/sarif_check.py asks what a reader of SARIF needs, without a schema.
"""
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None

PACKAGE = "@microsoft/sarif-multitool-linux@5.7.0"
SCHEMA = "package/sarif-2.1.0.json"
LINTED = sorted(map(str, pathlib.Path("tests/lint").glob("*.[ysb]*")))


def outputs(program):
    for lang in ("en", "zh"):
        for command in (["check", "tests/bad"], ["check", "tests/good"],
                        ["lint", "--gpu", "RTX 4090", *LINTED],
                        ["lint", "tests/lint/fits.yml"]):
            done = subprocess.run(
                [program, *command, "--format", "sarif", "--lang", lang],
                text=True, capture_output=True, check=False)
            yield command[0], lang, json.loads(done.stdout)


def schema():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["npm", "pack", "--silent", PACKAGE], cwd=folder, text=True,
            capture_output=True, check=False)
        packs = list(pathlib.Path(folder).glob("*.tgz"))
        if done.returncode != 0 or not packs:
            return None
        with tarfile.open(packs[0]) as pack:
            return json.load(io.TextIOWrapper(pack.extractfile(SCHEMA)))


def main():
    if jsonschema is None or shutil.which("npm") is None:
        print("check-sarif: skipped: needs npm and python3-jsonschema")
        return
    rules = schema()
    if rules is None:
        print("check-sarif: skipped: needs npm's registry")
        return
    judge = jsonschema.validators.validator_for(rules)(rules)
    count = wrong = 0
    for command, lang, page in outputs(sys.argv[1]):
        count += len(page["runs"][0]["results"])
        for error in judge.iter_errors(page):
            wrong += 1
            print(f"{command} {lang}: {list(error.path)}: {error.message}")
    broken = {"version": "2.0.0", "runs": [{}]}
    if judge.is_valid(broken):
        raise SystemExit("check-sarif: the schema takes anything")
    print(f"check-sarif: {count} results, {wrong} errors of schema")
    if wrong or count == 0:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
