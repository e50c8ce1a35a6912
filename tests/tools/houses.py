#!/usr/bin/env python3
"""The street: a house includes only itself and houses to its left.

Also: <sqlite3.h>, <pcre2.h>, <yaml.h> and <jansson.h> each in one place; the
program's commands speak through the public header alone, but for the few that
compile the corpus.
"""
import pathlib
import re
import sys

STREET = ("base corpus index log match memory diagnose render api machine "
          "author launch serve cli").split()
# header -> where it may stand
ONLY = {
    "sqlite3.h": re.compile(r"src/index/"),
    "pcre2.h": re.compile(r"src/match/[a-z_]+\.c$"),
    "yaml.h": re.compile(r"src/author/yaml\.c$"),
    "jansson.h": re.compile(r"src/base/json\.c$"),
    "zlib.h": re.compile(r"src/log/"),
    "zstd.h": re.compile(r"src/log/"),
    "lzma.h": re.compile(r"src/log/"),
}
ONE_FILE = {"pcre2.h", "yaml.h", "jansson.h"}
USES_AUTHOR = {"build.c", "check.c", "corpus.h", "diagnostics.c", "lint.c",
               "new.c", "site.c"}
USES_MACHINE = {"facts.c", "run.h"}
# No domain word, and no second copy: for some, for all.
USES_BASE = {"suggest.c": ["base/near.h"], "own_reports.c": ["base/replace.h"],
             "texts.c": ["base/utf8.h"], "progress.c": ["base/utf8.h"],
             "options.c": ["base/str.h"],
             "feedback.c": ["base/json.h", "base/utf8.h"]}
FOR_ALL = "base/limits.h"


def main():
    faults, seen = [], {}
    for path in sorted(pathlib.Path("src").rglob("*.[ch]")):
        house = path.parts[1]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if not match:
                continue
            name, where = match.group(1), f"{path}:{number}"
            if name in ONLY:
                seen.setdefault(name, set()).add(str(path))
                if not ONLY[name].match(str(path)):
                    faults.append(f"{where}: <{name}> has no business here")
            other = name.split("/")[0]
            if other in STREET and "/" in name:
                if STREET.index(other) > STREET.index(house):
                    faults.append(f"{where}: {house} may not know {other}")
                if house == "cli" and other not in ("cli", "serve") \
                        and path.name not in USES_AUTHOR \
                        and not (other == "machine"
                                 and path.name in USES_MACHINE) \
                        and name not in [FOR_ALL, *USES_BASE.get(path.name, [])]:
                    faults.append(f"{where}: a command speaks through "
                                  "<oomkb/oomkb.h>")
    for name in ONE_FILE:
        if len(seen.get(name, ())) > 1:
            faults.append(f"<{name}> in several files: {sorted(seen[name])}")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
