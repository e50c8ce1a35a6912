"""Entries as the compiler has them: what they leave out, from kb/.

A fix takes what it does not say from the fix that it uses, then from the row
of its acts_on, then from that of the fix it uses; an entry takes its causes from the row of its mechanism.
"""
import glob
import os

import yaml

OF_ACTS = ("effort", "loses", "frees", "cures", "effect")


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, yaml.CSafeLoader)


def key_of(what):
    return tuple(what.get(name, "") for name in ("flag", "change", "kind"))


class Shared:
    def __init__(self, kb="kb"):
        files = [load(path) for path in
                 sorted(glob.glob(os.path.join(kb, "fixes/*.yaml")))]
        self.fixes = {fix["id"]: fix for file in files
                      for fix in file.get("fixes", [])}
        self.acts = {key_of(act): act for file in files
                     for act in file.get("acts", [])}
        causes = load(os.path.join(kb, "causes.yaml"))
        self.causes = {cause["id"]: cause for cause in causes["causes"]}
        self.of_mechanism = {row["mechanism"]: row["causes"]
                             for row in causes["mechanisms"]}

    def fix(self, fix, causes):
        used = self.fixes.get(fix.get("use"), {})
        whole = {**used, **fix}
        for what in (whole["acts_on"], used.get("acts_on", {})):
            act = self.acts.get(key_of(what), {})
            for name in OF_ACTS:
                if name in act:
                    whole.setdefault(name, act[name])
        whole.setdefault("cures", {cause: "some" for cause in causes})
        return whole

    def entry(self, path):
        entry = load(path)
        entry.setdefault("causes", self.of_mechanism[entry["mechanism"]])
        entry["workarounds"] = [self.fix(fix, entry["causes"])
                                for fix in entry.get("workarounds", [])]
        return entry
