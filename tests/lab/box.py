"""A box: one shell script run under small limits, and what it then used.

    limits     memory: a memory cgroup of its own (version 1 or 2, whichever
               the machine has); address_space, locked, data: ulimit;
               shm: a /dev/shm of its own, in a mount namespace of its own.
    what comes back: the output, the status, peaks in bytes, what the kernel
               wrote about kills in this group, and the group's counters.

A box refuses a memory limit above MEMORY_MAX, so that a failure made on
purpose never takes the machine. The group itself always has such a limit.
"""
import os
import re
import resource
import signal
import subprocess
import time
from collections import namedtuple

MIB, GIB = 1 << 20, 1 << 30
MEMORY_MAX = 4 * GIB     # of a group: also where the failure sets none
SECONDS_MAX = 180
OUTPUT_MAX = 4 * MIB
UNITS = {"": 1, "K": 1 << 10, "M": MIB, "G": GIB}
GROUPS_V1 = "/sys/fs/cgroup/memory"
GROUPS_V2 = "/sys/fs/cgroup"
RLIMITS = {"address_space": resource.RLIMIT_AS, "data": resource.RLIMIT_DATA,
           "locked": resource.RLIMIT_MEMLOCK}

Outcome = namedtuple("Outcome", "status output seconds rss peak kernel "
                                "counters timed_out")


def bytes_of(text):
    """300M, 1.5G, 512MiB: bytes."""
    found = re.fullmatch(r"([\d.]+)\s*([KMG]?)i?B?", str(text), re.I)
    if not found:
        raise ValueError(f"{text!r} is no amount")
    return int(float(found[1]) * UNITS[found[2].upper()])


class Group:
    """A memory cgroup, made here and removed here."""

    def __init__(self, name, limit):
        self.is_v1 = os.path.isdir(GROUPS_V1)
        top = GROUPS_V1 if self.is_v1 else GROUPS_V2
        self.path = os.path.join(top, f"oomkb-lab-{name}")
        os.mkdir(self.path)
        limit = min(limit, MEMORY_MAX)
        if self.is_v1:
            self.write("memory.limit_in_bytes", limit)
        else:
            self.write("memory.max", limit)
            self.write("memory.swap.max", 0)

    def write(self, key, value):
        with open(os.path.join(self.path, key), "w", encoding="ascii") as file:
            file.write(str(value))

    def read(self, key):
        try:
            with open(os.path.join(self.path, key), encoding="ascii") as file:
                return file.read()
        except OSError:
            return ""

    def peak(self):
        text = self.read("memory.max_usage_in_bytes" if self.is_v1
                         else "memory.peak")
        return int(text) if text.strip() else None

    def counters(self):
        """As `grep .` or `cat` prints them: what an operator would paste."""
        return self.read("memory.oom_control" if self.is_v1
                         else "memory.events")

    def remove(self):
        for pid in self.read("cgroup.procs").split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        for _ in range(50):
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.1)


def kernel_time():
    lines = kernel_lines()
    return lines[-1][0] if lines else 0.0


def kernel_lines():
    done = subprocess.run(["dmesg"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    found = re.findall(r"^\[ *([\d.]+)\] (.*)$",
                       done.stdout.decode(errors="replace"), re.M)
    return [(float(at), text) for at, text in found]


def kernel_report(since, group):
    """The kernel's lines on kills in this group, as dmesg prints them."""
    lines = [(at, text) for at, text in kernel_lines() if at > since]
    if not any(group in text for _, text in lines):
        return ""
    return "".join(f"[{at:12.6f}] {text}\n" for at, text in lines)


def enter(group, limits):
    def do():
        os.setsid()
        group.write("cgroup.procs", os.getpid())
        for name, which in RLIMITS.items():
            if name in limits:
                n = bytes_of(limits[name])
                # the soft one, as a profile sets it: it can be raised again
                resource.setrlimit(which, (n, resource.getrlimit(which)[1]))
    return do


def command_of(limits):
    if "shm" not in limits:
        return ["bash", "run.sh"]
    mount = f"mount -t tmpfs -o size={bytes_of(limits['shm'])} tmpfs /dev/shm"
    return ["unshare", "-m", "--propagation", "private", "sh", "-c",
            mount + " && exec bash run.sh"]


def run(name, folder, script, limits, environment):
    """Runs `script` in `folder` under `limits`."""
    with open(os.path.join(folder, "run.sh"), "w", encoding="utf-8") as file:
        file.write(script)
    group = Group(name, bytes_of(limits.get("memory", MEMORY_MAX)))
    since, start = kernel_time(), time.monotonic()
    timed_out = False
    path = os.path.join(folder, "output.log")
    try:
        with open(path, "wb") as output:
            process = subprocess.Popen(
                command_of(limits), cwd=folder, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT,
                # A cached compile takes no memory.
                env={**os.environ, "CCACHE_DISABLE": "1", **environment},
                preexec_fn=enter(group, limits))
            try:
                _, code, usage = wait(process, start)
            except TimeoutError:
                timed_out = True
                os.killpg(process.pid, signal.SIGKILL)
                _, code, usage = os.wait4(process.pid, 0)
        with open(path, "rb") as file:
            text = file.read(OUTPUT_MAX)
        return Outcome(os.waitstatus_to_exitcode(code), text,
                       time.monotonic() - start, usage.ru_maxrss * 1024,
                       group.peak(),
                       kernel_report(since, os.path.basename(group.path)),
                       group.counters(), timed_out)
    finally:
        group.remove()


def wait(process, start):
    while True:
        pid, code, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = 0
            return pid, code, usage
        if time.monotonic() - start > SECONDS_MAX:
            raise TimeoutError
        time.sleep(0.05)
