"""What can go wrong, under the names that scripts catch. Each is also the built-in error it is closest to."""
import errno


class MoxFileNotExistsException(FileNotFoundError):
    """There is no such file, object, folder or bucket."""

    def __init__(self, url, text="no such file or folder"):
        super().__init__(errno.ENOENT, text, url)


class MoxFileNameDuplicateException(FileExistsError):
    """An object and a folder have one name, which files cannot have."""

    def __init__(self, url, text="both an object and a folder have this name"):
        super().__init__(errno.EEXIST, text, url)


class MoxFileReadException(OSError):
    """A body ended too early, and trying again did not help."""


class MoxFileRespException(OSError):
    """The store refused. `resp` has status, reason, errorCode, errorMessage and requestId."""

    def __init__(self, text, resp=None):
        super().__init__(text)
        self.resp = resp
