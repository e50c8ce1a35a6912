"""First runs on logs that nobody had seen, from unseen.tsv beside this file:
counts per batch and over all of them, and the section of docs/ACCURACY.md.
Nothing is run here: what a program answered before it was mended cannot be
asked again."""
import collections
import pathlib

TABLE = pathlib.Path(__file__).parent / "unseen.tsv"
COLUMNS = ("batch", "address", "positive", "component_label",
           "mechanism_label", "found", "component", "mechanism", "numbers",
           "first_fix")
# What is counted on failures, in order: (column, how it is called)
LINES = [("found", "failures found"), ("component", "right component"),
         ("mechanism", "right mechanism"), ("numbers", "numbers exact"),
         ("first_fix", "first fix sensible")]

SECTION = """## Logs that nobody here had seen

The first runs on {failures} failures and {healthy} near misses from public
threads, labelled before the program was run on them. The sample is small and
one reader labelled each batch, mostly from short excerpts. A failure that was
not found counts as wrong in every line. These are the figures from before the
misses were mended; `tests/eval/unseen.tsv` has the address and the outcome of
every log. Batch A is inference engines; B is hosts, schedulers, training
frameworks and libraries for data; C is PyTorch of all ages in scripts,
notebooks and applications, C2 more of it once the misses of C were mended; D is
serving and local inference once more, in single lines and short cuts. Those
marked cited are from threads that an entry cites, so that its author had read
them: they stand apart from the first column.

| | {batches} |
| --- | {rules} |
{lines}
"""


def rows():
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) != len(COLUMNS):
                raise ValueError(f"{TABLE.name}: {len(cells)} columns: {line}")
            yield dict(zip(COLUMNS, cells))


def parts_of(cell):
    """(right, asked) of one cell: yes, no, 3/4, or - for not scored."""
    if cell == "-":
        return 0, 0
    if "/" in cell:
        right, asked = cell.split("/")
        return int(right), int(asked)
    return {"yes": 1, "no": 0}[cell], 1


def share(right, asked):
    return f"{right}/{asked} {100 * right / asked:.1f} %" if asked else "-"


def counts(table):
    """{column: [right, asked]}, with `silent` for the near misses."""
    total = collections.defaultdict(lambda: [0, 0])
    for row in table:
        if row["positive"] == "no":
            total["silent"][0] += row["found"] == "no"
            total["silent"][1] += 1
            continue
        for column, _ in LINES:
            for i, n in enumerate(parts_of(row[column])):
                total[column][i] += n
    return total


def section():
    table = list(rows())
    batches = sorted({row["batch"] for row in table})
    uncited = [row for row in table if not row["batch"].endswith("-cited")]
    groups = [("all uncited", uncited)] if len(batches) != 1 else []
    groups += [(b, [r for r in table if r["batch"] == b]) for b in batches]
    totals = [counts(group) for _, group in groups]
    lines = [f"| {called} | " + " | ".join(
        share(*total[column]) for total in totals) + " |"
        for column, called in LINES + [("silent", "near misses silent")]]
    failures = sum(row["positive"] == "yes" for row in table)
    return SECTION.format(
        failures=failures, healthy=len(table) - failures,
        batches=" | ".join(f"batch {name}" if name in batches else name
                           for name, _ in groups),
        rules=" | ".join("---" for _ in groups), lines="\n".join(lines))
