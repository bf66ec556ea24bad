"""The same operations on files of this machine."""
import errno
import os
import shutil

from .exceptions import MoxFileNotExistsException
from .s3 import Found


def exists(at):
    return os.path.exists(at.path)


def is_directory(at):
    return os.path.isdir(at.path)


def _found(name, info, is_dir):
    return Found(name, 0 if is_dir else info.st_size, info.st_mtime_ns, is_dir=is_dir)


def look(at):
    try:
        info = os.stat(at.path)
    except (FileNotFoundError, NotADirectoryError):
        raise MoxFileNotExistsException(at.url)
    return _found(at.name, info, os.path.isdir(at.path))


def entries(at):
    try:
        names = sorted(os.listdir(at.path))
    except FileNotFoundError:
        raise MoxFileNotExistsException(at.url)
    found = []
    for name in names:
        path = os.path.join(at.path, name)
        try:
            info = os.stat(path)
        except OSError:  # a link that leads nowhere, or gone by now
            try:
                info = os.lstat(path)
            except OSError:
                continue
        found.append(_found(name, info, os.path.isdir(path)))
    return found


def tree(at):
    """Everything below a folder, also behind links to folders, none of which is entered from within itself."""
    if not os.path.isdir(at.path):
        if not os.path.lexists(at.path):
            raise MoxFileNotExistsException(at.url)
        raise NotADirectoryError(errno.ENOTDIR, "not a folder", at.url)
    return list(_walk(at.path, "", (_identity(at.path),)))


def _identity(path):
    info = os.stat(path)
    return info.st_dev, info.st_ino


def _walk(root, above, seen):
    for entry in sorted(os.scandir(os.path.join(root, above)), key=lambda entry: entry.name):
        name = above + entry.name
        try:
            info, is_dir = entry.stat(), entry.is_dir()
        except OSError:
            continue
        yield _found(name, info, is_dir)
        if is_dir and _identity(entry.path) not in seen:
            for one in _walk(root, name + "/", seen + (_identity(entry.path),)):
                yield one


def has_linked_folders(at):
    return any(os.path.islink(os.path.join(folder, name)) for folder, names, _ in os.walk(at.path) for name in names)


def read(at):
    try:
        with open(at.path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise MoxFileNotExistsException(at.url)


def write(at, data):
    with open(at.path, "wb") as file:
        file.write(data)


def append(at, data):
    with open(at.path, "ab") as file:
        file.write(data)


def make_dirs(at):
    os.makedirs(at.path, exist_ok=True)


def mk_dir(at):
    os.mkdir(at.path)


def remove(at, recursive):
    """A file; a folder with all below it only when `recursive`, otherwise nothing. A link goes, not what it leads to."""
    path = at.path.rstrip("/") or "/"
    if not os.path.lexists(path):
        raise MoxFileNotExistsException(at.url)
    if os.path.isdir(path) and not os.path.islink(path):
        if recursive:
            shutil.rmtree(path)
    elif path == at.path or os.path.isdir(path):
        os.remove(path)
