"""Other packages of the name moxing: the genuine one is used instead of this, an unrelated one is passed over."""
import importlib.machinery
import importlib.util
import os
import sys

_ENDINGS = (".py", ".pyc", ".so")


def _is_genuine(folder):
    """By what it offers: functions for files, under the module that scripts import them from."""
    place = os.path.join(folder, "framework", "file")
    try:
        names = os.listdir(place)
    except OSError:
        return False
    return any(name.startswith("file_io.") and name.endswith(_ENDINGS) for name in names)


def find(path):
    """Where the import system would find the genuine package, and an unrelated one; None where there is none."""
    genuine = unrelated = None
    for place in path:
        spec = importlib.machinery.PathFinder.find_spec("moxing", [place or os.getcwd()])
        folders = list(spec.submodule_search_locations or ()) if spec is not None and spec.origin else []
        ours = any(os.path.isfile(os.path.join(folder, "framework", "file", "once.py")) for folder in folders)
        if spec is None or not spec.origin or ours:
            continue
        if any(_is_genuine(folder) for folder in folders):
            genuine = genuine or spec
        else:
            unrelated = unrelated or spec
    return genuine, unrelated


def take_place(spec):
    """Imports the genuine package as `moxing`."""
    module = importlib.util.module_from_spec(spec)
    for name in [name for name in sys.modules if name.startswith("moxing.")]:
        del sys.modules[name]
    sys.modules["moxing"] = module
    spec.loader.exec_module(module)


def say_unrelated(spec):
    """Once a job: by its first rank alone."""
    first = os.environ.get("MUSTER_RANK", "0") == "0"
    if first and os.environ.get("MOX_SILENT_MODE") != "1":
        sys.stderr.write("moxing: %s is another package of this name and is not used; mox.file comes with the platform\n" % spec.origin)
