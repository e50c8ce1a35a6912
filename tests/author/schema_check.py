#!/usr/bin/env python3
"""kb/entry.schema.json, for editors: every entry passes it, under 2020-12 and
under draft-07, and a key that the language does not have does not. And every
schema of kb/ has an $id of its own and says what each of its fields is."""
import glob
import json
import sys

import jsonschema
import yaml

sys.path.insert(0, "tests/support")
from many import is_asked  # noqa: E402


class Loader(yaml.CSafeLoader):
    """As the compiler reads: a day is text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, rule) for tag, rule in rules if not tag.endswith("timestamp")]
    for first, rules in yaml.CSafeLoader.yaml_implicit_resolvers.items()}


def fields_of(schema, path="#"):
    """Every field that some object of the schema may have, with its path."""
    children = schema.items() if isinstance(schema, dict) else \
        enumerate(schema) if isinstance(schema, list) else ()
    for key, child in children:
        yield from fields_of(child, f"{path}/{key}")
        if key == "properties":
            yield from ((f"{path}/{name}", field)
                        for name, field in child.items())


def faults_of_documents():
    faults, ids = [], set()
    for path in sorted(glob.glob("kb/*.schema.json")):
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        ids.add(schema.get("$id"))
        fields = list(fields_of(schema))
        faults += [f"{path}: {place}: no description" for place, field in fields
                   if len(field.get("description", "")) < 3]
        if not fields or not schema.get("description"):
            faults.append(f"{path}: describes nothing")
    if None in ids or len(ids) != len(glob.glob("kb/*.schema.json")):
        faults.append(f"not an $id for each schema: {ids}")
    return faults


def main():
    with open("kb/entry.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    faults, entries = faults_of_documents(), 0
    drafts = (jsonschema.Draft202012Validator, jsonschema.Draft7Validator)
    for draft in drafts:
        draft.check_schema(schema)
    for path in sorted(glob.glob("entries/*/*.yaml")):
        with open(path, encoding="utf-8") as file:
            entry = yaml.load(file, Loader)
        entries += 1
        for draft in drafts if is_asked(path, 4) else drafts[:1]:
            faults += [f"{path}: {list(fault.path)}: {fault.message}"
                       for fault in draft(schema).iter_errors(entry)]
            if draft(schema).is_valid({**entry, "signatues": []}):
                faults.append(f"{path}: an unknown key passes")
    print("\n".join(faults))
    sys.exit(1 if faults or not entries else 0)


if __name__ == "__main__":
    main()
