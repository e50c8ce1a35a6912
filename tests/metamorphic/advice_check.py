#!/usr/bin/env python3
"""Advice that no log may get, asked of every sample of the corpus.

  settings       a fix moves its setting to the right side of the value in
                 force, and sets none to what it is already
  vendors        no fix names the tool or the variable of another maker's device
  engines        no fix names a flag that only another engine takes
  releases       no fix names a flag that the release in the log does not take
  contradictions a dead end or a remark and a fix, two fixes of one finding, the
                 first fixes of two roots: none says the opposite of another

The tables of kb/engines/ are read here anew: the program is not asked what a
flag sets. Few samples tell their settings; so each setting that a fix moves is
told besides, once at the value that the fix would set and once beyond it, and
the fix must not be offered so. SHOW=1 names every fault. Run from the top of the repository; OOMKB
names the program.
"""
import functools
import os
import pathlib
import re
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from many import reports_of  # noqa: E402
from metamorphic_check import samples  # noqa: E402

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
SHOWN = 12
OPPOSITE = {"up": "down", "down": "up"}
EVERYWHERE = ("scripts", "host", "pytorch")
OFFERED = ("yes", "if")
UNITS = {"": 1, "k": 10**3, "kib": 2**10, "kb": 10**3, "m": 2**20,
         "mib": 2**20, "mb": 10**6, "g": 2**30, "gib": 2**30, "gb": 10**9,
         "tib": 2**40, "tb": 10**12}

# What belongs to one maker, by the kinds of device that it is of. Vulkan runs on
# anybody's.
TOOLS = {
    ("cuda",): ["nvidia-smi", "CUDA_VISIBLE_DEVICES",
                "PYTORCH_CUDA_ALLOC_CONF", "TF_GPU_ALLOCATOR=cuda_malloc_async"],
    ("hip",): ["rocm-smi", "amd-smi", "HIP_VISIBLE_DEVICES",
               "ROCR_VISIBLE_DEVICES", "PYTORCH_HIP_ALLOC_CONF"],
    ("npu",): ["npu-smi", "ASCEND_RT_VISIBLE_DEVICES",
               "PYTORCH_NPU_ALLOC_CONF"],
    ("xpu", "sycl"): ["xpu-smi", "ONEAPI_DEVICE_SELECTOR", "ZE_AFFINITY_MASK"],
    ("hpu",): ["hl-smi", "HABANA_VISIBLE_DEVICES"],
    ("metal", "mps"): ["PYTORCH_MPS_HIGH_WATERMARK_RATIO",
                       "iogpu.wired_limit_mb"],
    ("neuron",): ["neuron-ls", "neuron-top", "NEURON_RT_VISIBLE_CORES"],
}
DEVICES = {kind for kinds in TOOLS for kind in kinds} | {"tpu"}


# ---- kb/engines ----

def rows_of(path):
    engine = yaml.load(path.read_text(), yaml.CSafeLoader)
    for row in engine.get("flags") or []:
        for name in [row["flag"], *(row.get("aliases") or [])]:
            yield name, row
    for row in engine.get("options") or []:
        for name in [row["flag"], *(row.get("aliases") or [])]:
            yield name, row


TABLES = {path.stem: list(rows_of(path))
          for path in sorted(pathlib.Path("kb/engines").glob("*.yaml"))}


@functools.cache
def rows_for(engines):
    """Of the first that takes it; last, of what runs in every log."""
    rows = {}
    for table in [*engines, *EVERYWHERE]:
        for name, row in TABLES.get(table, []):
            rows.setdefault(name, row)
    return list(rows.items())


@functools.cache
def spelled(name):
    name = re.escape(name).replace(r"\ ", "[ =]")
    return re.compile(rf"(?<![\w-]){name}(?:[= ]+([^\s,;'\"]+))?(?![\w-])")


def settings_in(command, engines):
    """(row, the value behind it) of each setting that the command has."""
    for name, row in rows_for(engines):
        if name.split(" ")[0] in command:
            for found in spelled(name).finditer(command):
                yield row, found.group(1)


def number_of(text, scale=""):
    """None: not a number."""
    found = re.fullmatch(r"(-?\d+(?:\.\d+)?) ?([A-Za-z]{0,3})", text or "")
    if not found or found.group(2).lower() not in UNITS:
        return None
    unit = found.group(2) or scale
    return float(found.group(1)) * UNITS[unit.lower()]


# ---- what a report knows ----

def in_force(report, finding):
    known = {name: fact for name, fact in report["context"].items()
             if fact["value"] is not None}
    own = {}
    for fact in finding["facts"]:
        if fact["value"] is not None:
            own[fact["name"]] = fact
    return known | own


def value_of(known, name):
    return known[name]["value"] if name in known else None


def offered(finding):
    return [fix for fix in finding["fixes"] if fix["applies"] in OFFERED]


def roots(report):
    return [f for f in report["findings"] if f["role"] == "root"]


def acts_on(fix):
    return fix["acts_on"] or {}


def words_of(fix):
    return " ".join(fix[key] or "" for key in ("action", "how", "command"))


# ---- settings ----

def wrong_side(change, target, now):
    """Empty: it goes where it says."""
    if target == now:
        return "is in force already"
    if change == "up" and target < now:
        return "is below what is in force"
    if change == "down" and target > now:
        return "is above what is in force"
    return ""


def engines_of(report, finding):
    return value_of(in_force(report, finding), "engine"), finding["component"]


def targets(fix, engines):
    """(fact, the number that it would get) of what the fix acts on."""
    flag = acts_on(fix).get("flag")
    facts = {row["fact"] for name, row in rows_for(engines)
             if name == flag and "fact" in row}
    for row, value in settings_in(fix["command"] or "", engines):
        fact = row.get("fact")
        target = number_of(value, row.get("scale", ""))
        if fact in facts and target is not None:
            yield fact, target


def check_settings(report, finding, fix):
    known = in_force(report, finding)
    for fact, target in targets(fix, engines_of(report, finding)):
        now = value_of(known, fact)
        is_number = isinstance(now, (int, float)) and not isinstance(now, bool)
        fault = is_number and wrong_side(acts_on(fix).get("change"), target,
                                         now)
        if fault:
            yield f"`{fix['command']}`: {fact} {target:g} {fault} ({now:g})"


# ---- settings that are told ----

def beyond(change, target):
    """A value from which that fix would lead away."""
    if change == "down":
        return target / 2 if target % 1 else max(1, int(target) // 2)
    return (1 + target) / 2 if target < 1 else int(target) * 2


def written(value):
    return f"{value:.6f}".rstrip("0").rstrip(".")


def told_values(report):
    """(fact, value) that make a fix of this report pointless or wrong."""
    for finding in report["findings"]:
        engines = engines_of(report, finding)
        for fix in offered(finding):
            change = acts_on(fix).get("change")
            for fact, target in targets(fix, engines):
                if change in OPPOSITE and target > 0:
                    yield fact, written(target)
                    yield fact, written(beyond(change, target))


def reports_told(program, texts, fact, value):
    return reports_of(program, texts, ("--set", f"{fact}={value}"))


def play_told(logs, reports):
    """(name, report) of each log again, with one setting told."""
    jobs = {}
    for (name, text), report in zip(logs, reports):
        for told in told_values(report):
            jobs.setdefault(told, {})[name] = text
    for (fact, value), texts in sorted(jobs.items()):
        found = reports_told(PROGRAM, list(texts.values()), fact, value)
        for name, report in zip(texts, found):
            yield f"{name}, {fact}={value}", report


# ---- vendors ----

def check_vendors(report, finding, fix):
    device = value_of(in_force(report, finding), "device_kind")
    if device not in DEVICES:
        return
    for kinds, names in TOOLS.items():
        for name in names if device not in kinds else []:
            if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])",
                         words_of(fix)):
                yield f"{name} on {device}"


# ---- engines ----

def takers_of(flag):
    return {engine for engine, rows in TABLES.items()
            for name, _ in rows if name == flag}


def flags_in(text):
    """Long ones and variables: a short one is of many programs."""
    return set(re.findall(r"(?<![\w-])--[A-Za-z][\w-]*|\b[A-Z][A-Z0-9_]{5,}\b",
                          text))


def check_engines(report, finding, fix):
    engine = value_of(in_force(report, finding), "engine")
    if engine not in TABLES:
        return
    for flag in sorted(flags_in(fix["command"] or "")):
        takers = takers_of(flag)
        if takers and engine not in takers and not takers & set(EVERYWHERE):
            yield f"{flag} is of {', '.join(sorted(takers))}, not of {engine}"


# ---- releases ----

def release(text):
    found = re.match(r"[vb]?(\d+(?:\.\d+)*)", str(text))
    return tuple(int(n) for n in found.group(1).split(".")) if found else None


def is_taken(events, version):
    """By the release, as far as its numbers tell."""
    taken = not any("introduced" in event for event in events)
    for event in events:
        for kind, at in event.items():
            first = (0,) if str(at) == "0" else release(at)
            if first and version >= first:
                taken = kind == "introduced"
    return taken


def check_releases(report, finding, fix):
    known = in_force(report, finding)
    engine = value_of(known, "engine")
    version = value_of(known, "engine_version")
    version = release(version) if version else None
    if engine not in TABLES or not version:
        return
    for name, row in TABLES[engine]:
        events = row.get("exists") or []
        if events and not is_taken(events, version) and \
                spelled(name).search(fix["command"] or ""):
            yield f"{name} does not exist in {engine} {version}"


# ---- contradictions ----

SAME_KINDS = ("kill_process", "shm_size", "upgrade", "downgrade", "more_gpus")


@functools.cache
def entry_named(name):
    path = pathlib.Path("entries") / f"{name}.yaml"
    return yaml.load(path.read_text(), yaml.CSafeLoader)


def does_the_same(x, y):
    if x.get("flag") or y.get("flag"):
        return x.get("flag") == y.get("flag") \
            and x.get("change") == y.get("change")
    return x.get("kind") == y.get("kind") and x.get("kind") in SAME_KINDS


def check_dead_ends(finding):
    """One without a condition warns of a way to do a thing, not of the thing."""
    for dead in entry_named(finding["entry"]).get("dead_ends") or []:
        shown = dead.get("when") and dead["action"]["en"] in [
            x["action"] for x in finding["dead_ends"]]
        for fix in offered(finding) if shown else []:
            if does_the_same(acts_on(fix), dead.get("acts_on") or {}):
                yield f"{fix['id']} is offered, and is a dead end"


def opposed(x, y, engines):
    """Do two fixes move one setting apart?"""
    a, b = acts_on(x), acts_on(y)
    if OPPOSITE.get(a.get("change")) != b.get("change") or not a.get("flag"):
        return False

    def facts_of(acts):
        return {row["fact"] for name, row in rows_for(engines)
                if name == acts.get("flag") and "fact" in row}

    return a["flag"] == b.get("flag") or bool(facts_of(a) & facts_of(b))


def check_fixes(report, finding):
    engines = engines_of(report, finding)
    fixes = offered(finding)
    for i, x in enumerate(fixes):
        for y in fixes[i + 1:]:
            if opposed(x, y, engines):
                yield f"{x['id']} and {y['id']} move one setting apart"


def text_of(key):
    """What the program says, in front of its first argument."""
    text = yaml.load(pathlib.Path("i18n/en.yaml").read_text(),
                     yaml.CSafeLoader)
    for part in key.split("."):
        text = text[part]
    return re.split(r"\{\d", text)[0]


RULES_OUT_KILLING = [text_of("diagnose.remark.own_listed"),
                     text_of("diagnose.remark.limit")]


def check_remarks(finding):
    for words in RULES_OUT_KILLING:
        said = any(remark.startswith(words) for remark in finding["remarks"])
        for fix in offered(finding) if said else []:
            if fix["acts_on"].get("kind") == "kill_process":
                yield f"{fix['id']} is offered against a remark"


def check_roots(report):
    firsts = [(f, offered(f)[0]) for f in roots(report) if offered(f)]
    for i, (finding, x) in enumerate(firsts):
        engines = engines_of(report, finding)
        for other, y in firsts[i + 1:]:
            if opposed(x, y, engines):
                yield f"{finding['entry']} begins with {x['id']}, " \
                      f"{other['entry']} with {y['id']}"


# ---- all of them ----

OF_A_FIX = {"settings": check_settings, "vendors": check_vendors,
            "engines": check_engines, "releases": check_releases}


def faults_of(report):
    """(property, whose, what)."""
    for fault in check_roots(report):
        yield "contradictions", "report", fault
    for finding in report["findings"]:
        whole = [*check_dead_ends(finding), *check_fixes(report, finding),
                 *check_remarks(finding)]
        for fault in whole:
            yield "contradictions", finding["entry"], fault
        for fix in offered(finding):
            for name, check in OF_A_FIX.items():
                for fault in check(report, finding, fix):
                    yield name, f"{finding['entry']}/{fix['id']}", fault


def main():
    logs = list(samples())
    plain = reports_of(PROGRAM, [text for _, text in logs])
    told = list(play_told(logs, plain))
    faults = {name: [] for name in [*OF_A_FIX, "contradictions"]}
    asked = 0
    for name, report in [*zip([name for name, _ in logs], plain), *told]:
        asked += sum(len(offered(f)) for f in report["findings"])
        for kind, whose, fault in faults_of(report):
            faults[kind].append(f"{name}: {whose}: {fault}")
    print(f"{len(logs)} samples, {len(told)} with a setting told, "
          f"{asked} fixes offered")
    for kind, found in faults.items():
        print(f"{kind}: {len(found)} faults")
        most = None if os.environ.get("SHOW") else SHOWN
        print("".join(f"    {fault}\n" for fault in found[:most]), end="")
    sys.exit(1 if any(faults.values()) or asked < 1000 else 0)


if __name__ == "__main__":
    main()
