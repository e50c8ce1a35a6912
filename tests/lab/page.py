"""docs/LAB.md from what was run."""
from collections import Counter

MIB = 1 << 20
WITHIN = 0.10
WAY = {"replaces": "put in its place", "appends": "added to the command",
       "exports": "set in the environment", "before": "run before",
       "limit": "the limit set to it", "by_hand": "by hand, as the steps say"}

HEAD = """# The lab

Written by `make lab`; do not edit. Each row is a failure that was made on
purpose, in a box with a small limit, on a CPU. The program's own output was
given to oomkb. What the report prints of its first fix was then applied by
the script, and the same program was run again. The files stand in
`tests/lab/failures/`. Entries and fixes were mended on these very failures,
so the page says that what is printed works, not how often that is so of logs
that nobody has seen: [ACCURACY.md](ACCURACY.md) does.
"""


def amount(n):
    return f"{n / MIB:,.0f} MiB" if n >= 10 * MIB else f"{n / MIB:,.2f} MiB"


def off(number):
    """By how much the nearest predicted number misses, as a share."""
    low, high = number.predicted
    if low <= number.measured <= high:
        return 0.0
    nearest = low if number.measured < low else high
    return abs(number.measured - nearest) / number.measured


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def limits_of(failure):
    return ", ".join(f"{k.replace('_', ' ')} {v}"
                     for k, v in failure.limits.items()) or "its own"


def entry_of(result):
    if result.found == result.failure.entry:
        return f"`{result.found}`"
    return f"wrong: `{result.found}`, not `{result.failure.entry}`"


def row(result):
    f = result.failure
    fix = cell(result.fix["action"]) if result.fix else ""
    applied = ""
    if result.applied:
        applied = f"`{cell(result.applied.text)}`: {WAY[result.applied.way]}"
        if result.applied.is_filled:
            applied += ", the amount is the lab's"
    return (f"| {f.program} | {cell(f.failure)} ({limits_of(f)}) | "
            f"{entry_of(result)} | {fix} | {applied} | {result.outcome} |\n")


def share(n, all_count):
    return f"{n} of {all_count}"


def summary(ran):
    right = sum(r.found == r.failure.entry for r in ran)
    cured = sum(r.outcome in ("cured", "as said: not enough") for r in ran)
    applied = [r.applied for r in ran if r.applied]
    by_hand = sum(a.way == "by_hand" for a in applied)
    filled = sum(a.is_filled for a in applied)
    programs = len({r.failure.program for r in ran})
    return (f"\n{len(ran)} failures of {programs} programs. The entry was "
            f"right in {share(right, len(ran))}. The first fix cured "
            f"{share(cured, len(ran))}. {len(applied) - by_hand - filled} "
            "fixes were applied as they are printed; of "
            f"{filled} the setting is printed and the amount is the lab's; "
            f"{by_hand} are a change of the program, made by hand as the "
            "steps say.\n")


def predictions(ran):
    rows = [(r, n) for r in ran for n in r.numbers]
    if not rows:
        return ""
    near = sum(off(n) <= WITHIN for _, n in rows)
    text = (f"\n## Numbers of the report, and measured\n\nWithin {WITHIN:.0%}: "
            f"{share(near, len(rows))}.\n\n"
            "| program | number | report | measured | off by |\n"
            "| --- | --- | --- | --- | --- |\n")
    for r, n in rows:
        low, high = (amount(x) for x in n.predicted)
        said = low if low == high else f"{low} to {high}"
        text += (f"| {r.failure.program} | {cell(n.what)} | {said} | "
                 f"{amount(n.measured)} | {off(n):.1%} |\n")
    return text


def not_run(results):
    left = [r for r in results if r.outcome == "not run"]
    if not left:
        return ""
    return "\n## Not run\n\n" + "".join(
        f"- {r.failure.name}: {r.why}\n" for r in left)


def page(results):
    ran = [r for r in results if r.outcome != "not run"]
    counts = Counter(r.outcome for r in ran)
    text = HEAD + summary(ran)
    text += "\nOutcomes: " + ", ".join(
        f"{name} {n}" for name, n in sorted(counts.items())) + ".\n"
    text += ("\n## Failures\n\n| program | failure (limit) | entry | first "
             "fix | applied | outcome |\n"
             "| --- | --- | --- | --- | --- | --- |\n")
    text += "".join(row(r) for r in ran)
    return text + predictions(ran) + not_run(results)
