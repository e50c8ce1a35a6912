"""The calls of liboomkb, by ctypes. Nothing outside this package needs it."""
import ctypes
import os
import pathlib

OK = 0
NAMES = {1: "memory", 2: "ceiling", 3: "usage", 4: "io", 5: "index",
         6: "input"}

Writer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p,
                          ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
Strings = ctypes.POINTER(ctypes.c_char_p)


class Error(Exception):
    """What liboomkb refused: `kind` is one word of NAMES, the text says what,
    where and what would be right."""

    def __init__(self, code, text):
        super().__init__(text)
        self.kind = NAMES.get(code, "unknown")


class ErrorText(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 256)]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("lang", ctypes.c_char_p),
                ("input_name", ctypes.c_char_p), ("answers", Strings),
                ("width", ctypes.c_uint32), ("top", ctypes.c_uint32),
                ("color", ctypes.c_int32), ("why", ctypes.c_int32),
                ("max_input_bytes", ctypes.c_uint64),
                ("max_memory_bytes", ctypes.c_uint64),
                ("get_memory", ctypes.c_void_p),
                ("put_memory", ctypes.c_void_p),
                ("memory_ctx", ctypes.c_void_p), ("redact", ctypes.c_int32),
                ("own_reports", Strings), ("threads", ctypes.c_uint32),
                ("all", ctypes.c_int32)]


class Question(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("facts", Strings),
                ("config", ctypes.c_void_p), ("config_bytes", ctypes.c_size_t),
                ("config_name", ctypes.c_char_p), ("compare", ctypes.c_char_p),
                ("sweep", ctypes.c_char_p), ("report", ctypes.c_void_p),
                ("command", ctypes.c_char_p)]


def strings(values):
    """NULL-terminated, or None where there is nothing to say."""
    if not values:
        return None
    array = (ctypes.c_char_p * (len(values) + 1))()
    for i, value in enumerate(values):
        array[i] = value.encode()
    return ctypes.cast(array, Strings)


def facts(values):
    return [f"{name}={value}" for name, value in values.items()]


def options(lang="en", answers=None, width=80, top=0, redact=False,
            show_all=False, why=False, input_name=None):
    return Options(size=ctypes.sizeof(Options), lang=lang.encode(),
                   answers=strings(facts(answers or {})), width=width, top=top,
                   redact=int(redact), all=int(show_all), why=int(why),
                   input_name=input_name.encode() if input_name else None)


def _path():
    """OOMKB_LIBRARY, the copy inside this package, or the system's."""
    told = os.environ.get("OOMKB_LIBRARY")
    inside = pathlib.Path(__file__).with_name("liboomkb.so")
    return told or (str(inside) if inside.exists() else "liboomkb.so")


_handle, _error, _report = ctypes.c_void_p, ctypes.POINTER(ErrorText), \
    ctypes.c_void_p
_SIGNATURES = {
    "open": (ctypes.c_char_p, ctypes.POINTER(_handle), _error),
    "diagnose": (_handle, ctypes.c_char_p, ctypes.c_size_t,
                 ctypes.POINTER(Options), ctypes.POINTER(_report), _error),
    "report_write": (_report, ctypes.c_char_p, ctypes.POINTER(Options), Writer,
                     ctypes.c_void_p, _error),
    "report_answer": (_report, ctypes.c_char_p, _error),
    "entry_write": (_handle, ctypes.c_char_p, ctypes.c_char_p,
                    ctypes.POINTER(Options), Writer, ctypes.c_void_p, _error),
    "search_write": (_handle, ctypes.c_char_p, ctypes.c_char_p,
                     ctypes.POINTER(Options), Writer, ctypes.c_void_p,
                     ctypes.POINTER(ctypes.c_size_t), _error),
    "fit_write": (_handle, ctypes.POINTER(Question), ctypes.c_char_p,
                  ctypes.POINTER(Options), Writer, ctypes.c_void_p,
                  ctypes.POINTER(ctypes.c_int), _error),
}


def _load():
    library = ctypes.CDLL(_path())
    for name, types in _SIGNATURES.items():
        function = getattr(library, "oomkb_" + name)
        function.argtypes, function.restype = types, ctypes.c_int
    for name in ("report_free", "close"):
        function = getattr(library, "oomkb_" + name)
        function.argtypes, function.restype = (ctypes.c_void_p,), None
    library.oomkb_report_failures.argtypes = (ctypes.c_void_p,)
    library.oomkb_report_failures.restype = ctypes.c_size_t
    library.oomkb_version.restype = ctypes.c_char_p
    return library


LIBRARY = _load()


def call(name, *arguments):
    """One call; an error becomes an exception."""
    error = ErrorText()
    code = getattr(LIBRARY, "oomkb_" + name)(*arguments, ctypes.byref(error))
    if code != OK:
        raise Error(code, error.text.decode("utf-8", "replace"))


def written(name, *arguments, after=()):
    """What a call writes, as text."""
    pieces = []

    def put(_context, data, size):
        pieces.append(ctypes.string_at(data, size))
        return 0
    writer = Writer(put)
    call(name, *arguments, writer, None, *after)
    return b"".join(pieces).decode()
