#!/usr/bin/env python3
"""Do the tests notice when the program is wrong?

    mutants.py [--count N] [--seed N] [--jobs N]

Draws N places of src/ at random, makes each wrong in a small way (`<` becomes
`<=`, `true` false, 8 becomes 9 ...), builds, and runs the tests until one
fails: those of the same house, then all programs, then the scripts. A mutant
that no test kills is shown. All of it happens in a copy of the last commit,
build/mutants/. A test that fails without a mutant as well kills none. Some
mutants mean the same as what they replace: all killed is out of reach, nine in
ten is not.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path("build/mutants").resolve()
LIMIT_SECONDS = 900
MEMORY_BYTES = 8 << 30
SWAPS = {"<=": "<", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         " < ": " <= ", " > ": " >= ", " + ": " - ", " - ": " + ",
         " * ": " / ", "++": "--", "+=": "-=", "-=": "+=", "true": "false",
         "false": "true", "continue;": "break;", "break;": "continue;"}
PLACE = re.compile("|".join(
    [rf"\b{re.escape(w)}" if w[0].isalpha() else re.escape(w)
     for w in sorted(SWAPS, key=len, reverse=True)] + [r"\b\d+\b"]))
# What is no code: comments, strings, characters, lines of the preprocessor.
NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
                     r"|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
# These look at the sources, or at what is no program.
SKIPPED = ("tests/tools/", "tests/install/", "tests/gpu/", "tests/bench/")


def sh(tree, command, env=None):
    """(did it succeed, what it said)"""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        done = subprocess.run(
            command, cwd=tree, stdout=subprocess.PIPE, check=False,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env=dict(os.environ, **(env or {})), timeout=LIMIT_SECONDS,
            preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return False, "timed out"
    return done.returncode == 0, done.stdout.decode(errors="replace")


def build(tree, jobs, *targets):
    return sh(tree, ["make", f"-j{jobs}", "CFLAGS=-O1 -g", *targets])


def passes(tree, test):
    if test.endswith((".py", ".sh")):
        program = [sys.executable, test] if test.endswith(".py") else [test]
        return sh(tree, program, {"OOMKB": "build/oomkb", "PYTHON": sys.executable,
                                  "OOMKB_SAN": "build/oomkb",
                                  "XDG_DATA_HOME": "/nowhere"})[0]
    return sh(tree, [test])[0]


class Tests:
    def __init__(self, good, jobs):
        self.good, self.jobs, self.sound = good, jobs, {}
        names = sorted(str(p.relative_to(good))
                       for p in good.glob("tests/*/*") if p.is_file())
        self.programs = [f"build/{n[:-2]}" for n in names
                         if re.search(r"/test_\w+\.c$", n)]
        self.scripts = [n for n in names if not n.startswith(SKIPPED)
                        and re.search(r"_check\.(py|sh)$", n)]

    def is_sound(self, test):
        """It passes where nothing is wrong."""
        if test not in self.sound:
            if test.startswith("build/"):
                build(self.good, self.jobs, test)
            self.sound[test] = passes(self.good, test)
        return self.sound[test]

    def killer(self, tree, tests):
        """The first of them to fail."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {pool.submit(passes, tree, t): t for t in tests}
            for done in concurrent.futures.as_completed(running):
                test = running[done]
                if not done.result() and self.is_sound(test):
                    for other in running:
                        other.cancel()
                    return test
        return None

    def kill(self, tree, house):
        """Who notices; None: nobody."""
        near = [t for t in self.programs if f"/{house}/" in t]
        far = [t for t in self.programs if t not in near]
        for group in (near, far):
            is_built, said = build(tree, self.jobs, *group)
            if not is_built:
                return "the build: " + said.strip().splitlines()[-1]
            found = self.killer(tree, group)
            if found:
                return found
        is_built, said = build(tree, self.jobs, "all")
        if not is_built:
            return "the build: " + said.strip().splitlines()[-1]
        return self.killer(tree, self.scripts)


def places(text):
    holes = [m.span() for m in NO_CODE.finditer(text)]
    for m in PLACE.finditer(text):
        if not any(a <= m.start() < b for a, b in holes):
            yield m


def wrong(word):
    return SWAPS[word] if word in SWAPS else str(int(word) + 1)


def draw(tree, rng):
    """A file, its text, and the same with one thing wrong."""
    files = sorted(tree.glob("src/*/*.c"))
    while True:
        path = rng.choices(files, [f.stat().st_size for f in files])[0]
        text = path.read_text()
        found = list(places(text))
        if found:
            m = rng.choice(found)
            return path, text, m, (text[:m.start()] + wrong(m.group()) +
                                   text[m.end():])


def tree_of(name):
    """The last commit, with what an earlier run built of it."""
    tree = ROOT / name
    tree.mkdir(parents=True, exist_ok=True)
    for old in tree.iterdir():
        if old.name != "build":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    packed = subprocess.Popen(["git", "archive", "HEAD"], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", tree], stdin=packed.stdout, check=True)
    return tree


def main():
    read = argparse.ArgumentParser(usage=__doc__)
    read.add_argument("--count", type=int, default=60)
    read.add_argument("--seed", type=int, default=random.randrange(10**6))
    read.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    known = read.parse_args()
    rng = random.Random(known.seed)
    print(f"seed {known.seed}", flush=True)
    good, tree = tree_of("good"), tree_of("tree")
    for each in (good, tree):
        is_built, said = build(each, known.jobs, "all")
        if not is_built:
            sys.exit(said)
    tests = Tests(good, known.jobs)
    killed = tried = 0
    while tried < known.count:
        path, text, m, mutant = draw(tree, rng)
        name = str(path.relative_to(tree))
        path.write_text(mutant)
        if build(tree, 1, "build/obj/" + name[4:-2] + ".o")[0]:
            tried += 1
            found = tests.kill(tree, path.parent.name)
            killed += found is not None
            line = text.count("\n", 0, m.start()) + 1
            print(f"{'killed' if found else 'LIVES '} {name}:{line}: "
                  f"{m.group().strip()} -> {wrong(m.group()).strip()}: "
                  f"{found or text.splitlines()[line - 1].strip()}", flush=True)
        path.write_text(text)
    print(f"{killed} of {tried} killed")
    sys.exit(killed * 10 < tried * 9)


if __name__ == "__main__":
    main()
