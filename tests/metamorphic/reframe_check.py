#!/usr/bin/env python3
"""Every sample log as somebody else would hand it in: the same findings.

The log of each entry is put into the frames of launchers, collectors and those
who paste (a table below), wrapped at blanks and cut inside of words, before and
behind a frame. The same entries must answer in the same roles, with the same
facts out of the log. Frames have to leave everything as it was. Where a line
was wrapped, a word may be gone for good, or the name that a sample's own frame
gave; so of each kind a share is asked for, and the shares are printed. Each
frame meets a fifth of the samples, with OOMKB_ALL=1 all. SHOW=1 names what
differs.
Run from the top of the repository; OOMKB names the program.
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from many import ALL, is_asked, reports_of  # noqa: E402

PROGRAM = os.environ.get("OOMKB", "build/oomkb")
FEW = 2  # faults by which a part may be worse than the whole
# What frames themselves say, and what says where a line stands.
OF_FRAMES = {"rank", "pid", "container", "pod", "process_name", "gpu_count",
             "job_id"}
# A label is believed behind the first line that proves it.
PROOF = re.compile(r"Traceback \(most recent call last\)|  File \"|"
                   r"[\w.]*(?:Error|Exception): ")


def before(prefix):
    return lambda lines: [prefix + line for line in lines]


def record(**rest):
    """A JSON object a line; the line stands where rest says MESSAGE."""
    text = json.dumps(rest)
    return lambda lines: [text.replace('"MESSAGE"', json.dumps(line))
                          for line in lines]


def docker(lines):
    return [json.dumps({"log": line + "\n", "stream": "stderr", "time": "x"})
            for line in lines]


CARRIERS = {
    "kubectl": before("[pod/llm-0/server] "),
    "docker compose": before("web-1  | "),
    "pm2": before("0|llm     | "),
    "CRI": before("2026-01-01T00:00:00.123456789Z stderr F "),
    "docker": docker,
    "fluentd": record(log="MESSAGE", stream="stderr",
                      kubernetes={"pod_name": "p"}),
    "journald": before("Jan 01 00:00:00 host llm[77]: "),
    "syslog": before("<13>Jan 01 00:00:00 host llm[77]: "),
    "syslog 5424": before("<13>1 2026-01-01T00:00:00.123Z host llm 77 - - "),
    "e-mail": before("> "),
    "e-mail, answered": before("> > "),
    "colours": lambda lines: [f"\x1b[36m{line}\x1b[0m" for line in lines],
    "Windows": lambda lines: [line + "\r" for line in lines],
}
RANKS = {
    "torchrun": before("[default0]:"),
    "PyTorch": before("[rank0]: "),
    "Megatron": before("[Rank 3] "),
    "Lightning": before("[rank: 0] "),
    "mpirun": before("[1,0]<stderr>:"),
    "mpirun 5": before("[prterun-node1-77@1,0]<stderr>: "),
    "SageMaker": before("[1,mpirank:0,algo-1]<stderr>:"),
    "SkyPilot": before("(head, rank=0, pid=1234) "),
    "Ray": before("(train_func pid=402, ip=10.0.0.2) "),
}
RECORDS = {
    "SGLang": before("[2026-01-01 00:00:00 TP0] "),
    "SGLang, all": before("[2026-01-01 00:00:00 DP1 PP0 TP3 EP3] "),
    "a clock": before("[2026-01-01 00:00:00] "),
    "GitHub Actions": before("2026-01-01T00:00:00.1234567Z "),
    "gh run view": before("gpu\tRun tests\t2026-01-01T00:00:00.1234567Z "),
    "logcli": before('2026-01-01T00:00:00Z {app="llm", pod="x-0"} '),
    "CloudWatch": record(timestamp=1, message="MESSAGE", logStreamName="s"),
    "CloudWatch Insights": record(**{"@timestamp": "x", "@message": "MESSAGE"}),
    "Datadog": record(ddsource="python", service="llm", message="MESSAGE"),
    "Datadog's export": record(id="x", attributes={"message": "MESSAGE"}),
    "Google Cloud": record(textPayload="MESSAGE", insertId="x"),
    "OpenTelemetry": record(body={"stringValue": "MESSAGE"}, severityText="E"),
    "Elastic": record(_index="x", _source={"message": "MESSAGE"}),
    "a logger": before("2026-01-01 00:00:00,123 - llm.worker - ERROR - "),
}
LABELS = {
    "pdsh": before("node1: "),
    "pdsh and PyTorch": before("10.0.0.12: [rank0]: "),
    "srun": before("0: "),
    "stern": before("llm-7d9f8b6c5-x2x4z server "),
    "grep": lambda lines: [f"logs/train.log:{i}:{line}"
                           for i, line in enumerate(lines, 1)],
    "cat -n": lambda lines: [f"{i:6d}\t{line}"
                             for i, line in enumerate(lines, 1)],
    "ts": before("Jan 01 00:00:00 "),
    "MPICH": before("[0] "),
}
VLLM = {
    "the core": before("(EngineCore_0 pid=123) "),
    "a worker": before("(Worker_DP0_TP1_EP1 pid=123) "),
    "Ray's worker": before("(RayWorkerWrapper pid=402, ip=10.0.0.2) "),
    "a record": before("(EngineCore_0 pid=1) ERROR 01-01 00:00:00 "
                       "[core.py:515] "),
}


# ---- wrapped ----

def cut_at(width):
    def cut(lines):
        return [line[i:i + width] for line in lines
                for i in range(0, max(len(line), 1), width)]
    return cut


def fold_line(line, width):
    while len(line) > width:
        at = line.rfind(" ", 0, width + 1)
        if at < 0 or not line[:at].strip():
            at = line.find(" ", width)
        if at < 0:
            break
        yield line[:at]
        line = line[at + 1:]
    yield line


def fold_at(width):
    return lambda lines: [part for line in lines
                          for part in fold_line(line, width)]


def both(first, then):
    return lambda lines: then(first(lines))


CUTS = {f"cut at {n}": cut_at(n) for n in (80, 100, 120)}
FOLDS = {f"folded at {n}": fold_at(n) for n in (80, 100)}


def wrapped(wraps, frames, inner):
    """Each frame with each wrap, which is put on first or last."""
    return {f"{how}, {name}": both(wrap, frame) if inner
            else both(frame, wrap)
            for how, wrap in wraps.items() for name, frame in frames.items()}


def some(frames, *names):
    return {name: frames[name] for name in names}


def named_frames():
    return some(RANKS, "PyTorch", "torchrun") \
        | some(CARRIERS, "kubectl", "docker compose", "journald") \
        | some(RECORDS, "SGLang")


def kinds():
    """(kind, dresses, which samples, how many of a hundred at least)."""
    alone = {"": lambda lines: lines}
    folded = some(RANKS, "PyTorch") | some(CARRIERS, "kubectl", "docker")
    return [
        ("carriers", CARRIERS, None, 100),
        ("ranks", RANKS, None, 100),
        ("records", RECORDS, None, 99),
        ("labels", LABELS, "proved", 100),
        ("vLLM's own", VLLM, "vllm", 100),
        ("cut inside of words", wrapped(CUTS, alone, True), None, 97),
        ("folded at blanks", wrapped(FOLDS, alone, True), None, 93),
        ("framed, then cut", wrapped(CUTS, named_frames(), False), "third",
         96),
        ("framed, then folded", wrapped(FOLDS, named_frames(), False), "third",
         90),
        ("cut, then framed", wrapped(CUTS, folded, True), "third", 85),
        ("folded, then framed", wrapped(FOLDS, folded, True), "third", 84),
    ]


# ---- what is said ----

def samples():
    for path in sorted(pathlib.Path("entries").rglob("*.log")):
        if not path.name.endswith(".ok.log"):
            name = str(path.relative_to("entries"))[:-len(".log")]
            yield name, path.read_text().rstrip("\n").split("\n")


def said(report):
    return sorted((f["entry"], f["role"],
                   tuple(sorted({(fact["name"], str(fact["value"]))
                                 for fact in f["facts"]
                                 if fact["source"] == "log"
                                 and fact["name"] not in OF_FRAMES})))
                  for f in report["findings"])


def is_meant(which, name, lines):
    if which == "vllm":
        return name.startswith("vllm/")
    if which == "third":
        return sum(name.encode()) % 3 == 0
    return which is None or bool(PROOF.match(lines[0]))


def difference(old, new):
    if [x[:2] for x in old] != [x[:2] for x in new]:
        return f"{[x[:2] for x in old]} are now {[x[:2] for x in new]}"
    return next(f"facts of {x[0]} differ: {sorted(set(x[2]) ^ set(y[2]))}"
                for x, y in zip(old, new) if x != y)


def text_of(lines):
    return "\n".join(lines) + "\n"


def play(base, dresses, which):
    """How many were asked, and what was answered otherwise."""
    jobs = [(how, name, old, text_of(dress(lines)))
            for how, dress in dresses.items() for name, lines, old in base
            if is_meant(which, name, lines) and is_asked(name + how, 5)]
    found = reports_of(PROGRAM, [job[3] for job in jobs])
    return len(jobs), [f"{name} in {how or 'itself'}: "
                       f"{difference(old, said(report))}"
                       for (how, name, old, _), report in zip(jobs, found)
                       if said(report) != old]


def main():
    logs = list(samples())
    plain = reports_of(PROGRAM, [text_of(lines) for _, lines in logs])
    base = [(name, lines, said(report))
            for (name, lines), report in zip(logs, plain)]
    is_good = len(base) > 100
    for kind, dresses, which, least in kinds():
        asked, faults = play(base, dresses, which)
        worse = 0 if ALL or least == 100 else FEW
        is_enough = asked > 0 and \
            100 * (asked - len(faults) + worse) >= least * asked
        print(f"{kind}: {asked - len(faults)} of {asked} alike "
              f"({100 - 100 * len(faults) / max(asked, 1):.1f} %, at least "
              f"{least} %)")
        if not is_enough or os.environ.get("SHOW"):
            print("\n".join("    " + fault for fault in faults[:40]))
        is_good = is_good and is_enough
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
