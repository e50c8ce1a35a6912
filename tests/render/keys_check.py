#!/usr/bin/env python3
"""Every text that the source names is in i18n/, nothing in i18n/ is unused,
and every fact and every word of a vocabulary has its label."""
import glob
import os
import re
import sys

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
# Groups whose keys are put together from a word at run time.
BY_WORD = {"fact", "budget", "mechanism", "severity", "role", "scope",
           "basis", "change", "range_status", "relation", "effect",
           "act_kind", "stage", "work", "effort", "loses", "frees", "strength",
           "restart", "not_a_log", "code", "rule"}
BY_SEVERITY = {"report.warning", "report.recovery", "report.info"}


def flat(node, prefix=""):
    for key, value in node.items():
        if isinstance(value, dict):
            yield from flat(value, prefix + str(key) + ".")
        else:
            yield prefix + str(key)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def main():
    keys = set(flat(yaml.load(read("i18n/en.yaml"), yaml.CSafeLoader)))
    groups = {key.split(".")[0] for key in keys}
    source = "\n".join(read(path) for path in sorted(
        glob.glob(os.path.join(ROOT, "src/*/*.[ch]")) +
        [os.path.join(ROOT, "src/cli/commands.def")]))
    literal = re.compile(r'"((?:%s)(?:\.[a-z_]+)+)"' % "|".join(groups))
    used = {key for key in literal.findall(source)
            if not key.endswith(".mjs")} | BY_SEVERITY
    used |= {"diagnose.remark." + key for key in re.findall(
        r'^    \{"(\w+)", [A-Z]', read("src/diagnose/remark_rules.c"), re.M)}
    for path in glob.glob(os.path.join(ROOT, "web/*.html")):
        used |= {"site." + key for key in re.findall(
            r"\{\{=?([a-z_]+)\}\}", read(path))} & keys
    wrong = [f"{key} is in the source, not in i18n" for key in used - keys]
    wrong += [f"{key} is in i18n, not in the source" for key in keys - used
              if key.split(".")[0] not in BY_WORD and
              not key.startswith("list.column.")]
    labels = {"fact." + name for name in re.findall(
        r"^FACT(?:_OF)?\((\w+),", read("src/corpus/facts.def"), re.M)}
    labels |= {f"{name.lower()}.{word}" for name, word in re.findall(
        r"WORD\(([A-Z_]+), (\w+)\)", read("src/corpus/words.def"))}
    labels |= set(re.findall(r'"(rule\.\w+)"',
                             read("src/memory/release_table.def")))
    wrong += [f"{key} has no label" for key in labels - keys]
    print("\n".join(sorted(wrong)))
    sys.exit(1 if wrong else 0)


main()
