"""What stands beside the bench: the generator of large corpora, and the
benches of single parts, where they are there."""
import importlib.util
import json
import os
import re
import subprocess
import sys

from measure import table

DROP_ROUNDS = 5
HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = [("scale_bench.py", "The scale of the corpus"),
         ("fit_bench.py", "`fit`, one question to one answer")]


def read_json(text):
    return json.loads(text.strip().splitlines()[-1])


def corpus(entries, folder):
    """A folder of so many entries; None: nobody makes them."""
    made = os.path.join(folder, f"corpus-{entries}")
    script = os.path.join(HERE, "corpus_gen.py")
    if not os.path.exists(script):
        return None
    subprocess.run([sys.executable, script, str(entries), made], check=True,
                   stdout=subprocess.DEVNULL)
    inner = os.path.join(made, "entries")
    return inner if os.path.isdir(inner) else made


def drop_refused(program, entries, index):
    """Checks grow stricter than the generator knows: what they refuse goes, so
    that the others can be measured. Returns what is wrong at last, or None."""
    said = ""
    for _ in range(DROP_ROUNDS):
        done = subprocess.run([program, "build", entries, "-o", index],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return None
        said = done.stderr
        refused = set(re.findall(r"^(\S+?)(?:\.ok)?\.(?:yaml|log):.*?\berror: ",
                                 said, re.M))
        for stem in refused:
            for suffix in (".yaml", ".log", ".ok.log", ".expect.json"):
                if os.path.exists(stem + suffix):
                    os.remove(stem + suffix)
    return (said.strip().splitlines() or ["no word"])[0]


def rows_of(script, program, words):
    """Its rows as a table; None: it has none."""
    done = subprocess.run([sys.executable, script, program, "--json", *words],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [f"{os.path.basename(script)} failed: "
                f"{(done.stderr.strip().splitlines() or ['no word'])[-1]}"]
    told = json.loads(done.stdout)
    rows = told["rows"] if isinstance(told, dict) else told
    if not rows:
        return None
    head = list(rows[0])
    return table([f"{h.replace('_', ' ')}:" for h in head],
                 [[row.get(h, "") for h in head] for row in rows])


def fit_part(program):
    """fit_bench.py asks the library in its own process."""
    spec = importlib.util.spec_from_file_location(
        "fit_bench", os.path.join(HERE, "fit_bench.py"))
    fit_bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fit_bench)
    library = os.path.join(os.path.dirname(program), "liboomkb.so")
    return fit_bench.page(fit_bench.rows(library)).splitlines()


def parts(program, entries, mib):
    """entries: sizes of corpora beside one of 300; none of them: no scale."""
    out = []
    sizes = ",".join(str(n) for n in [300, *entries])
    for name, title in PARTS:
        script = os.path.join(HERE, name)
        if not os.path.exists(script) or ("scale" in name and not entries):
            continue
        told = fit_part(program) if "fit" in name else \
            rows_of(script, program, ["--sizes", sizes, "--mib", str(mib)])
        if told:
            out += ["", f"## {title}", ""] + told
    return out
