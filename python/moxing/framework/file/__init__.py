"""mox.file: files here and in buckets, by the same functions."""
import logging as _logging
import os as _os

from . import file_io  # noqa: F401
from .file_io import (File, MoxFileNameDuplicateException, MoxFileNotExistsException, MoxFileReadException,  # noqa: F401
                      MoxFileRespException, append, append_remote, background_sync_copy, copy, copy_parallel, exists, get_size,
                      glob, is_directory, list_directory, make_dirs, mk_dir, read, remove, rename, scan_dir, set_auth, stat,
                      walk, write)
from .shifting import shift  # noqa: F401

if _os.environ.get("MOX_SILENT_MODE") == "1":
    _logging.getLogger("moxing").setLevel(_logging.ERROR)
