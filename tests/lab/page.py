"""docs/LAB.md from what was run."""
import re
from collections import Counter

MIB = 1 << 20
WITHIN = 0.10
COLUMNS = ["program", "failure (limit)", "entry", "first fix", "applied",
           "outcome"]
NUMBERS = ["program", "number", "report", "measured", "off by"]
FILLED = ", the amount is the lab's"
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


def cells(result):
    """The row of a failure: program, failure, entry, fix, applied, outcome."""
    f = result.failure
    fix = cell(result.fix["action"]) if result.fix else ""
    applied = ""
    if result.applied:
        applied = f"`{cell(result.applied.text)}`: {WAY[result.applied.way]}"
        if result.applied.is_filled:
            applied += FILLED
    return [f.program, f"{cell(f.failure)} ({limits_of(f)})",
            entry_of(result), fix, applied, result.outcome]


def number_cells(result):
    rows = []
    for n in result.numbers:
        low, high = (amount(x) for x in n.predicted)
        said = low if low == high else f"{low} to {high}"
        rows.append([result.failure.program, cell(n.what), said,
                     amount(n.measured), f"{off(n):.1%}"])
    return rows


def key(row):
    """Program and failure, whatever its limits are."""
    return row[0], row[1].rpartition(" (")[0] or row[1]


def read(path):
    """(rows, rows of numbers) of a page that was written."""
    with open(path, encoding="utf-8") as file:
        table = [[one.strip() for one in
                  re.split(r"(?<!\\)\|", line.strip())[1:-1]]
                 for line in file if line.startswith("| ")]
    rows = [row for row in table if row[0] not in ("program", "---")]
    return ([row for row in rows if len(row) == len(COLUMNS)],
            [row for row in rows if len(row) == len(NUMBERS)])


def merged(old, new):
    """New rows in the place of the old of the same failure, sorted."""
    rows = {key(row): row for row in old}
    rows.update({key(row): row for row in new})
    return [rows[one] for one in sorted(rows, key=lambda k: (
        k[0].lower(), k[1].lower()))]


def share(n, all_count):
    return f"{n} of {all_count}"


def summary(rows):
    right = sum(not row[2].startswith("wrong") for row in rows)
    cured = sum(row[5] in ("cured", "as said: not enough") for row in rows)
    applied = [row[4] for row in rows if row[4]]
    by_hand = sum(text.endswith(WAY["by_hand"]) for text in applied)
    filled = sum(text.endswith(FILLED) for text in applied)
    programs = len({row[0] for row in rows})
    return (f"\n{len(rows)} failures of {programs} programs. The entry was "
            f"right in {share(right, len(rows))}. The first fix cured "
            f"{share(cured, len(rows))}. {len(applied) - by_hand - filled} "
            "fixes were applied as they are printed; of "
            f"{filled} the setting is printed and the amount is the lab's; "
            f"{by_hand} are a change of the program, made by hand as the "
            "steps say.\n")


def table(columns, rows):
    lines = [columns, ["---"] * len(columns)] + rows
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def predictions(rows):
    if not rows:
        return ""
    near = sum(float(row[4].rstrip("%")) <= 100 * WITHIN for row in rows)
    return (f"\n## Numbers of the report, and measured\n\nWithin {WITHIN:.0%}: "
            f"{share(near, len(rows))}.\n\n" + table(NUMBERS, rows))


def not_run(results):
    left = [r for r in results if r.outcome == "not run"]
    if not left:
        return ""
    return "\n## Not run\n\n" + "".join(
        f"- {r.failure.name}: {r.why}\n" for r in left)


def page(results, kept=None):
    """The page; with `kept`, the rows of a page, those beside the results."""
    old_rows, old_numbers = kept or ([], [])
    ran = [r for r in results if r.outcome != "not run"]
    rows = merged(old_rows, [cells(r) for r in ran])
    numbers = merged(old_numbers, [one for r in ran for one in number_cells(r)])
    counts = Counter(row[5] for row in rows)
    return (HEAD + summary(rows) + "\nOutcomes: " + ", ".join(
        f"{name} {n}" for name, n in sorted(counts.items())) + ".\n" +
        "\n## Failures\n\n" + table(COLUMNS, rows) + predictions(numbers) +
        not_run(results))
