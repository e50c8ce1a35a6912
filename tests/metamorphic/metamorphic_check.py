#!/usr/bin/env python3
"""Samples re-rendered with other numbers, units and versions.

Every sample of the corpus (in an entry, or the log beside it) is printed again
ROUNDS times with random amounts. All bytes of one message are scaled by one factor,
so that what was larger stays larger. Then:
  - the same entry answers,
  - every fact read from the message has the value that now stands there,
    reckoned here from the text by decimal arithmetic,
  - where the limit of an estimate grows, no verdict gets worse and no shortage
    gets larger.
Run from the top of the repository; OOMKB names the program.
"""
import decimal
import os
import pathlib
import random
import re
import sys

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from many import ALL, reports_of  # noqa: E402

ROUNDS = 50 if ALL else 3
SEED = 1
PROGRAM = os.environ.get("OOMKB", "build/oomkb")
FACTOR = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
          "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
AMOUNT = re.compile(r"^(-?[\d,]+(?:\.\d+)?)( ?)(bytes|[KMGT]iB|[kMGT]B)$")
BARE = re.compile(r"^-?[\d,]+(?:\.\d+)?$")
ORDER = {"not_enough": 0, "unknown": 1, "none": 1, "may_be_enough": 1,
         "enough": 2}


def rounded(value):
    return int(value.quantize(decimal.Decimal(1), decimal.ROUND_HALF_UP))


def samples():
    """(name, text, ids of the entries that may answer it)."""
    for path in sorted(pathlib.Path("entries").rglob("*.yaml")):
        entry = yaml.load(path.read_text(), yaml.CSafeLoader)
        name = str(path.relative_to("entries"))[:-len(".yaml")]
        for signature in entry.get("signatures", []):
            yield f"{name}#{signature['id']}", signature["sample"]
        log = path.with_suffix(".log")
        if log.is_file():
            yield f"{name}.log", log.read_text()


def scaled(text, fact, factor, rng):
    """text printed again, factor times as much; and its value in bytes."""
    with_unit = AMOUNT.match(text)
    if with_unit:
        digits, blank, unit = with_unit.groups()
        number = decimal.Decimal(digits.replace(",", "")) * FACTOR[unit]
        number *= decimal.Decimal(factor)
        if unit == "bytes":
            shown = str(max(1, rounded(number)))
        else:
            unit = rng.choice([unit, "MiB" if "i" in unit else "MB"])
            places = 2 if "." in digits else 0
            amount = number / FACTOR[unit]
            shown = f"{amount:.{places}f}"
        return f"{shown}{blank}{unit}", \
            rounded(decimal.Decimal(shown) * FACTOR[unit])
    digits = text.replace(",", "")
    places = len(digits.split(".")[1]) if "." in digits else 0
    shown = f"{decimal.Decimal(digits) * decimal.Decimal(factor):.{places}f}"
    # The unit stands elsewhere in the message: what one printed unit is worth.
    unit = decimal.Decimal(fact["value"]) / decimal.Decimal(digits)
    near = min(FACTOR.values(), key=lambda f: abs(float(unit) / f - 1))
    if "," in text:
        whole, *rest = shown.split(".")
        shown = f"{int(whole):,}" + "".join("." + r for r in rest)
    return shown, rounded(decimal.Decimal(shown.replace(",", "")) * near)


def swap(text, changes):
    """Replace every verbatim number at once, not inside a longer one."""
    keys = sorted(changes, key=len, reverse=True)
    pattern = "|".join(rf"(?<![\w.,]){re.escape(k)}(?![.,]?\d)"
                       for k in keys)
    return re.sub(pattern, lambda m: changes[m.group(0)], text) \
        if pattern else text


def speaking(report):
    return [f for f in report["findings"] if f["role"] == "root"] \
        or report["findings"]


def changeable(finding):
    """Facts of the message with a number of bytes that can be printed anew."""
    return [f for f in finding["facts"]
            if f["unit"] == "bytes" and f["source"] == "log"
            and isinstance(f["value"], int) and f["value"] > 0
            and f["text"]  # one that an entry sets has none
            and (AMOUNT.match(f["text"]) or BARE.match(f["text"]))]


def render(text, finding, rng):
    factor = f"{rng.uniform(0.3, 3):.6f}"
    changes, expected = {}, []
    for fact in changeable(finding):
        if fact["text"] not in changes:
            changes[fact["text"]], value = scaled(fact["text"], fact, factor,
                                                  rng)
            expected.append((fact["name"], fact["text"], value))
    return swap(text, changes), expected, changes


def other_patch(version, rng):
    """Another patch release of the same line: 0.9.1 -> 0.9.7."""
    parts = re.match(r"^(\d+\.\d+\.)(\d+)$", version)
    return parts and parts.group(1) + str(int(parts.group(2))
                                          + rng.randint(1, 20))


def renumber_version(text, report, rng):
    """The log with another patch release of its engine; None if it names none."""
    fact = report["context"].get("engine_version")
    if not fact or fact["source"] != "log":
        return None, None
    version = other_patch(fact["value"], rng)
    return version and text.replace(fact["value"], version), version


def check_version(name, report, entry, version, faults):
    got = (report["context"].get("engine_version") or {}).get("value")
    if got != version:
        faults.append(f"{name}: engine_version is now {version}, read {got}")
    if entry not in [f["entry"] for f in report["findings"]]:
        faults.append(f"{name}: {entry} is silent for engine {version}")


def values_of(finding, name):
    """Of the worst instance and of the others: scaling may change the worst."""
    sets = [finding["facts"]] + [i["facts"] for i in finding["instances"]]
    return [f["value"] for facts in sets for f in facts if f["name"] == name]


def check_values(name, report, entry, expected, changes, faults):
    speakers = [f for f in speaking(report) if f["entry"] == entry]
    if not speakers:
        faults.append(f"{name}: {entry} answered before, now "
                      f"{[f['entry'] for f in report['findings']]}")
        return
    for fact, before, value in expected:
        got = values_of(speakers[0], fact)
        if value not in got:
            faults.append(f"{name}: {fact} was printed {before}, now "
                          f"{changes[before]} = {value}; read {got}")


def short(estimate):
    amount = estimate["short_by"]
    return amount["low"] if isinstance(amount, dict) else amount


def check_monotone(name, before, after, faults):
    old = {f["id"]: f["estimate"] for f in before["fixes"] if f["estimate"]}
    new = {f["id"]: f["estimate"] for f in after["fixes"] if f["estimate"]}
    for fix in old.keys() & new.keys():
        a, b = old[fix], new[fix]
        if ORDER[b["verdict"]] < ORDER[a["verdict"]]:
            faults.append(f"{name}: more room, yet {fix} went from "
                          f"{a['verdict']} to {b['verdict']}")
        if a["verdict"] == b["verdict"] == "not_enough" \
                and short(a) is not None and short(b) is not None \
                and short(b) > short(a):
            faults.append(f"{name}: more room, yet {fix} is shorter by more")


LIMITS = ("kv_available", "gpu_free")


def more_room(text, finding, rng):
    """The same message with a little more of what there was too little of."""
    for fact in changeable(finding):
        if fact["name"] in LIMITS:
            factor = f"{rng.uniform(1.01, 1.08):.6f}"
            shown, _ = scaled(fact["text"], fact, factor, rng)
            same = [f for f in finding["facts"] if f["text"] == fact["text"]]
            if len(same) == 1 and text.count(fact["text"]) == 1:
                return swap(text, {fact["text"]: shown})
    return None


def main():
    rng, faults = random.Random(SEED), []
    base = list(samples())
    jobs = []
    found = reports_of(PROGRAM, [text for _, text in base])
    for (name, text), report in zip(base, found):
        if not report["findings"]: # a suspect is no finding
            told = {suspect["entry"] for suspect in report["suspects"]}
            if name.partition("#")[0] not in told:
                faults.append(f"{name}: its own sample is not answered")
            continue
        finding = speaking(report)[0]
        for _ in range(ROUNDS):
            again, expected, changes = render(text, finding, rng)
            jobs.append((name, again, finding, expected, changes))
        again, version = renumber_version(text, report, rng)
        if again:
            jobs.append((name, again, finding, None, version))
        room = more_room(text, finding, rng)
        if room:
            jobs.append((name, room, finding, None, None))
    reports = reports_of(PROGRAM, [job[1] for job in jobs])
    for (name, _, finding, expected, changes), report in zip(jobs, reports):
        if expected is None and changes:
            check_version(name, report, finding["entry"], changes, faults)
        elif expected is None:
            same = [f for f in speaking(report)
                    if f["entry"] == finding["entry"]]
            if same:
                check_monotone(name, finding, same[0], faults)
        else:
            check_values(name, report, finding["entry"], expected, changes,
                         faults)
    print(f"{len(base)} samples, {len(jobs)} renderings, {len(faults)} faults")
    print("\n".join(faults[:40]))
    sys.exit(1 if faults or not jobs else 0)


if __name__ == "__main__":
    main()
