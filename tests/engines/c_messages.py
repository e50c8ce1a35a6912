"""Messages about memory in C and C++ sources, for messages.py.

A message is the text of a call in TOLD, or of an exception that is thrown: its
string literals put together, with {} for what is filled in. Most begin with
the name of their function, which is looked for above the call.
"""
import os
import re

TOLD = re.compile(
    r"\b(?:LLAMA_LOG_ERROR|GGML_LOG_ERROR|GGML_ABORT|LOG_ERR|SRV_ERR|SLT_ERR|"
    r"throw std::\w+)\s*\(")
LITERALS = re.compile(r'"((?:[^"\\]|\\.)*)"')
HOLE = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j|t)?[sdifgxXuc]|%p|"
                  r"%\" ?PRI\w+ ?\"")
FUNCTION = re.compile(r"^(?!\s)[\w:<>*&~ ,]*?([\w~]+(?:::[\w~]+)*)\([^;]*$", re.M)
ENDINGS = (".c", ".cpp", ".cu", ".cuh", ".h", ".m", ".mm")
MOST = 700  # characters of a call


def call_at(text, start):
    """The text of a call from its ( to the ) that closes it."""
    depth, quoted = 0, False
    for i in range(start, min(len(text), start + MOST)):
        if text[i] == '"' and text[i - 1] != "\\":
            quoted = not quoted
        elif not quoted and text[i] in "()":
            depth += 1 if text[i] == "(" else -1
            if depth == 0:
                return text[start:i]
    return text[start:start + MOST]


def plain(call, function):
    """One line with {} for what is filled in; its function where it says so."""
    text = "".join(LITERALS.findall(re.sub(r'"\s*PRI\w+\s*"', "d", call)))
    if text.startswith("%s: ") and "__func__" in call:
        text = function + text[2:]
    text = HOLE.sub("{}", text).replace("\\n", "").replace('\\"', '"')
    return re.sub(r"\s+", " ", text).strip()


def function_above(text, start):
    found = None
    for found in FUNCTION.finditer(text, max(0, start - 20000), start):
        pass
    return found.group(1) if found else "main"


def messages_of(home, words):
    """{message: (how, path)} of those with one of the words."""
    found = {}
    for folder, _, names in os.walk(home):
        for name in sorted(one for one in names if one.endswith(ENDINGS)):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            for told in TOLD.finditer(text):
                call = call_at(text, told.end() - 1)
                message = plain(call, function_above(text, told.start()))
                if told.group().startswith("throw") and \
                        name.startswith("llama-model"):
                    message = f"llama_model_load: error loading model: {message}"
                if told.group().startswith("GGML_ABORT"):
                    message = f"{name}:{text.count(chr(10), 0, told.start())}: " \
                        + message
                if len(message) > 20 and words.search(message):
                    found[message] = ("line", os.path.relpath(path, home))
    return found
