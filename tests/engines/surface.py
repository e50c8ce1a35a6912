"""What a release shows its users: flags, defaults, environment variables,
messages about memory. Read from the files by ast; nothing is imported.

    surface.py PACKAGE RELEASE [RELEASE]    prints one, or what changed

A flag is a string that add_argument() is given, or a field of a class that
the parser makes flags of. A default is a literal: of the class of arguments,
or of the configuration class that it names. A message is what is raised or
logged as a warning or an error, with {} for what is filled in, if it has a
word of memory (of C++, c_messages.py says which; of libraries,
binary_messages.py). Any package is read so; where its classes stand is in LAYOUT.
"""
import ast
import functools
import os
import re
import sys

import binary_messages
import c_messages
from release import WORDS, fetch

TOLD = {"error", "warning", "warning_once", "exception", "critical", "warn",
        "error_once", "fatal"}
# Where the arguments are; classes whose fields become flags.
LAYOUT = {
    "vllm": {"arguments": ["vllm/engine/arg_utils.py",
                           "vllm/entrypoints/openai/cli_args.py",
                           "vllm/entrypoints/launchers/cli_args.py",
                           "vllm/entrypoints/common/cli_args.py"],
             "defaults": ["EngineArgs"], "fields": ["FrontendArgs",
                                                    "BaseFrontendArgs"],
             "config": ["vllm/config.py", "vllm/config"],
             "environment": "vllm/envs.py"},
    "sglang": {"arguments": ["sglang/srt/server_args.py",
                             "sglang/srt/arg_groups/fields"],
               "defaults": ["ServerArgs"], "fields": [], "config": [],
               "environment": "sglang/srt/environ.py"},
}


def files_under(home, path):
    path = os.path.join(home, path)
    if os.path.isfile(path):
        return [path]
    return sorted(os.path.join(folder, name)
                  for folder, _, names in os.walk(path)
                  for name in names if name.endswith(".py"))


def tree_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        try:
            return ast.parse(file.read())
        except SyntaxError:
            return ast.Module(body=[], type_ignores=[])


def fields_of(tree):
    """{class: {field: value}} of annotated fields with a value."""
    return {node.name: {item.target.id: item.value for item in node.body
                        if isinstance(item, ast.AnnAssign) and
                        isinstance(item.target, ast.Name)}
            for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def default_of(value, classes, depth=4):
    """The literal that a default comes down to; None: it is made at start."""
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
        named = classes.get(value.value.id, {}).get(value.attr)
        return default_of(named, classes, depth - 1) if depth else None
    if isinstance(value, ast.Call):
        for word in value.keywords:
            if word.arg == "default":
                return default_of(word.value, classes, depth)
        name = getattr(value.func, "id", "")
        if name == "get_field" and len(value.args) == 2:
            return default_of(classes.get(
                getattr(value.args[0], "id", ""), {}).get(
                getattr(value.args[1], "value", "")), classes, depth - 1)
        return None
    try:
        return repr(ast.literal_eval(value)) if value is not None else None
    except ValueError:
        return None


def flags_of_field(item):
    """Of `name: A[type, Arg(...)] = default`, SGLang's fields: its flags."""
    note = item.annotation
    if not isinstance(note, ast.Subscript) or \
            getattr(note.value, "id", "") != "A":
        return []
    flags = ["--" + item.target.id.replace("_", "-")]
    for call in ast.walk(note):
        for word in call.keywords if isinstance(call, ast.Call) else []:
            if word.arg == "no_cli":
                return []
            if word.arg == "cli_name" and default_of(word.value, {}):
                flags[0] = ast.literal_eval(word.value)
            if word.arg == "aliases":
                flags += ast.literal_eval(word.value) or []
    return flags


def annotated_flags(tree):
    """{flag: default or None} of every class of a file."""
    return {flag: default_of(item.value, {})
            for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
            for item in node.body if isinstance(item, ast.AnnAssign) and
            isinstance(item.target, ast.Name)
            for flag in flags_of_field(item)}


def flags_of(home, layout):
    """{flag: default or None}"""
    classes, flags = {}, {}
    for path in layout["config"]:
        for file in files_under(home, path):
            classes.update(fields_of(tree_of(file)))
    for path in layout["arguments"]:
        for file in files_under(home, path):
            tree = tree_of(file)
            own = fields_of(tree)
            classes.update(own)
            flags.update(annotated_flags(tree))
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and \
                        getattr(node.func, "attr", "") == "add_argument":
                    flags.update({one.value: None for one in node.args
                                  if isinstance(one, ast.Constant) and
                                  str(one.value).startswith("-")})
            for name in layout["fields"]:
                flags.update({"--" + field.replace("_", "-"): None
                              for field in own.get(name, {})})
    for name in layout["defaults"] + layout["fields"]:
        for field, value in classes.get(name, {}).items():
            flag = "--" + field.replace("_", "-")
            if flag in flags:
                flags[flag] = default_of(value, classes)
    return flags


def environment_of(home, path):
    """Names that the module of environment variables knows."""
    names = set()
    for file in files_under(home, path) if path else []:
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.Dict):
                names |= {key.value for key in node.keys
                          if isinstance(key, ast.Constant) and
                          re.fullmatch(r"[A-Z][A-Z0-9_]{5,}",
                                       str(key.value))}
            if isinstance(node, ast.Assign) and \
                    isinstance(node.targets[0], ast.Name) and \
                    isinstance(node.value, ast.Call):
                names |= {one for one in [node.targets[0].id]
                          if re.fullmatch(r"SGLANG_[A-Z0-9_]+", one)}
    return names


def text_of(node):
    """A string with {} for what is filled in; None: it is no string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(one) if isinstance(one, ast.Constant) else "{}"
                       for one in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return left + right if left and right else left or right
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return text_of(node.left)
    if isinstance(node, ast.Call) and \
            getattr(node.func, "attr", "") == "format":
        return text_of(node.func.value)
    return None


def plain(text):
    """One line; every kind of placeholder is {}."""
    text = re.sub(r"%\(\w+\)[sdf]|%[-+ #0]*\d*(?:\.\d+)?[sdifgr]", "{}", text)
    return re.sub(r"\s+", " ", text).strip()


def messages_of(home, package):
    """{(message): how it is told} of those with a word of memory."""
    found = {}
    for file in files_under(home, package):
        for node in ast.walk(tree_of(file)):
            call, how = None, ""
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                call = node.exc
                how = getattr(call.func, "id", "error")
            elif isinstance(node, ast.Call) and \
                    getattr(node.func, "attr", "") in TOLD:
                call, how = node, node.func.attr
            texts = [text_of(one) for one in call.args] if call else []
            for text in texts[:1]:
                if text and len(text) > 20 and WORDS.search(text):
                    found[plain(text)] = (how, os.path.relpath(file, home))
    return found


class Surface:
    def __init__(self, package, release):
        home = fetch(package, release)
        layout = LAYOUT.get(package, {"arguments": [], "defaults": [],
                                      "fields": [], "config": [],
                                      "environment": ""})
        self.package, self.release = package, release
        self.flags = flags_of(home, layout)
        self.environment = environment_of(home, layout["environment"])
        self.home = home

    @functools.cached_property
    def messages(self):
        """Reads every file of the package: seconds."""
        native = os.path.join(self.home, "vendor")
        if os.path.isdir(native):
            return c_messages.messages_of(native, WORDS)
        return {**messages_of(self.home, self.package.replace("-", "_")),
                **pieces_of(self.home)}


def pieces_of(home):
    """{piece of a compiled message: ("piece", path)}"""
    found = {}
    for folder, _, names in os.walk(home):
        for name in names:
            if name.endswith(binary_messages.SUFFIX):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    found.update({binary_messages.plain(line.rstrip("\n")):
                                  ("piece", os.path.relpath(path, home))
                                  for line in file})
    return found


def same_words(text):
    return re.sub(r"[^a-z]+", " ", text.lower()).strip()


def changes(old, new):
    """[(what, name, detail)] between two surfaces."""
    out = []
    for flag in sorted(set(old.flags) | set(new.flags)):
        if flag not in old.flags:
            out.append(("flag added", flag, new.flags[flag]))
        elif flag not in new.flags:
            out.append(("flag removed", flag, ""))
        elif old.flags[flag] != new.flags[flag]:
            out.append(("default", flag,
                        f"{old.flags[flag]} -> {new.flags[flag]}"))
    out += [("variable added", name, "")
            for name in sorted(new.environment - old.environment)]
    out += [("variable removed", name, "")
            for name in sorted(old.environment - new.environment)]
    before = {same_words(text) for text in old.messages}
    after = {same_words(text) for text in new.messages}
    out += [("message added", text, new.messages[text][1])
            for text in sorted(new.messages) if same_words(text) not in before]
    out += [("message removed", text, old.messages[text][1])
            for text in sorted(old.messages) if same_words(text) not in after]
    return out


def main(words):
    package, releases = words[0], words[1:]
    surfaces = [Surface(package, one) for one in releases]
    if len(surfaces) == 1:
        one = surfaces[0]
        rows = [("flag", flag, value) for flag, value in one.flags.items()]
        rows += [("variable", name, "") for name in sorted(one.environment)]
        rows += [("message", text, where[1])
                 for text, where in sorted(one.messages.items())]
    else:
        rows = changes(*surfaces)
    for row in rows:
        print(*row, sep="\t")


if __name__ == "__main__":
    main(sys.argv[1:])
