#!/usr/bin/env python3
"""kb/entry.schema.json, for editors: every entry passes it, under 2020-12 and
under draft-07, and a key that the language does not have does not."""
import glob
import json
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """As the compiler reads: a day is text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, rule) for tag, rule in rules if not tag.endswith("timestamp")]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def main():
    with open("kb/entry.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    faults, entries = [], 0
    for draft in (jsonschema.Draft202012Validator, jsonschema.Draft7Validator):
        draft.check_schema(schema)
        for path in sorted(glob.glob("entries/*/*.yaml")):
            with open(path, encoding="utf-8") as file:
                entry = yaml.load(file, Loader)
            entries += 1
            faults += [f"{path}: {list(fault.path)}: {fault.message}"
                       for fault in draft(schema).iter_errors(entry)]
            if draft(schema).is_valid({**entry, "signatues": []}):
                faults.append(f"{path}: an unknown key passes")
    print("\n".join(faults))
    sys.exit(1 if faults or not entries else 0)


if __name__ == "__main__":
    main()
