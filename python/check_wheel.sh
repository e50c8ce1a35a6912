#!/bin/sh
# check_wheel.sh WHEEL PYTHON...: the wheel, installed alone into a new virtual
# environment of each Python, answers.
set -eu
wheel=$(readlink -f "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for python in "$@"; do
    "$python" -m venv "$work/venv"
    "$work/venv/bin/pip" -q install --no-index --no-deps "$wheel"
    (cd "$work" && env -u OOMKB_LIBRARY venv/bin/python -c '
import platform, oomkb
report = oomkb.diagnose("slurmstepd: error: Detected 1 oom_kill event in "
                        "StepId=7.0. Some of the step tasks have been OOM Killed.")
assert report.findings[0]["entry"] == "slurm/oom-kill", report.findings
assert oomkb.fit(model="Qwen/Qwen2.5-7B-Instruct", engine="vllm",
                 gpu_name="H100")["verdict"] != "unknown"
print("ok   Python", platform.python_version(), "oomkb", oomkb.version())
')
    rm -rf "$work/venv"
done
