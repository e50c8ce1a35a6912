#!/usr/bin/env python3
"""Every command of the README, copied and run in a copy.

What stands in a ```sh block is run line by line, in order, in a copy of the
tree with what is built; with OOMKB_ALL=1 in one where nothing is, so that
`make` makes it. The environment is clean. A line passes when it exits 0 and says
something. The answer that stands in the README is the program's, word for word.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap


def commands(readme):
    for block in re.findall(r"^```sh\n(.*?)^```", readme, re.M | re.S):
        yield from (line for line in block.splitlines() if line.strip())


def copy_tree(to):
    """As it stands now; git may not be here."""
    shutil.copytree(".", to, ignore=shutil.ignore_patterns(
        "build", ".git", "__pycache__"))
    if not os.environ.get("OOMKB_ALL"):
        shutil.copytree("build", to / "build", ignore=shutil.ignore_patterns(
            *(path.name for path in pathlib.Path("build").iterdir()
              if path.is_dir() and path.name != "obj")))


def lint_faults(readme, program):
    """The finding in the README is the last one about this file, renamed."""
    shown = re.search(r"^    compose.yml.*?\n(?=\n)", readme, re.M | re.S)[0]
    run = subprocess.run(
        [program, "lint", "--gpu", "RTX 4090", "tests/lint/too-long.yml"],
        capture_output=True, check=False, env={"COLUMNS": "80"})
    said = run.stdout.decode().replace("tests/lint/too-long", "compose")
    said = textwrap.indent(said[said.rindex("compose.yml:"):], "    ")
    return [] if said == shown else [f"README shows another finding than\n{said}"]


def example_faults(readme, program):
    """The answer in the README is the one that the program gives."""
    shown = re.search(r"^\$ oomkb < crash.log\n(.*?)^```", readme,
                      re.M | re.S)[1]
    log = pathlib.Path("examples/vllm-long-context.log").read_bytes()
    said = subprocess.run([program], input=log, stdout=subprocess.PIPE,
                          check=False, env={"COLUMNS": "80"}).stdout.decode()
    return [] if said == shown else [f"README shows another answer than\n{said}"]


def main():
    readme = pathlib.Path("README.md").read_text()
    program = os.environ.get("OOMKB", "build/oomkb")
    faults = example_faults(readme, program) + lint_faults(readme, program)
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        clone = pathlib.Path(folder) / "oomkb"
        copy_tree(clone)
        env = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8",
               "CC": os.environ.get("CC", "gcc")}
        for line in [*commands(readme), "make help"]:
            count += 1
            run = subprocess.run(line, shell=True, cwd=clone, env=env,
                                 capture_output=True, check=False,
                                 stdin=subprocess.DEVNULL)
            said = (run.stdout + run.stderr).decode(errors="replace")
            if run.returncode != 0 or not said.strip():
                faults.append(f"{line}\n  exit {run.returncode}: "
                              f"{said.strip()[-400:]}")
    print("\n".join(faults))
    sys.exit(1 if faults or count < 10 else 0)


if __name__ == "__main__":
    main()
