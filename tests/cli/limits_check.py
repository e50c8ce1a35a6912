#!/usr/bin/env python3
"""What is one more than a ceiling of src/base/limits.h is refused by one line
that says the ceiling, and the ceiling itself is not."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
MIB = 1 << 20


def limits():
    """The name of each ceiling, and its number."""
    text = pathlib.Path("src/base/limits.h").read_text()
    found = {}
    for name, value in re.findall(r"^#define (\w+_MAX) (.+)$", text, re.M):
        value = re.sub(r"\((size_t|uint64_t|off_t)\)|U?INT64_C", "", value)
        found[name] = eval(value, {"__builtins__": {}}, dict(found))
    return found


def run(*words, text=""):
    done = subprocess.run([PROGRAM, "--lang", "en", *words], input=text,
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def times(n, *words):
    return list(words) * n


def of_size(folder, bytes_):
    path = folder / "large.sh"
    with path.open("wb") as out:
        out.truncate(bytes_)
    return str(path)


def facts_of_a_call(n):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "diagnose_log", "arguments": {"log": "CUDA out of memory",
                                          "facts": ["gpu_count=1"] * n}}}
    return json.dumps(call) + "\n"


def cases(folder):
    """The ceiling, and the words that ask for so many."""
    fit = ["fit", "--model", "meta-llama/Llama-3.1-8B"]
    return {
        "TOP_MAX": lambda n: ["--top", str(n), "-"],
        "JOBS_MAX": lambda n: ["--jobs", str(n), "-"],
        "APPLY_MAX": lambda n: ["run", "--apply", str(n), "--", "true"],
        "CLI_ANSWERS_MAX": lambda n: times(n, "--set", "gpu_count=2") + ["-"],
        "CLI_KBS_MAX": lambda n: times(n, "--kb", "built-in") + ["list"],
        "CLI_ENV_FILES_MAX":
            lambda n: ["lint"] + times(n, "--env-file", os.devnull) + ["-"],
        "FIT_COUNT_MAX": lambda n: fit + ["--gpus", str(n)],
        "FIT_REQUESTS_MAX": lambda n: fit + ["--concurrency", str(n)],
        "FIT_COLUMNS_MAX": lambda n: fit + [
            "--gpu", "H100", "--compare",
            "tp=" + ",".join(str(i + 1) for i in range(n))],
        "MODEL_FILE_BYTES_MAX":
            lambda n: ["fit", "--config", of_size(folder, n)],
        "DRAFT_LOG_BYTES_MAX": lambda n: ["new", of_size(folder, n)],
        "LINT_FILE_BYTES_MAX": lambda n: ["lint", of_size(folder, n)],
        "FEEDBACK_NOTE_BYTES_MAX": lambda n: [
            "feedback", "vllm/no-memory-for-kv-cache", "nothing", "worked",
            "--note", "a" * n],
    }


def says(line, limit):
    numbers = [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", line)]
    return limit in numbers or limit / MIB in numbers


def main():
    failed = []

    def expect(right, name, *what):
        if not right:
            failed.append(f"{name}: " + " ".join(str(w) for w in what))

    limit_of = limits()
    source = " ".join(p.read_text() for p in pathlib.Path("src").rglob("*.[ch]")
                      if p.name != "limits.h")
    words = set(re.findall(r"\w+_MAX", source))
    expect(words >= set(limit_of), "asked by nobody", set(limit_of) - words)
    with tempfile.TemporaryDirectory() as folder:
        for name, words in cases(pathlib.Path(folder)).items():
            limit = limit_of[name]
            code, out, err = run(*words(limit + 1))
            lines = err.splitlines()
            expect(code == 2, name, "exit", code, out[-200:])
            expect(lines and says(lines[0], limit), name, "said", err)
            _, _, err = run(*words(limit))
            expect(err.splitlines()[:1] != lines[:1], name,
                   "the ceiling itself:", err)
    name = "MCP_FACTS_MAX"
    _, over, _ = run("mcp", text=facts_of_a_call(limit_of[name] + 1))
    _, full, _ = run("mcp", text=facts_of_a_call(limit_of[name]))
    expect(says(over, limit_of[name]) and "isError\":true" in
           over.replace(" ", ""), name, "said", over[:300])
    expect("at most" not in full[:300], name, "the ceiling itself", full[:300])
    print(f"limits: {len(cases(None)) + 1} ceilings, {len(failed)} failed")
    for line in failed:
        print(" ", line)
    return 1 if failed else 0


sys.exit(main())
