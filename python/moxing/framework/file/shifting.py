"""shift('os', 'mox'): Python's own functions for files take URLs too. Local paths go where they always went."""
import builtins
import functools
import glob
import os
import shutil

from . import file_io
from .location import is_remote

_kept = {}  # (module, name): Python's own


def _copytree(source, target, *_, **__):
    file_io.copy_parallel(source, target)
    return target


def _copyfile(source, target, **_):
    file_io.copy(source, target)
    return target


def _makedirs(url, mode=0o777, exist_ok=False):
    if not exist_ok and file_io.is_directory(url):
        raise FileExistsError(17, "this folder exists", url)
    file_io.make_dirs(url)


def _rmtree(url, ignore_errors=False, *_, **__):
    try:
        if not file_io.is_directory(url):
            raise file_io.MoxFileNotExistsException(url)
        file_io.remove(url, recursive=True)
    except OSError:
        if not ignore_errors:
            raise


def _remove(url, **_):
    if file_io.remote.find(file_io.Location(url)) is None:
        raise file_io.MoxFileNotExistsException(url)
    file_io.remove(url)


def _open(url, mode="r", buffering=-1, encoding=None, errors=None, newline=None, *_, **__):
    return file_io.File(url, mode, encoding=encoding, errors=errors, newline=newline)


def _is_file(url):
    return file_io.exists(url) and not file_io.is_directory(url)


# Module, name, what stands in for it, how many of its first arguments may be URLs.
_TABLE = (
    (builtins, "open", _open, 1), (os, "listdir", file_io.list_directory, 1), (os, "makedirs", _makedirs, 1),
    (os, "mkdir", lambda url, *_, **__: file_io.mk_dir(url), 1), (os, "remove", _remove, 1), (os, "unlink", _remove, 1),
    (os, "rename", lambda source, target, **_: file_io.rename(source, target), 2), (os, "scandir", file_io.scan_dir, 1),
    (os, "stat", lambda url, **_: file_io.remote_stat(url), 1), (os, "walk", file_io.walk, 1),
    (os.path, "exists", file_io.exists, 1), (os.path, "isdir", file_io.is_directory, 1), (os.path, "isfile", _is_file, 1),
    (os.path, "getsize", file_io.get_size, 1), (glob, "glob", lambda url, **_: file_io.glob(url), 1),
    (shutil, "copyfile", _copyfile, 2), (shutil, "copy", _copyfile, 2), (shutil, "copytree", _copytree, 2),
    (shutil, "rmtree", _rmtree, 1),
)


def _both(own, ours, count):
    @functools.wraps(own)
    def either(*words, **options):
        if any(is_remote(word) for word in words[:count]):
            return ours(*words, **options)
        return own(*words, **options)
    return either


def shift(source, target):
    """shift('os', 'mox') begins, shift('mox', 'os') ends it. Doing it twice is doing it once."""
    if (source, target) == ("os", "mox"):
        for module, name, ours, count in _TABLE:
            if (module, name) not in _kept:
                _kept[module, name] = getattr(module, name)
                setattr(module, name, _both(_kept[module, name], ours, count))
    elif (source, target) == ("mox", "os"):
        for (module, name), own in _kept.items():
            setattr(module, name, own)
        _kept.clear()
    else:
        raise ValueError("moxing: shift takes ('os', 'mox') or ('mox', 'os'), not (%r, %r)" % (source, target))
