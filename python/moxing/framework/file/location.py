"""Paths and URLs: which are remote, and what of them is bucket and key."""
import os
import re

# One slash is what os.path.normpath and pathlib make of two; a local folder named "s3:" is nobody's wish.
_REMOTE = re.compile(r"(obs|s3):/{1,2}", re.IGNORECASE)


def is_remote(url):
    """Whether `url` names a bucket or something in one. Anything may be asked: descriptors are local."""
    if isinstance(url, os.PathLike):
        url = os.fspath(url)
    return isinstance(url, str) and _REMOTE.match(url) is not None


class Location:
    """One end of an operation: a local path, or bucket and key, of which every character counts."""

    def __init__(self, url):
        url = os.fspath(url)
        if isinstance(url, bytes):
            url = os.fsdecode(url)
        if not isinstance(url, str) or not url:
            raise ValueError("moxing: the url is empty: expected a path, obs://bucket/key or s3://bucket/key")
        if "\0" in url:
            raise ValueError("moxing: there is a NUL character in the url %r" % url)
        self.url = url
        found = _REMOTE.match(url)
        self.remote = found is not None
        self.scheme = found.group(1).lower() if found else ""
        self.bucket, self.key = "", ""
        if found:
            self.bucket, _, self.key = url[found.end():].partition("/")
            if not self.bucket:
                raise ValueError("moxing: there is no bucket in the url %r: expected obs://bucket/key" % url)

    @property
    def path(self):
        return self.url

    @property
    def prefix(self):
        """What the keys below it begin with, when it is a folder."""
        return self.key if not self.key or self.key.endswith("/") else self.key + "/"

    @property
    def name(self):
        """The last part: a file's own name."""
        return (self.key if self.remote else self.url).rstrip("/").rpartition("/")[2]

    def join(self, name):
        """What has this name below it."""
        return Location(join(self.url, name))


def join(url, name):
    return url + name if url.endswith("/") else url + "/" + name


def encode_key(key):
    """The bytes of a key: names that are no UTF-8 on disk keep theirs."""
    return key.encode("utf-8", "surrogateescape")
