"""File objects over local files and objects, in every mode that open() has."""
import io
import os
import tempfile

from . import remote, s3
from .exceptions import MoxFileNotExistsException
from .location import Location

_AHEAD = 1 << 20  # bytes that a reader asks for at once


class _Ranges(io.RawIOBase):
    """An object that is read where it is asked for; always the object that was there when it was opened."""

    def __init__(self, at, found):
        self._at, self._found, self._position = at, found, 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._position

    def seek(self, offset, whence=io.SEEK_SET):
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._found.size}[whence]
        if base + offset < 0:
            raise ValueError("negative seek position %d" % (base + offset))
        self._position = base + offset
        return self._position

    def readinto(self, buffer):
        want = min(len(buffer), self._found.size - self._position)
        if want <= 0:
            return 0
        data = s3.get(self._at, self._position, self._position + want, self._found.etag)
        buffer[:len(data)] = data
        self._position += len(data)
        return len(data)

    def readall(self):
        rest = self._found.size - self._position
        data = s3.get(self._at, self._position, self._found.size, self._found.etag) if rest > 0 else b""
        self._position += len(data)
        return data


def _split_mode(mode):
    kind = mode.replace("b", "").replace("t", "")
    if kind not in ("r", "w", "a", "x", "r+", "w+", "a+", "x+") or ("b" in mode and "t" in mode):
        raise ValueError("invalid mode: %r" % mode)
    return kind, "b" in mode


class File(io.IOBase):
    """An open file, local or remote. What is written to a remote one is there for others after flush() or close()."""

    def __init__(self, name, mode="r", encoding=None, errors=None, newline=None, **_):
        self._stream = None
        self.name, self.mode = name, mode
        kind, binary = _split_mode(mode)
        self._at = Location(name)
        self._kind, self._dirty, self._spool = kind, False, None
        text = {} if binary else {"encoding": encoding or "utf-8", "errors": errors, "newline": newline}
        if not self._at.remote:
            try:
                self._stream = io.open(self._at.path, mode, **text)
            except FileNotFoundError:
                if kind[0] == "r":
                    raise MoxFileNotExistsException(name)
                raise
        else:
            raw = self._open_remote(kind)
            self._stream = raw if binary else io.TextIOWrapper(raw, **text)

    def _open_remote(self, kind):
        found = remote.find(self._at)
        if kind[0] == "r" and found is None:
            raise IsADirectoryError(21, "this is a folder", self.name) if remote.is_directory(self._at) else \
                MoxFileNotExistsException(self.name)
        if kind == "r":
            return io.BufferedReader(_Ranges(self._at, found), _AHEAD)
        if kind[0] == "x" and found is not None:
            raise FileExistsError(17, "this file exists", self.name)
        remote.need_file_name(self._at)
        # Not the spooled file itself: TextIOWrapper asks it for methods that it got late.
        self._spool = tempfile.TemporaryFile(prefix="moxing-")
        if kind in ("r+", "a+") and found is not None:
            s3.download(self._at, self._spool)
            self._spool.seek(0, io.SEEK_END if kind == "a+" else io.SEEK_SET)
        self._dirty = kind[0] in "wx" or found is None
        return self._spool

    # -- what a file object has
    @property
    def closed(self):
        return self._stream is None or self._stream.closed

    @property
    def encoding(self):
        return getattr(self._stream, "encoding", None)

    def readable(self):
        return self._kind == "r" or self._kind.endswith("+")

    def writable(self):
        return self._kind != "r"

    def seekable(self):
        return True

    def _need(self, allowed, what):
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if not allowed:
            raise io.UnsupportedOperation("not " + what)

    def read(self, size=-1):
        self._need(self.readable(), "readable")
        return self._stream.read(-1 if size is None else size)

    def readinto(self, buffer):
        self._need(self.readable(), "readable")
        return self._stream.readinto(buffer)

    def readline(self, size=-1):
        self._need(self.readable(), "readable")
        return self._stream.readline(-1 if size is None else size)

    def readlines(self, hint=-1):
        self._need(self.readable(), "readable")
        return self._stream.readlines(-1 if hint is None else hint)

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def write(self, data):
        self._need(self.writable(), "writable")
        if self._kind[0] == "a" and self._at.remote:
            self._stream.seek(0, io.SEEK_END)
        self._dirty = True
        return self._stream.write(data)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def seek(self, offset, whence=io.SEEK_SET):
        self._need(True, "")
        return self._stream.seek(offset, whence)

    def tell(self):
        self._need(True, "")
        return self._stream.tell()

    def truncate(self, size=None):
        self._need(self.writable(), "writable")
        self._dirty = True
        return self._stream.truncate(size)

    def fileno(self):
        if self._at.remote:
            raise io.UnsupportedOperation("fileno")
        return self._stream.fileno()

    def isatty(self):
        return False

    def size(self):
        """The bytes of the file, those not yet flushed included."""
        if self.writable() and not self.closed:
            self._stream.flush()
            if self._spool is not None:
                added = os.fstat(self._spool.fileno()).st_size
                found = remote.find(self._at) if self._kind == "a" else None
                return added + (found.size if found else 0)
        return remote.look(self._at).size if self._at.remote else os.path.getsize(self._at.path)

    def flush(self):
        if self._stream is None or self._stream.closed:
            return
        self._stream.flush()
        if self._spool is None or not self._dirty:
            return
        self._dirty = False
        position = self._spool.tell()
        try:
            self._send()
        except BaseException:
            self._dirty = True
            raise
        if self._kind != "a":
            self._spool.seek(position)

    def _send(self):
        size = os.fstat(self._spool.fileno()).st_size
        self._spool.seek(0)
        if self._kind == "a":  # only what is new; it is in the object now
            remote.append(self._at, self._spool.read())
            self._spool.seek(0)
            self._spool.truncate()
        else:
            s3.upload(self._at, self._spool, size)

    def close(self):
        if self._stream is None or self._stream.closed:
            return
        try:
            self.flush()
        finally:
            self._stream.close()

    def __enter__(self):
        self._need(True, "")
        return self

    def __exit__(self, *_):
        self.close()
