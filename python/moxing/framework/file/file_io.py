"""The functions of mox.file. Every one takes local paths and obs:// or s3:// URLs alike."""
import errno
import logging
import os
import shutil
import threading

from . import copying, remote
from .copying import side
from .exceptions import (MoxFileNameDuplicateException, MoxFileNotExistsException, MoxFileReadException,  # noqa: F401
                         MoxFileRespException)
from .file_object import File  # noqa: F401
from .listing import glob, list_directory, scan_dir, walk  # noqa: F401
from .location import Location, is_remote  # noqa: F401
from .settings import set_auth  # noqa: F401

# Scripts set these to tune the genuine package. Here the copier chooses, and they change nothing.
_LARGE_FILE_METHOD = 1
_LARGE_FILE_TASK_NUM = 32
_LARGE_FILE_PART_SIZE = 10 << 20
_NUMBER_OF_PROCESSES = 16
NUMBER_OF_PROCESSES = 16

log = logging.getLogger("moxing")


class FileStatistics:
    """What stat() tells: bytes, time of the last change in nanoseconds, and whether it is a folder."""

    def __init__(self, length, mtime_nsec, is_directory):
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory

    def __repr__(self):
        return "FileStatistics(length=%d, mtime_nsec=%d, is_directory=%s)" % (self.length, self.mtime_nsec, self.is_directory)


def _bytes(data):
    return data.encode("utf-8") if isinstance(data, str) else bytes(memoryview(data))  # a number is no data


def exists(url):
    at = Location(url)
    return side(at).exists(at)


def is_directory(url):
    at = Location(url)
    return side(at).is_directory(at)


def read(url, client_id=None, binary=False):
    """The whole content: text, or bytes when `binary`."""
    at = Location(url)
    data = side(at).read(at)
    return data if binary else data.decode("utf-8")


def write(url, data, binary=False, client_id=None):
    at = Location(url)
    side(at).write(at, _bytes(data))


def append(url, data, binary=False, client_id=None):
    """Adds at the end; makes the file when there is none."""
    at = Location(url)
    side(at).append(at, _bytes(data))


def append_remote(src_url, dst_url, client_id=None):
    """Adds the content of one file to the end of another."""
    append(dst_url, read(src_url, binary=True), binary=True)


def make_dirs(url):
    at = Location(url)
    side(at).make_dirs(at)


def mk_dir(url):
    at = Location(url)
    side(at).mk_dir(at)


def remove(url, recursive=False, client_id=None):
    """A file. A folder only with recursive=True; without it nothing happens to it."""
    at = Location(url)
    side(at).remove(at, recursive)


def stat(url):
    at = Location(url)
    found = side(at).look(at)
    return FileStatistics(found.size, found.mtime_ns, found.is_dir)


def get_size(url, recursive=False, client_id=None):
    """Bytes of a file; of a folder 0, or with recursive=True all below it."""
    at = Location(url)
    found = side(at).look(at)
    if not found.is_dir or not recursive:
        return found.size
    return sum(one.size for one in side(at).tree(at) if not one.is_dir)


def copy(src_url, dst_url, client_id=None):
    """One file, from anywhere to anywhere."""
    copying.copy(Location(src_url), Location(dst_url))


def copy_parallel(src_url, dst_url, file_list=None, threads=16, is_processing=True, use_queue=True, **_):
    """The content of a folder into another, which is made. Ranks of a node that ask for the same fetch it once."""
    copying.copy_tree(Location(src_url), Location(dst_url), file_list, threads)


def rename(src_url, dst_url):
    """Moves a file or a folder, also between this machine and a bucket. The source goes when the target is whole."""
    source, target = Location(src_url), Location(dst_url)
    found = side(source).look(source)
    if not source.remote and not target.remote:
        return _move(source.path, target.path)
    if source.remote and target.remote and source.bucket == target.bucket:
        if source.key.rstrip("/") == target.key.rstrip("/"):
            return
        # What was copied would be removed with the source.
        if found.is_dir and (source.prefix.startswith(target.prefix) or target.prefix.startswith(source.prefix)):
            raise OSError(errno.EINVAL, "one of the folders lies in the other", src_url, None, dst_url)
    if found.is_dir:
        copying.copy_tree(source, target, None, 16)
    else:
        copying.copy(source, target)
    side(source).remove(source, found.is_dir)


def _move(source, target):
    os.makedirs(os.path.dirname(os.path.abspath(target.rstrip("/"))), exist_ok=True)
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV or os.path.isdir(target):
            raise
        shutil.move(source, target)  # to another file system


class background_sync_copy:
    """Copies a folder to another again and again while the script runs: every `seconds`, and once more at stop()."""

    def __init__(self, src_url, dst_url, seconds=60):
        self._ends, self._seconds, self._over = (src_url, dst_url), max(1, seconds), threading.Event()
        self._thread = threading.Thread(target=self._run, name="moxing-sync", daemon=True)
        self._thread.start()

    def _run(self):
        while not self._over.wait(self._seconds):
            try:
                copy_parallel(*self._ends)
            except OSError as error:
                log.warning("%s was not copied to %s: %s", self._ends[0], self._ends[1], error)

    def stop(self):
        self._over.set()
        self._thread.join()
        copy_parallel(*self._ends)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def remote_stat(url):
    """As os.stat tells it, for shift()."""
    from .listing import as_stat
    return as_stat(remote.look(Location(url)))
