"""Files and folders as a bucket has them: a folder is a prefix, or the empty object of its name and a slash."""
import errno
import io

from . import s3
from .exceptions import MoxFileNotExistsException, MoxFileReadException, MoxFileRespException

_TRIES = 20  # of an append that others append beside


def _below(at, most=1):
    """Some of what is below it as a folder; None when there is no such bucket."""
    try:
        return next(s3.pages(at, at.prefix, most=most))
    except MoxFileNotExistsException:
        return None


def find(at):
    """The object of exactly this name, or None."""
    return s3.head(at) if at.key and not at.key.endswith("/") else None


def is_directory(at):
    if not at.key:
        return s3.has_bucket(at)
    return bool(_below(at))


def exists(at):
    return find(at) is not None or is_directory(at)


def look(at):
    """The object or folder as Found; missing is an exception."""
    found = find(at)
    if found is not None:
        return found
    if is_directory(at):
        return s3.Found(at.name, is_dir=True)
    raise MoxFileNotExistsException(at.url)


def _need_directory(at):
    if find(at) is not None:
        raise NotADirectoryError(errno.ENOTDIR, "not a folder", at.url)
    if at.key or not s3.has_bucket(at):
        raise MoxFileNotExistsException(at.url)


def entries(at):
    """What stands right below a folder, in order. A name that is object and folder is there twice."""
    found = [one for page in s3.pages(at, at.prefix, "/") for one in page]
    if not found:
        _need_directory(at)
    for one in found:
        if one.is_dir:
            one.name = one.name[:-1]
    return sorted((one for one in found if one.name or one.is_dir), key=lambda one: (one.name, one.is_dir))


def tree(at):
    """Everything below a folder, in the order of the keys: objects, and the marks of folders (is_dir, without their slash)."""
    found = [one for page in s3.pages(at, at.prefix) for one in page]
    if not found:
        _need_directory(at)
    for one in found:
        if one.name.endswith("/") and one.size == 0:
            one.name, one.is_dir = one.name[:-1], True
    return [one for one in found if one.name]


def read(at):
    """The whole object."""
    if not at.key:
        raise IsADirectoryError(errno.EISDIR, "this is a bucket", at.url)
    file = io.BytesIO()
    try:
        s3.download(at, file)
    except MoxFileNotExistsException:
        if is_directory(at):
            raise IsADirectoryError(errno.EISDIR, "this is a folder", at.url)
        raise
    return file.getvalue()


def need_file_name(at):
    if not at.key or at.key.endswith("/"):
        raise IsADirectoryError(errno.EISDIR, "a file cannot have the name of a folder", at.url)


def write(at, data):
    need_file_name(at)
    s3.upload(at, io.BytesIO(data), len(data))


def append(at, data):
    """Adds to the object's end, or makes it. Small ones are sent anew, large ones grow inside the store."""
    need_file_name(at)
    for left in reversed(range(_TRIES)):
        found = s3.head(at)
        try:
            if found is None:
                return s3.put(at, data, {"if-none-match": "*"})
            if not data:
                return found.etag
            condition = {"if-match": '"%s"' % found.etag}
            if found.size >= s3.LEAST_PART:
                return _append_part(at, found, data, condition)
            return s3.put(at, s3.get(at, etag=found.etag if found.size else "") + data, condition)
        except MoxFileRespException as error:
            beaten = error.resp is not None and error.resp.status in (409, 412)
            if not beaten or not left:
                raise
        except (MoxFileNotExistsException, MoxFileReadException):
            if not left:  # others came between again and again
                raise


def _append_part(at, found, data, condition):
    with s3.Upload(at) as parts:
        part = max(1 << 30, -(-found.size // 9990))
        begin = 0
        while begin < found.size:
            end = min(found.size, begin + part)
            if found.size - end < s3.LEAST_PART:
                end = found.size
            parts.add_copy(at, begin, end, found.etag)
            begin = end
        for begin in range(0, len(data), s3.PART):
            parts.add(data[begin:begin + s3.PART])
        return parts.complete(condition)


def make_dirs(at):
    if find(at) is not None:
        raise FileExistsError(errno.EEXIST, "a file has this name", at.url)
    if is_directory(at):
        return
    if not at.key:
        raise MoxFileNotExistsException(at.url, "no such bucket")
    s3.put(at.__class__(at.url if at.key.endswith("/") else at.url + "/"), b"")


def mk_dir(at):
    above = at.key.rstrip("/").rpartition("/")[0]
    if above and not is_directory(at.__class__("%s://%s/%s" % (at.scheme, at.bucket, above))):
        raise MoxFileNotExistsException(at.url, "the folder above it does not exist")
    make_dirs(at)


def remove(at, recursive):
    """A file; a folder with all below it only when `recursive`, otherwise nothing. A bucket itself stays."""
    found = find(at)
    if found is not None:
        s3.delete(at, [at.key])
    if recursive:
        keys = [at.prefix + one.name for page in s3.pages(at, at.prefix) for one in page]
        s3.delete(at, keys)
        found = found or keys or not at.key
    if not found and not exists(at) and find(at.__class__(at.url.rstrip("/"))) is None:
        raise MoxFileNotExistsException(at.url)
