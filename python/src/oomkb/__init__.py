"""oomkb: which known out-of-memory failure a log shows, why, and what helps.

    import oomkb
    report = oomkb.diagnose(open("crash.log").read())
    print(report.text())
    for fix in report.fixes:
        print(fix["action"], fix["estimate"]["verdict"])

    try:
        train()
    except Exception as error:
        print(oomkb.explain(error).text())

    print(oomkb.fit(model="Qwen/Qwen2.5-7B-Instruct", engine="vllm",
                    gpu_name="A10G")["verdict"])
"""
import ctypes
import json
import sys
import threading

from . import _exception, _native
from ._native import Error

__all__ = ["Error", "Report", "diagnose", "entry", "explain", "fit", "hook",
           "search", "version"]

_KB = None
_KB_LOCK = threading.Lock()


def _kb():
    """The built-in knowledge base, opened once; any thread may use it."""
    global _KB
    with _KB_LOCK:
        if _KB is None:
            kb = ctypes.c_void_p()
            _native.call("open", None, ctypes.byref(kb))
            _KB = kb
    return _KB


class Report:
    """An answer. Belongs to one thread at a time."""

    def __init__(self, handle):
        self._handle = handle

    def __del__(self):
        if getattr(self, "_handle", None):
            _native.LIBRARY.oomkb_report_free(self._handle)

    def __bool__(self):
        """Was a known failure found?"""
        return _native.LIBRARY.oomkb_report_failures(self._handle) > 0

    def __str__(self):
        return self.text()

    def write(self, format="text", **options):
        """text, markdown, html, chat, json, jsonl or csv; options: lang ("en",
        "zh"), width, top, redact, show_all, why."""
        return _native.written(
            "report_write", self._handle, format.encode(),
            ctypes.byref(_native.options(**options)))

    def text(self, **options):
        return self.write("text", **options)

    def markdown(self, **options):
        return self.write("markdown", **options)

    _repr_markdown_ = markdown

    def as_dict(self, **options):
        """The report as kb/report.schema.json describes it."""
        return json.loads(self.write("json", **options))

    @property
    def findings(self):
        return self.as_dict()["findings"]

    @property
    def fixes(self):
        """Those of the first finding, best first."""
        found = self.findings
        return found[0]["fixes"] if found else []

    @property
    def questions(self):
        return self.as_dict()["questions"]

    def answer(self, **facts):
        """Answers questions of the report; it is worked out anew. On an Error
        it stays as it was."""
        for said in _native.facts(facts):
            _native.call("report_answer", self._handle, said.encode())
        return self


def diagnose(log, lang="en", facts=None):
    """What a log shows. log: text or bytes; facts: values that it lacks, such
    as {"gpu_name": "A10G"}."""
    data = log.encode("utf-8", "surrogateescape") if isinstance(log, str) \
        else bytes(log)
    handle = ctypes.c_void_p()
    _native.call("diagnose", _kb(), data, len(data),
                 ctypes.byref(_native.options(lang=lang, answers=facts)),
                 ctypes.byref(handle))
    return Report(handle)


def explain(error, lang="en", facts=None):
    """What a caught exception shows: its traceback, the versions of what is
    loaded, and the memory that torch counts."""
    return diagnose(_exception.as_log(error), lang, facts)


def fit(command=None, lang="en", format=None, config=None, compare=None,
        sweep=None, **facts):
    """Does a model fit? As facts (model, engine, gpu_name, max_model_len ...)
    or as the command that starts the engine; config: bytes of a config.json or
    of the front of a GGUF file. A dict, or text where a format is named."""
    answer = ctypes.c_int()
    question = _native.Question(
        size=ctypes.sizeof(_native.Question),
        facts=_native.strings(_native.facts(facts)),
        config=ctypes.cast(ctypes.c_char_p(config), ctypes.c_void_p)
        if config else None,
        config_bytes=len(config) if config else 0, config_name=b"config",
        compare=compare.encode() if compare else None,
        sweep=sweep.encode() if sweep else None,
        command=command.encode() if command else None)
    text = _native.written(
        "fit_write", _kb(), ctypes.byref(question),
        (format or "json").encode(),
        ctypes.byref(_native.options(lang=lang)),
        after=(ctypes.byref(answer),))
    return text if format else json.loads(text)


def entry(name, format="markdown", lang="en"):
    """One entry of the knowledge base, such as vllm/kv-cache-too-small."""
    return _native.written("entry_write", _kb(), name.encode(),
                           format.encode(),
                           ctypes.byref(_native.options(lang=lang)))


def search(words, lang="en"):
    """Entries for a pasted message or a few words, best first."""
    count = ctypes.c_size_t()
    text = _native.written("search_write", _kb(), words.encode(), b"json",
                           ctypes.byref(_native.options(lang=lang)),
                           after=(ctypes.byref(count),))
    return json.loads(text)["entries"]


def version():
    return _native.LIBRARY.oomkb_version().decode()


def hook(lang="en", file=None):
    """From now on, what ends the program for lack of memory is explained below
    its traceback."""
    before = sys.excepthook

    def after(kind, error, trace):
        before(kind, error, trace)
        report = explain(error.with_traceback(trace), lang)
        if report:
            print(report.text(lang=lang), file=file or sys.stderr)
    sys.excepthook = after


def load_ipython_extension(shell):
    from ._jupyter import register
    register(shell)
