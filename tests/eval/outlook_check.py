#!/usr/bin/env python3
"""The table of outlooks (outlook.tsv): how often what the program said of a
restart was so. Of what it decides now at least nine in ten are right, and `again`
stands where an unchanged restart worked in no thread but those that are named
here. With a folder of logs, each
named as its address with `_` for `/` (github.com_owner_name_issues_1.log), the
program is run on those anew and has to say the same."""
import collections
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
OOMKB = os.environ.get("OOMKB", "build/oomkb")
MEANS = {"again": "again", "passes": "may_pass"}
AGREED = 0.9  # of what is decided
FALSE_AGAIN = {  # nothing in them shows how long it had run
    "https://github.com/lllyasviel/stable-diffusion-webui-forge/issues/1984",
    "https://github.com/dfaker/df/issues/7",
}


def rows():
    for line in (HERE / "outlook.tsv").read_text().splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def said(log):
    done = subprocess.run([OOMKB, "--format", "json", log], check=False,
                          stdout=subprocess.PIPE)
    roots = [f for f in json.loads(done.stdout)["findings"]
             if f["role"] == "root"]
    return roots[0]["outlook"]["restart"] if roots else "none"


def score(group, answers):
    decided = [(label, answer) for label, answer in answers
               if answer in MEANS.values()]
    right = sum(MEANS[label] == answer for label, answer in decided)
    false = sum(answer == "again" and label == "passes"
                for label, answer in decided)
    print(f"outlook, {group}: {right} of {len(decided)} decided are right, "
          f"{len(answers)} in all, {false} `again` where a restart worked")
    return right, len(decided), false


def main():
    answers = collections.defaultdict(list)
    changed, false_again = 0, set()
    for which, url, label, first, now, *_ in rows():
        answers[f"set {which}, first run"].append((label, first))
        answers[f"set {which}, now"].append((label, now))
        answers["all, now"].append((label, now))
        if now == "again" and label == "passes":
            false_again.add(url)
        for folder in sys.argv[1:]:
            name = url.removeprefix("https://").replace("/", "_") + ".log"
            log = pathlib.Path(folder) / name
            if log.exists() and said(log) != now:
                changed += 1
                print(f"{url}: now {said(log)}, the table has {now}")
    scores = {group: score(group, answers[group]) for group in sorted(answers)}
    right, decided, _ = scores["all, now"]
    agrees = right >= AGREED * decided and false_again <= FALSE_AGAIN
    return 0 if agrees and not changed else 1


if __name__ == "__main__":
    sys.exit(main())
