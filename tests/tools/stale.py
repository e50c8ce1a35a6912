#!/usr/bin/env python3
"""What is due to be looked at again, oldest first: stale.py [DAYS]

    last_verified   an entry that nobody has been through for so many days
    docs, evidence  a link that nobody has opened for so many days
    release         its engine's file knows a release (newest, newest_seen)
                    that came after the entry was verified

Exit status 1 where anything is. Run from the top of the repository.
"""
import datetime
import pathlib
import sys

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(path):
    return yaml.load(path.read_text(encoding="utf-8"), LOADER)


def dates(entry, engines, component):
    """(what, since when, about what, is it due whatever its age)"""
    verified = entry["last_verified"]
    yield "last_verified", verified, "", False
    for key in ("docs", "evidence"):
        for link in entry.get(key, []):
            yield key, link["seen"], link["url"], False
    engine = engines.get(component, {})
    if str(verified) < str(engine.get("newest_seen", "")):
        yield "release", verified, f"{component} {engine['newest']}", True


def main():
    days = int(sys.argv[1]) if len(sys.argv) > 1 else 180
    engines = {path.stem: read(path)
               for path in pathlib.Path("kb/engines").glob("*.yaml")}
    due = []
    for path in pathlib.Path("entries").glob("*/*.yaml"):
        entry = read(path)
        component = entry.get("component") or path.parent.name
        if "withdrawn" in entry:
            continue
        for what, day, about, is_due in dates(entry, engines, component):
            age = datetime.date.today() - datetime.date.fromisoformat(str(day))
            if is_due or age.days > days:
                due.append((str(day), str(path), what, about))
    for day, path, what, about in sorted(due):
        print(f"{path}: {what} {day}  {about}".rstrip())
    print(f"{len(due)} due")
    sys.exit(1 if due else 0)


if __name__ == "__main__":
    main()
