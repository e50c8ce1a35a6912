#!/usr/bin/env python3
"""The Slurm recipe with Slurm itself: an array of 20 jobs on this machine, some
of which die of memory, of text that only looks like it, of time, or not at
all. Every verdict of the epilog has to be right, and it takes less than a
second and never fails.

Needs root, slurmctld, slurmd and munged (Debian: slurm-wlm, munge). Takes about
two minutes. OOMKB names the program. Run from the top of the repository.
"""
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
EPILOG = os.path.abspath("examples/slurm/epilog.sh")
PROLOG = os.path.abspath("examples/slurm/prolog.sh")
TOOLS = ("slurmctld", "slurmd", "munged", "sbatch", "scontrol")
LIMIT_SECONDS = 240

CONF = """
ClusterName=recipe
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/ctld.pid
SlurmdPidFile={dir}/d.pid
SlurmctldLogFile={dir}/ctld.log
SlurmdLogFile={dir}/d.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
KillWait=2
MinJobAge=600
ReturnToService=2
Prolog={dir}/prolog.sh
Epilog={dir}/epilog.sh
NodeName={host} NodeAddr=127.0.0.1 CPUs=20 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=10 State=UP OverSubscribe=NO
"""

# What a task does, and what is to be said of it.
KINDS = {
    0: ("memory", """
import time
held = []
for step in range(60):
    held.append(bytearray(b"x") * (20 << 20))
    time.sleep(0.1)
time.sleep(20)
"""),
    1: ("memory", """
import sys
print("step 12 loss 1.94")
print("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
      "GPU 0 has a total capacity of 23.69 GiB of which 1.13 GiB is free. "
      "Process 4711 has 22.55 GiB memory in use. Of the allocated memory "
      "20.00 GiB is allocated by PyTorch, and 2.00 GiB is reserved by PyTorch "
      "but unallocated.", file=sys.stderr)
sys.exit(1)
"""),
    2: ("other", """
import sys
print("usage: train.py [--batch N]   a smaller batch helps when memory is low")
print("loaded the page cache, memory usage 61 %", flush=True)
print("KeyError: 'memory'", file=sys.stderr)
sys.exit(1)
"""),
    3: ("other", "import time; print('epoch 1', flush=True); time.sleep(600)"),
    4: ("ended", "print('CUDA out of memory was caught, batch halved; done')"),
}


def wrapper(folder, name, recipe):
    """The recipe, with its time and its exit status written down."""
    path = folder / name
    path.write_text(f"""#!/bin/bash
export OOMKB={OOMKB} OOMKB_LOG={folder}/verdicts.log
export PATH=/usr/sbin:/usr/bin:/sbin:/bin SLURM_CONF={folder}/slurm.conf
began=$(date +%s%N)
{recipe}
status=$?
echo "{name} $(( ($(date +%s%N) - began) / 1000000 )) $status" \
    >> {folder}/times.log
exit $status
""")
    path.chmod(0o755)


def slurm(folder, *words):
    return subprocess.run(words, check=True, capture_output=True, text=True,
                          env={**os.environ,
                               "SLURM_CONF": f"{folder}/slurm.conf"}).stdout


def start(folder):
    host = socket.gethostname().split(".")[0]
    (folder / "slurm.conf").write_text(CONF.format(dir=folder, host=host))
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    for name in ("state", "spool", "out", "munge"):
        (folder / name).mkdir()
    key = folder / "munge" / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    (folder / "munge").chmod(0o700)
    (folder / "out").chmod(0o777)
    folder.chmod(0o755)
    wrapper(folder, "epilog.sh", EPILOG)
    wrapper(folder, "prolog.sh", PROLOG)
    munged = subprocess.Popen(
        ["munged", "-F", "--force", f"--key-file={key}",
         f"--socket={folder}/munge.sock", f"--pid-file={folder}/munge/pid",
         f"--log-file={folder}/munge/log", f"--seed-file={folder}/munge/seed"],
        stderr=subprocess.DEVNULL)
    conf = folder / "slurm.conf"
    conf.write_text(conf.read_text().replace(
        "AuthType=auth/munge",
        f"AuthType=auth/munge\nAuthInfo=socket={folder}/munge.sock"))
    time.sleep(1)
    env = {**os.environ, "SLURM_CONF": str(conf)}
    daemons = [munged] + [
        subprocess.Popen([name, "-D", *more], env=env,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name, more in (("slurmctld", ["-c"]), ("slurmd", ["-N", host]))]
    for _ in range(60):
        time.sleep(1)
        if "idle" in subprocess.run(["sinfo", "-h", "-o", "%T"], env=env,
                                    check=False, capture_output=True,
                                    text=True).stdout:
            return daemons
    for name in ("ctld.log", "d.log"):
        if (folder / name).exists():
            print((folder / name).read_text()[-2000:])
    raise RuntimeError("Slurm did not come up")


def job_file(folder):
    for kind, (_, code) in KINDS.items():
        (folder / f"kind{kind}.py").write_text(code)
    path = folder / "job.sh"
    path.write_text(f"""#!/bin/sh
#SBATCH --array=0-19 --mem=300M --time=0:30 --output={folder}/out/%a.txt
#SBATCH --export=NONE --chdir={folder}/out
exec /usr/bin/python3 -u {folder}/kind$((SLURM_ARRAY_TASK_ID % 5)).py
""")
    path.chmod(0o755)
    return path


def wait_for(folder, count):
    log = folder / "verdicts.log"
    for _ in range(LIMIT_SECONDS):
        time.sleep(1)
        if log.exists() and len(log.read_text().splitlines()) >= count:
            return log.read_text()
    return log.read_text() if log.exists() else ""


def index_of(folder, job):
    shown = slurm(folder, "scontrol", "-o", "show", "job", job)
    return int(re.search(r"ArrayTaskId=(\d+)", shown).group(1))


def check(folder, text):
    wrong = []
    for line in text.splitlines():
        row = dict(word.split("=", 1) for word in line.split()[1:])
        index = index_of(folder, row["job"])
        want = KINDS[index % 5][0]
        print(f"task {index:2}: {row['verdict']:7} {row['entry']}")
        if row["verdict"] != want:
            wrong.append(f"task {index}: {row['verdict']}, want {want}")
    times = [line.split() for line in
             (folder / "times.log").read_text().splitlines()]
    slow = [row for row in times
            if row[0] == "epilog.sh" and int(row[1]) >= 1000]
    failed = [row for row in times if row[2] != "0"]
    longest = max(int(row[1]) for row in times if row[0] == "epilog.sh")
    print(f"{len(text.splitlines())} jobs, longest epilog {longest} ms")
    if len(text.splitlines()) != 20:
        wrong.append("not 20 verdicts")
    return wrong + [f"slow: {row}" for row in slow] + [
        f"failed: {row}" for row in failed]


def main():
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or os.geteuid() != 0:
        print("skipped: needs root and Slurm (slurm-wlm, munge)")
        return 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="oomkb-slurm-"))
    daemons = []
    try:
        daemons = start(folder)
        user = pwd.getpwnam("nobody").pw_name
        script = job_file(folder)
        subprocess.run(["runuser", "-u", user, "--", "env",
                        f"SLURM_CONF={folder}/slurm.conf", "sbatch", script],
                       check=True, capture_output=True)
        wrong = check(folder, wait_for(folder, 20))
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait(timeout=20)
    for line in wrong:
        print(line)
    if not wrong:
        shutil.rmtree(folder)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
