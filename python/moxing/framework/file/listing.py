"""What lies below a folder: names, walks, patterns."""
import fnmatch
import glob as glob_
import os
import re
import stat as stat_

from . import remote
from .copying import side
from .exceptions import MoxFileNotExistsException
from .location import Location, is_remote, join


class Entry:
    """One of scan_dir(): what os.DirEntry has, for a bucket's."""

    def __init__(self, folder, found):
        self.name, self.path, self._found = found.name, join(folder, found.name), found

    def is_dir(self, follow_symlinks=True):
        return self._found.is_dir

    def is_file(self, follow_symlinks=True):
        return not self._found.is_dir

    def is_symlink(self):
        return False

    def inode(self):
        return 0

    def stat(self, follow_symlinks=True):
        return as_stat(self._found)

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return "<Entry %r>" % self.name


class Entries:
    """The iterator of scan_dir(), which may also be used in a with statement."""

    def __init__(self, entries):
        self._entries = iter(entries)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._entries)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._entries = iter(())


def as_stat(found):
    """As os.stat tells it."""
    mode = (stat_.S_IFDIR | 0o755) if found.is_dir else (stat_.S_IFREG | 0o644)
    seconds = found.mtime_ns // 10**9
    return os.stat_result((mode, 0, 0, 1, os.getuid(), os.getgid(), found.size, seconds, seconds, seconds))


def list_directory(url, recursive=False, remove_sep=True, skip_file=False, skip_dir=False):
    """Names below a folder, relative to it, each once, in order; with remove_sep=False folders end with a slash."""
    at = Location(url)
    kinds = {}  # name and kind: a bucket may have a file and a folder of one name
    for one in (side(at).tree if recursive else side(at).entries)(at):
        kinds[one.name, one.is_dir] = True
        if recursive and at.remote:
            for end in [i for i, letter in enumerate(one.name) if letter == "/" and i]:
                kinds[one.name[:end], True] = True
    wanted = [(name, is_dir) for name, is_dir in kinds if not (skip_dir if is_dir else skip_file)]
    return sorted({name + "/" if is_dir and not remove_sep else name for name, is_dir in wanted})


def scan_dir(url):
    at = Location(url)
    if not at.remote:
        return os.scandir(at.path)
    return Entries([Entry(url, one) for one in remote.entries(at)])


def walk(url, topdown=True, onerror=None, followlinks=False):
    """As os.walk: (folder, names of folders, names of files) for each folder; whoever walks down may cut names out."""
    at = Location(url)
    if not at.remote:
        for one in os.walk(url, topdown, onerror, followlinks):
            yield one
        return
    try:
        found = remote.entries(at)
    except OSError as error:
        if onerror is not None:
            onerror(error)
        return
    dirs = [one.name for one in found if one.is_dir]
    files = [one.name for one in found if not one.is_dir]
    if topdown:
        yield url, dirs, files
    for name in dirs:
        for one in walk(join(url, name), topdown, onerror, followlinks):
            yield one
    if not topdown:
        yield url, dirs, files


_MAGIC = re.compile(r"[*?[]")


def _matching(folder, parts, recursive):
    """URLs below the folder that fit the parts of a pattern, one part a level."""
    part, rest = parts[0], parts[1:]
    if not _MAGIC.search(part):
        at = Location(join(folder, part))
        if rest:
            for one in _matching(at.url, rest, recursive):
                yield one
        elif remote.exists(at):
            yield at.url
        return
    deep = recursive and part == "**"
    if deep and rest:
        for one in _matching(folder, rest, recursive):
            yield one
    try:
        found = remote.entries(Location(folder))
    except (MoxFileNotExistsException, NotADirectoryError):
        return
    for name, is_dir in sorted({(one.name, one.is_dir) for one in found}):
        if not fnmatch.fnmatchcase(name, "*" if deep else part) or (name.startswith(".") and not part.startswith(".")):
            continue
        here = join(folder, name)
        if not rest or (deep and not rest):
            yield here
        if is_dir and (rest or deep):
            for one in _matching(here, parts if deep else rest, recursive):
                yield one


def glob(pattern, recursive=False):
    """The paths or URLs that fit, as glob.glob gives them: `*` stays within a level, hidden names want their dot."""
    if not is_remote(pattern):
        return glob_.glob(os.fspath(pattern), recursive=recursive)
    at = Location(pattern)
    bucket = at.url[:len(at.url) - len(at.key)]
    if not at.key:
        return [at.url] if remote.exists(at) else []
    found = []
    for one in _matching(bucket, at.key.split("/"), recursive):
        if one not in found[-1:]:
            found.append(one)
    return sorted(set(found))
