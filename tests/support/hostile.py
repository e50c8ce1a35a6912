"""Logs that are written to break out of a page, and the program on them."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
OOMKB = os.path.abspath(os.environ.get("OOMKB", "build/oomkb"))
# A model's name, a command and a process hold what is filled in.
LOG = """INFO vLLM API server version 0.9.1
$ vllm serve {0} --max-model-len 65536
INFO Initializing a V1 LLM engine (v0.9.1) with config: model='{0}', x=1
ValueError: To serve at least one request with the models's max seq len \
(65536), (8.00 GiB KV cache is needed, which is larger than the available KV \
cache memory (5.40 GiB). Based on the available memory, the estimated maximum \
model length is 44224.
memory cgroup out of memory: Killed process 4711 ({0}) total-vm:1kB, \
anon-rss:8388608kB, file-rss:0kB, shmem-rss:0kB, UID:0
"""
failures = []


def oomkb(*words, stdin=""):
    return subprocess.run([OOMKB, *words], input=stdin.encode(), check=False,
                          stdout=subprocess.PIPE).stdout.decode()


def expect(what, is_true):
    if not is_true:
        failures.append(what)


def told():
    """The exit status, after what is wrong."""
    for failure in failures[:40]:
        print(failure)
    return 1 if failures else 0
