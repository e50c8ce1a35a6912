"""Who else looks for patterns in a log, and what they are given: the programs
of programs/ compiled, the peers that are installed, and one pattern set in the
words of each.

Engines without captures, lookaround and possessive quantifiers get the regexes
without: named groups become plain ones, `++` becomes `+`, the (?!\\d) behind a
number goes. What an engine still refuses is left out of its set and counted.
"""
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WARN = ["-O2", "-Wall", "-Wextra", "-Isrc", "-Iinclude"]
ARCHIVES = ["-l:libz.a", "-l:libzstd.a", "-l:liblzma.a"]
LOOKS = re.compile(r"\(\?(?:[=!>]|<[=!])|\\[1-9GK]")
NEGATED = re.compile(r"\[\^[^\]]*\]")  # a class that lacks something
RG = ["rg", "-j1", "-c", "--no-unicode", "--dfa-size-limit", "1G",
      "--regex-size-limit", "1G"]


class Programs:
    """Compiled into folder; .at[name] is the path, .missing[name] says why
    there is none."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.build_dir = os.path.dirname(program)
        self.at, self.missing = {}, {}
        shared = ["-lsqlite3", "-lpcre2-8", "-lm"]
        house = self.house_objects()
        for name in ("newlines", "stream", "timer"):
            self.compile(name)
        self.compile("scan_hs", "-lhs")
        self.compile("scan_re2", "-lre2", language="cc")
        self.compile("scan_pcre2", "-lpcre2-8")
        self.compile("scan_oomkb", os.path.join(self.build_dir, "liboomkb.a"),
                     *shared)
        self.compile("dump_patterns", *house, *shared)
        self.compile("scan_frames", *house, *shared)
        linked = self.linked_as_program()
        self.compile("empty", *linked)
        self.compile("one_select", *linked)

    def house_objects(self):
        found = []
        for house in ("base", "corpus", "index", "log", "match"):
            # by their sources: a build folder keeps objects of files that went
            sources = os.path.join(ROOT, "src", house)
            found += [os.path.join(self.build_dir, "obj", house, n[:-1] + "o")
                      for n in sorted(os.listdir(sources)) if n.endswith(".c")]
        return found + [os.path.join(self.build_dir, "libjansson.a")] + ARCHIVES

    def linked_as_program(self):
        """So that loading costs the same: its shared libraries, or none."""
        said = subprocess.run(["ldd", self.program], capture_output=True,
                              text=True, check=False).stdout
        paths = re.findall(r"^\t\S+ => (\S+)", said, re.M)
        if not paths:
            return ["-static", "-lsqlite3", "-lm", "-ldl", "-lpthread"]
        return ["-Wl,--no-as-needed"] + paths

    def compile(self, name, *words, language="c"):
        source = os.path.join(HERE, "programs", f"{name}.{language}")
        to = os.path.join(self.folder, name)
        first = ["g++", "-std=gnu++17"] if language == "cc" else \
            [os.environ.get("CC", "gcc"), "-std=gnu17"]
        done = subprocess.run([*first, *WARN, source, "-o", to, *words],
                              cwd=ROOT, capture_output=True, text=True,
                              check=False) if shutil.which(first[0]) else None
        if done is not None and done.returncode == 0:
            self.at[name] = to
            return
        said = done.stderr if done is not None else f"{first[0]}: not found"
        wrong = [r for r in said.splitlines()
                 if "error" in r or "not found" in r or "cannot find" in r]
        self.missing[name] = (wrong or ["does not compile"])[0].strip()


def longest_run(text):
    """The longest plain run of a pattern as it is written."""
    best = run = ""
    for c in text + "(":
        if c.isalnum() or c in " _-:,='":
            run += c
        else:
            best, run = max(best, run.strip(), key=len), ""
    return best


def plain_regex(text):
    text = re.sub(r"\(\?P?<[A-Za-z_]\w*>", "(?:", text)
    text = text.replace(r"(?!\d)", "")
    return re.sub(r"(?<!\\)([+*?}])\+", r"\1", text)


def refused_by_rg(said, regexes):
    """Which one: rg shows all of them as one alternation, and a caret below."""
    rows = said.splitlines()
    if len(rows) < 3 or "^" not in rows[2]:
        return None
    at = rows[2].index("^") - 4
    for i, text in enumerate(regexes):
        at -= len(text) + 1
        if at < 0:
            return i
    return None


class PatternSet:
    """What an index looks for, in files: literals and regexes."""

    def __init__(self, programs, index, folder, entries, most_regexes):
        self.index, self.entries = index, entries
        self.folder = folder
        dump = subprocess.run([programs.at["dump_patterns"], index],
                              stdout=subprocess.PIPE, check=True).stdout
        texts = dump.decode("utf-8", "replace").split("\0")[:-1]
        self.count = len(texts) // 2
        literals = {longest_run(t) for t in texts[::2]}
        self.literals = sorted(w for w in literals if len(w) >= 8)
        prepared = list(dict.fromkeys(texts[1::2]))
        self.regexes = [plain_regex(t) for t in prepared]
        self.left_out, self.why_no_rg = {}, None
        self.write("literals.txt", "\n".join(self.literals) + "\n")
        self.write("literals.bin", "\0".join(self.literals) + "\0")
        self.write("regexes.bin", "\0".join(self.regexes) + "\0")
        self.write("prepared.bin", "\0".join(prepared) + "\0")
        if shutil.which("rg") and self.count <= most_regexes:
            self.write_for_rg()

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", newline="") as f:
            f.write(text)

    def write_for_rg(self):
        """One refused regex would refuse them all: it is found and dropped."""
        lines = [r.replace("\n", "\\n") for r in self.regexes]
        taken = [r for r in lines if not LOOKS.search(r) and
                 r"\n" not in NEGATED.sub("", r)]
        while taken:
            self.write("rg.txt", "\n".join(taken) + "\n")
            done = subprocess.run([*RG, "-f", self.path("rg.txt"),
                                   os.devnull], capture_output=True,
                                  text=True, check=False)
            if done.returncode in (0, 1):
                break
            refused = refused_by_rg(done.stderr, taken)
            if refused is None:
                os.remove(self.path("rg.txt"))
                self.why_no_rg = done.stderr.strip().splitlines()[-1]
                return
            del taken[refused]
        self.left_out["rg -f"] = len(lines) - len(taken)
