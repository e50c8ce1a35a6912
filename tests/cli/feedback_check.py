#!/usr/bin/env python3
"""`oomkb feedback`: what a fix did for a user is kept, moves that fix at once,
is said in the report, and leaves as a file for a pull request.

Run from the top of the repository; OOMKB names the program. The user's data
directory is a folder of this test.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
LOG = "examples/vllm-long-context.log"
ENTRY = "vllm/kv-cache-too-small"
FAULTS = []


def expect(is_true, what):
    if not is_true:
        FAULTS.append(what)


class User:
    """One user's data directory."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.file = self.folder / "oomkb" / "feedback.txt"

    def run(self, *args, **env):
        environment = {k: v for k, v in os.environ.items() if k != "HOME"}
        environment |= {"XDG_DATA_HOME": str(self.folder), "LANG": "C"} | env
        return subprocess.run([PROGRAM, *args], env=environment, text=True,
                              capture_output=True, check=False, timeout=60)

    def fixes(self):
        report = json.loads(self.run("--format", "json", LOG).stdout)
        finding = report["findings"][0]
        expect(finding["entry"] == ENTRY, f"{LOG}: {finding['entry']}")
        return finding["fixes"]


def of(fixes, name):
    return next(f for f in fixes if f["id"] == name)


def ranking_moves(user):
    before = user.fixes()
    first, second = before[0]["id"], before[1]["id"]
    expect(all("own" not in f for f in before), "own before any report")
    done = user.run("feedback", ENTRY, first, "failed", "--note", "still\nshort")
    expect(done.returncode == 0, f"feedback failed: {done.stderr}")
    after = user.fixes()
    expect(of(after, first)["rank"] > 1, "a fix that failed is still first")
    expect(of(after, first)["own"] == {"worked": 0, "failed": 1,
                                       "mean": of(after, first)["own"]["mean"]},
           f"own: {of(after, first)['own']}")
    expect(of(after, first)["success"] == before[0]["success"],
           "the reports of others changed with one's own")
    text = user.run("--why", LOG).stdout
    expect("Your own reports: 0 worked, 1 failed." in " ".join(text.split()),
           "the report does not say what is the user's own")
    zh = user.run("--lang", "zh", "--why", LOG).stdout
    expect("你自己的反馈：0 次有效，1 次无效" in zh, "nor in Chinese")
    markdown = user.run("--format", "markdown", LOG).stdout
    expect("Your own reports: 0 worked, 1 failed" in markdown,
           "nor in Markdown")
    for _ in range(2):
        user.run("feedback", ENTRY, first, "worked")
    moved = user.fixes()
    expect(of(moved, first)["rank"] == 1, "two of three worked: not first")
    mean = of(moved, first)["own"]["mean"]
    expect(0.4 < mean < 0.85, f"two of three, drawn towards others: {mean}")
    user.run("feedback", "--undo", ENTRY, first, "worked")
    user.run("feedback", "--undo", ENTRY, first)
    user.run("feedback", "--undo", ENTRY, first)
    expect([f["id"] for f in user.fixes()] == [f["id"] for f in before],
           "taking everything back leaves another order")
    gone = user.run("feedback", "--undo", ENTRY, second)
    expect(gone.returncode == 2 and gone.stderr.count("\n") == 1,
           "undo of nothing")


def mistakes_are_told(user):
    cases = [
        (("vllm/kv-cache-to-small", "x", "worked"), "vllm/kv-cache-too-small"),
        (("kv-cache-too-smal", "x", "worked"), "vllm/kv-cache-too-small"),
        ((ENTRY, "lower-max-len", "worked"), "lower-max-model-len"),
        ((ENTRY, "lower-max-model-len", "perhaps"), "worked|failed"),
        ((ENTRY,), "worked|failed"),
    ]
    for args, named in cases:
        run = user.run("feedback", *args)
        expect(run.returncode == 2 and run.stdout == ""
               and run.stderr.count("\n") == 1 and named in run.stderr,
               f"feedback {args}: {run.returncode} {run.stderr!r}")
    run = user.run("feedback", "no/such", "x", "worked", "--format", "json")
    expect(json.loads(run.stdout)["error"]["code"] == "usage", "JSON error")
    nowhere = subprocess.run([PROGRAM, "feedback", "list"], env={},
                             text=True, capture_output=True, check=False)
    expect(nowhere.returncode == 2 and "HOME" in nowhere.stderr, "no HOME")
    relative = user.run("feedback", "list", XDG_DATA_HOME="here")
    expect(relative.returncode == 2, "a relative XDG_DATA_HOME counts for none")


def nothing_is_lost(user):
    user.file.parent.mkdir(parents=True, exist_ok=True)
    mine = ("# mine\n2026-01-02 worked vllm/gone old-fix  a note\n"
            "not a report\n2026-13-77 maybe\n")
    user.file.write_text(mine)
    run = user.run("feedback", ENTRY, "fp8-kv-cache", "worked")
    expect(run.returncode == 0, run.stderr)
    expect(user.file.read_text().startswith(mine), "lines were lost")
    listed = user.run("feedback", "list")
    expect("left unchanged: 2" in listed.stderr, listed.stderr)
    report = user.run("--format", "json", LOG)
    expect(json.loads(report.stdout)["findings"], "an odd file stops diagnose")
    before = user.file.read_bytes()
    jobs = [subprocess.Popen(
        [PROGRAM, "feedback", ENTRY, "fp8-kv-cache", "worked", "--note", str(i)],
        env=os.environ | {"XDG_DATA_HOME": str(user.folder)},
        stdout=subprocess.DEVNULL) for i in range(8)]
    expect(all(job.wait() == 0 for job in jobs), "eight at once")
    added = user.file.read_bytes()
    expect(added.startswith(before) and added.count(b"fp8-kv-cache") == 9,
           f"eight at once: {added.decode()}")
    user.file.write_bytes(before[:-1])  # an editor left no newline
    user.run("feedback", ENTRY, "fp8-kv-cache", "failed")
    expect(user.file.read_text().count("\n") == before.count(b"\n") + 1,
           "a report was joined to the line above it")
    stray = [p.name for p in user.file.parent.iterdir()
             if p.name not in ("feedback.txt", "feedback.txt.lock")]
    expect(not stray, f"left behind: {stray}")


def export_is_yaml(user):
    user.file.parent.mkdir()
    user.file.write_text(
        f"2026-01-02 worked {ENTRY} fp8-kv-cache  4k: fine\n"
        f"2026-01-03 failed {ENTRY} lower-max-model-len\n"
        f"2026-01-04 failed {ENTRY} fp8-kv-cache\n"
        "2026-01-05 worked pytorch/cuda-oom-forward x  # ]}\n")
    text = user.run("feedback", "export").stdout
    made = yaml.safe_load(text)
    expect(list(made) == ["pytorch/cuda-oom-forward", ENTRY], list(made))
    fix = made[ENTRY]["workarounds"][0]
    expect(fix == {"id": "fp8-kv-cache", "success": {
        "basis": "reports", "worked": 1, "tried": 2, "links": []}}, fix)
    expect("# 2026-01-02 worked: 4k: fine" in text, "the note is missing")
    out = user.folder / "out.yaml"
    user.run("feedback", "export", "-o", str(out))
    expect(out.read_text() == text, "-o writes something else")
    listed = json.loads(user.run("feedback", "list", "--format", "json").stdout)
    expect(len(listed["reports"]) == 4 and listed["reports"][0]["note"]
           == "4k: fine", listed)
    user.file.unlink()
    expect(user.run("feedback", "export").returncode == 2, "nothing to export")
    expect(user.run("feedback", "list").returncode == 0, "an empty list")


def nothing_is_waited_for(user):
    """A pipe in its place is told of, in one line; logs are still answered."""
    user.file.parent.mkdir(parents=True)
    os.mkfifo(user.file)
    for args in (("feedback", "list"), ("feedback", ENTRY, "fp8-kv-cache",
                                        "worked")):
        run = user.run(*args)
        expect(run.returncode == 2 and run.stderr.count("\n") == 1
               and "not a regular file" in run.stderr,
               f"a pipe, {args}: {run.returncode} {run.stderr!r}")
    run = user.run("--format", "json", LOG)
    expect(json.loads(run.stdout)["findings"], "a pipe stops diagnose")
    expect(run.stderr.count("\n") == 1, f"a pipe: {run.stderr!r}")


def main():
    for check in (ranking_moves, mistakes_are_told, nothing_is_lost,
                  export_is_yaml, nothing_is_waited_for):
        with tempfile.TemporaryDirectory() as folder:
            check(User(folder))
    print("\n".join(FAULTS))
    sys.exit(1 if FAULTS else 0)


if __name__ == "__main__":
    main()
