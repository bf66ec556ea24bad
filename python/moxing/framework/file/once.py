"""Several ranks of a node that want the same data: one fetches it, the others use what it brought.

One lock file and one note for each source, in a folder of this user on this node. The lock is the kernel's, so it ends
with its holder however that ends; the note is replaced as a whole, and is believed only as far as the files agree with it.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import stat
import tempfile


def folder():
    """Where locks and notes are, or None when no place is ours alone: then every rank fetches for itself."""
    above = [tempfile.gettempdir()]
    if os.environ.get("MUSTER_JOB_DIR"):
        above.append(os.environ["MUSTER_JOB_DIR"])
    for place in above:
        path = os.path.join(place, "moxing-%d" % os.getuid())
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass
        except OSError:
            continue
        info = os.lstat(path)
        if stat.S_ISDIR(info.st_mode) and info.st_uid == os.getuid() and not info.st_mode & 0o022:
            return path
    return None


def _name(*parts):
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


class Lock:
    """A lock among the processes of this node."""

    def __init__(self, place, *parts):
        self._file = os.open(os.path.join(place, _name(*parts) + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def fileno(self):
        return self._file

    def alone(self):
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def shared(self):
        fcntl.flock(self._file, fcntl.LOCK_SH)

    def close(self):
        os.close(self._file)


def listing_digest(found):
    """Names one state of a source: the same digest, the same bytes."""
    lines = sorted("%s\0%d\0%s\0%d\0%d" % (one.name, one.size, one.etag, one.mtime_ns, one.is_dir) for one in found)
    return _name(*lines) if lines else "empty"


def files_digest(root, found):
    """Names the state of the copied files below `root`; None when one is missing or has another size."""
    lines = []
    for one in found:
        try:
            info = os.stat(os.path.join(root, one.name) if one.name else root)
        except OSError:
            return None
        if one.is_dir:
            continue
        if not stat.S_ISREG(info.st_mode) or info.st_size != one.size:
            return None
        lines.append("%s\0%d\0%d\0%d" % (one.name, info.st_size, info.st_mtime_ns, info.st_ino))
    return _name(*sorted(lines)) if lines else "empty"


class Note:
    """Which folders of this node hold a state of the source: {"listing": digest, "copies": {path: digest}}."""

    def __init__(self, place, *parts):
        self._path = os.path.join(place, _name(*parts) + ".json")

    def copies(self, listing):
        try:
            with open(self._path, encoding="utf-8") as file:
                note = json.load(file)
            copies = note["copies"] if note["listing"] == listing else {}
            return dict(copies) if all(isinstance(value, str) for value in copies.values()) else {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def write(self, listing, copies):
        made = self._path + ".%d" % os.getpid()
        with open(made, "w", encoding="utf-8") as file:
            json.dump({"listing": listing, "copies": copies}, file)
        os.replace(made, self._path)


@contextlib.contextmanager
def _held(lock):
    try:
        yield lock
    finally:
        lock.close()


def fetch(place, store, source, target, list_source, fetch_all, copy_local):
    """Brings what `list_source()` tells to the folder or file `target`: by `fetch_all(found, lock)` when no copy is
    on this node, by `copy_local(path, found)` when another folder has one, by nothing when `target` has it. Says which."""
    target = os.path.realpath(target)
    with _held(Lock(place, "to", target)) as of_target, _held(Lock(place, "from", store, source)) as of_source:
        of_target.alone()
        of_source.alone()
        found = list_source()
        listing, note = listing_digest(found), Note(place, store, source)
        copies = note.copies(listing)
        if copies.get(target) and copies[target] == files_digest(target, found):
            return "there"
        for path, digest in copies.items():
            if path == target or digest != files_digest(path, found):
                continue
            of_source.shared()  # others may copy beside us; nobody fetches meanwhile
            copy_local(path, found)
            used = digest == files_digest(path, found)  # its owner may have changed it under our hands
            of_source.alone()
            if used:
                _remember(note, listing, target, found)
                return "copied"
        fetch_all(found, of_source)
        # What was copied belongs to the listing only if the source stayed as it was.
        if listing_digest(list_source()) == listing:
            _remember(note, listing, target, found)
        return "fetched"


def _remember(note, listing, target, found):
    digest = files_digest(target, found)
    if digest is not None:
        note.write(listing, dict(note.copies(listing), **{target: digest}))
