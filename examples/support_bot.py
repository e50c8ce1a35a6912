"""A support bot in Python, for any chat that can be piped: a message is a log,
or fact=value as an answer; messages and replies end with a NUL byte."""
import sys

import oomkb

report = None
for message in iter(lambda: sys.stdin.readline(), ""):
    message = message.rstrip("\n").replace("\0", "\n")
    name, is_answer, value = message.partition("=")
    try:
        if report and is_answer and name.isidentifier():
            report.answer(**{name: value})
        else:
            report = oomkb.diagnose(message)
        print(report.write("chat", redact=True), end="\0\n", flush=True)
    except oomkb.Error as error:
        print(error, end="\0\n", flush=True)
