"""Copies of files and of trees between any two places."""
import errno
import logging
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor

from . import copier, local, once, remote, s3
from .exceptions import MoxFileNameDuplicateException, MoxFileNotExistsException
from .location import Location
from .settings import current

log = logging.getLogger("moxing")


def side(at):
    """The operations for a location."""
    return remote if at.remote else local


def look(at):
    return side(at).look(at)


def _temporary(path):
    """A file that becomes `path`, in its folder, with the rights that a new file has."""
    handle, name = tempfile.mkstemp(prefix=".moxing-", dir=os.path.dirname(path) or ".")
    mask = os.umask(0)
    os.umask(mask)
    os.fchmod(handle, 0o666 & ~mask)
    return os.fdopen(handle, "w+b"), name


def _into_place(path, fill):
    """Makes the file at once or not at all."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    file, name = _temporary(path)
    try:
        with file:
            fill(file)
        os.replace(name, path)
    except BaseException:
        if os.path.lexists(name):
            os.unlink(name)
        raise


def _copy_bytes(path, file):
    with open(path, "rb") as source:
        shutil.copyfileobj(source, file, 1 << 20)


def _one(source, target):
    """One file in Python. The source is a file, the target a file's name."""
    if source.remote and target.remote:
        found = remote.find(source)
        if found is None:
            raise MoxFileNotExistsException(source.url)
        s3.copy(source, target, found.size)
    elif source.remote:
        _into_place(target.path, lambda file: s3.download(source, file))
    elif target.remote:
        with open(source.path, "rb") as file:
            s3.upload(target, file, os.fstat(file.fileno()).st_size)
    elif not (os.path.exists(target.path) and os.path.samefile(source.path, target.path)):
        _into_place(target.path, lambda file: _copy_bytes(source.path, file))


def copy(source, target):
    """One file. A target that ends with a slash, or is a local folder, gets it under its own name."""
    found = look(source)
    if found.is_dir:
        raise IsADirectoryError(errno.EISDIR, "this is a folder: use copy_parallel", source.url)
    if target.url.endswith("/") or (target.remote and not target.key) or (not target.remote and os.path.isdir(target.path)):
        target = target.join(found.name)
    if found.size > s3.PART and (source.remote or target.remote) and copier.can_copy(source, target):
        copier.run(source, target, False, 16)
    else:
        _one(source, target)


def check_names(source, found):
    """Objects as files of this machine: each name must be possible, and none may be file and folder at once."""
    files = {one.name for one in found if not one.is_dir}
    for one in found:
        parts = one.name.split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise OSError(errno.EINVAL, "this object's name cannot be the name of a file", source.join(one.name).url)
        for end in range(1, len(parts) + (1 if one.is_dir else 0)):
            if "/".join(parts[:end]) in files:
                raise MoxFileNameDuplicateException(source.join("/".join(parts[:end])).url)


def _make_folder(target):
    if not target.remote:
        os.makedirs(target.path, exist_ok=True)
    elif not remote.is_directory(target):
        remote.make_dirs(target)


def _empty_folders(found):
    above = {one.name.rpartition("/")[0] for one in found}
    return [one for one in found if one.is_dir and one.name not in above]


def _in_python(source, target, found, threads):
    """A tree, file by file; the first error ends it."""
    for one in _empty_folders(found):
        if target.remote:
            s3.put(Location(target.join(one.name).url + "/"), b"")
        else:
            os.makedirs(os.path.join(target.path, one.name), exist_ok=True)
    with ThreadPoolExecutor(max_workers=max(1, min(256, threads or 1))) as pool:
        begun = [pool.submit(_one, source.join(one.name), target.join(one.name)) for one in found if not one.is_dir]
        try:
            for each in begun:
                each.result()
        except BaseException:
            for each in begun:
                each.cancel()
            raise


def _all(source, target, found, threads, lock=None):
    """A whole tree, by the copier where it is there. Under a lock a copy that was cut off goes on."""
    linked = not source.remote and local.has_linked_folders(source)  # which the copier passes over
    if linked or not copier.can_copy(source, target):
        return _in_python(source, target, found, threads)
    if any(not one.is_dir for one in found):
        copier.run(source, target, True, threads, once.folder() if lock else None, (lock.fileno(),) if lock else ())
    _in_python(source, target, _empty_folders(found), 1)


def _fetch(source, target, threads):
    """From a bucket to this node: once for all its ranks."""
    def list_source():
        found = remote.tree(source)
        check_names(source, found)
        return found

    def fetch_all(found, lock):
        if not found:
            log.warning("No files to copy: %s is empty", source.url)
        _all(source, target, found, threads, lock)

    def copy_local(path, found):
        _in_python(Location(path), target, found, threads)

    os.makedirs(target.path, exist_ok=True)
    place = once.folder()
    if place is None:
        return fetch_all(list_source(), None)
    how = once.fetch(place, current().endpoint, "%s/%s" % (source.bucket, source.prefix), target.path, list_source, fetch_all,
                     copy_local)
    if how != "fetched":
        log.info("%s was on this node already: %s", source.url, how)


def _named(source, target, file_list, threads):
    found = [s3.Found(name.lstrip("/")) for name in file_list]
    if not target.remote:
        check_names(source, found)
    _in_python(source, target, found, threads)


def copy_tree(source, target, file_list, threads):
    """All below a folder, or of it what `file_list` names; a single file is copied as one."""
    if not look(source).is_dir:
        return copy(source, target)
    if not source.remote and not target.remote and os.path.realpath(source.path) == os.path.realpath(target.path):
        return
    if source.remote and not target.remote and file_list is None:
        return _fetch(source, target, threads)
    side(target).make_dirs(target)
    if file_list is not None:
        return _named(source, target, file_list, threads)
    found = side(source).tree(source)
    if not found:
        log.warning("No files to copy: %s is empty", source.url)
    _all(source, target, found, threads)
