"""Import an engine's Python without what was compiled for it.

    arrange(root, package, real)

Modules of `package` whose names begin with one of `real` are the engine's own
files under root; its other modules, and whatever of theirs is not installed,
are stubs: any name of a stub is a class that can be called, subscripted,
subclassed and used as a decorator, and does nothing. Modules of others (torch,
numpy, the standard library) are what they are. What an engine would have
logged is in `said`.
"""
import importlib.abc
import importlib.machinery
import os
import sys
import types

said = []
stubbed = set()


class Anything(type):
    """The class of stubs: whatever one does with it gives a stub."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)

    def __or__(cls, other):
        return cls

    __ror__ = __or__

    def __getitem__(cls, key):
        return cls

    def __iter__(cls):
        return iter(())

    def __contains__(cls, key):
        return False

    def __len__(cls):
        return 0

    def __bool__(cls):
        return False


def anything(name):
    def new(cls, *args, **named):
        decorates = len(args) == 1 and not named and isinstance(
            args[0], (type, types.FunctionType))
        return args[0] if decorates else anything(name)
    return Anything(name, (), {
        "__new__": new, "__module__": "stub",
        "__init_subclass__": classmethod(lambda cls, **named: None)})


class Stub(types.ModuleType):
    __path__ = []
    __version__ = "9.9.9"
    __file__ = "stub"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, anything(name))
        return self.__dict__[name]


class Logger:
    """Keeps what is said; every level is one list."""

    def __getattr__(self, level):
        def say(text, *args, **_):
            said.append(str(text) % args if args else str(text))
        return say


def log_module(name):
    module = Stub(name)
    module.init_logger = lambda *_: Logger()
    return module


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked first for modules of the package, last for those of others."""

    def __init__(self, root, package, real):
        self.root, self.package, self.real = root, package, real

    def is_real(self, name):
        return any(name == one or name.startswith(one + ".") or
                   one.startswith(name + ".") for one in self.real)

    def is_asked_by_package(self):
        frame = sys._getframe(2)
        while frame and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        return frame and frame.f_code.co_filename.startswith(self.root)

    def find_spec(self, name, path, target=None):
        top = name.split(".")[0]
        if top == self.package and self.is_real(name):
            return None
        if top != self.package and top not in stubbed and (
                top in sys.stdlib_module_names or
                not self.is_asked_by_package()):
            return None
        stubbed.add(name)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        if spec.name == self.package + ".logger":
            return log_module(spec.name)
        return Stub(spec.name)

    def exec_module(self, module):
        pass


class OwnFinder(Finder):
    """Modules of the package alone: before the files are looked at."""

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] != self.package:
            return None
        return super().find_spec(name, path, target)


def arrange(root, package, real):
    """Let imports of `package` find the release unpacked under root."""
    root = os.path.abspath(root)
    bare = types.ModuleType(package)
    bare.__path__ = [os.path.join(root, package)]
    sys.modules[package] = bare
    sys.path.insert(0, root)
    sys.meta_path.insert(0, OwnFinder(root, package, real))
    sys.meta_path.append(Finder(root, package, real))
