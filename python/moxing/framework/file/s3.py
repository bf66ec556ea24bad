"""What the store can do, one function an operation. Every location is remote."""
import calendar
import re
import time
import xml.etree.ElementTree as tree
from urllib.parse import unquote
from xml.sax.saxutils import escape

from .connection import request
from .exceptions import MoxFileNotExistsException, MoxFileReadException, MoxFileRespException
from .location import encode_key
from .settings import current
from .signing import quote_key

PART = 16 << 20       # bodies up to this go in one piece
LEAST_PART = 5 << 20  # what stores take as a part that is not the last
_CHUNK = 1 << 20


class Found:
    """An object as listings and HEAD tell it; `name` is relative to what was listed."""

    def __init__(self, name, size=0, mtime_ns=0, etag="", is_dir=False):
        self.name, self.size, self.mtime_ns, self.etag, self.is_dir = name, size, mtime_ns, etag, is_dir


def _iso_ns(text):
    """2024-01-02T03:04:05.678Z as nanoseconds; 0 when it is something else."""
    found = re.match(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?", text or "")
    if not found:
        return 0
    parts = [int(part) for part in found.groups()[:6]]
    return calendar.timegm(parts + [0, 0, 0]) * 10**9 + int((found.group(7) or "0").ljust(9, "0"))


def _http_ns(text):
    try:
        return calendar.timegm(time.strptime(text or "", "%a, %d %b %Y %H:%M:%S GMT")) * 10**9
    except ValueError:
        return 0


def _below(text, prefix, url):
    """A listed key, relative to what was listed."""
    key = unquote(text or "", encoding="utf-8", errors="surrogateescape")
    if not key.startswith(prefix):
        raise MoxFileReadException("moxing: the store listed a key for %s that was not asked for" % url)
    return key[len(prefix):]


def _parse(answer, url):
    """The document without its namespace, which not every store writes."""
    if b"<!" in answer.body:  # declarations, by which few bytes become many; no store has any
        raise MoxFileReadException("moxing: the store's answer for %s has a declaration in it" % url)
    try:
        root = tree.fromstring(answer.body)
    except tree.ParseError as error:
        raise MoxFileReadException("moxing: the store's answer for %s is no XML: %s" % (url, error))
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def pages(at, prefix, delimiter="", most=None):
    """The keys that begin with `prefix`, page by page: lists of Found, folders (with `delimiter`) among them."""
    token, most = None, most or current().list_max_keys
    while True:
        query = [("list-type", "2"), ("prefix", prefix), ("max-keys", str(most)), ("encoding-type", "url")]
        query += [("delimiter", delimiter)] if delimiter else []
        query += [("continuation-token", token)] if token else []
        encoded = [(name, encode_key(value)) for name, value in query]
        root = _parse(request("GET", at.bucket, query=[(n, v) for n, v in encoded], url=at.url), at.url)
        page = []
        for element in root:
            if element.tag == "Contents":
                page.append(Found(_below(element.findtext("Key"), prefix, at.url), int(element.findtext("Size") or 0),
                                  _iso_ns(element.findtext("LastModified")), (element.findtext("ETag") or "").strip('"')))
            elif element.tag == "CommonPrefixes":
                page.append(Found(_below(element.findtext("Prefix"), prefix, at.url), is_dir=True))
        yield page
        following = root.findtext("NextContinuationToken")
        if root.findtext("IsTruncated") != "true" or not following or following == token:
            return
        token = following


def head(at):
    """The object, or None when there is none."""
    try:
        headers = request("HEAD", at.bucket, at.key, url=at.url).headers
    except MoxFileNotExistsException:
        return None
    return Found(at.name, int(headers.get("content-length") or 0), _http_ns(headers.get("last-modified")),
                 (headers.get("etag") or "").strip('"'))


def has_bucket(at):
    try:
        request("HEAD", at.bucket, url=at.url)
    except MoxFileNotExistsException:
        return False
    return True


def get(at, begin=0, end=None, etag=""):
    """Bytes [begin, end) of the object, fewer at its end; with `etag` only while it is the same object."""
    headers = {"range": "bytes=%d-%s" % (begin, "" if end is None else end - 1)} if begin or end is not None else {}
    if etag:
        headers["if-match"] = '"%s"' % etag
    try:
        return request("GET", at.bucket, at.key, headers=headers, url=at.url).body
    except MoxFileRespException as error:
        status = error.resp.status if error.resp else 0
        if status == 416:
            return b""
        if status == 412:
            raise MoxFileReadException("moxing: %s was replaced while it was read: open it again" % at.url)
        raise


def download(at, file):
    """The whole object into an open file, going on where a connection broke. The object as it was."""
    at_byte, etag, size = 0, "", None
    for _ in range(current().retry + 1):
        headers = {"range": "bytes=%d-" % at_byte, "if-match": '"%s"' % etag} if at_byte else {}
        answer = request("GET", at.bucket, at.key, headers=headers, stream=True, url=at.url)
        if at_byte and answer.status != 206:
            file.seek(0)
            file.truncate()
            at_byte = 0
        if size is None or not at_byte:
            etag = (answer.headers.get("etag") or "").strip('"')
            size = at_byte + int(answer.headers.get("content-length") or 0)
        try:
            while True:
                piece = answer.stream.read(_CHUNK)
                if not piece:
                    break
                file.write(piece)
                at_byte += len(piece)
        except OSError as error:
            if error.errno and error.filename is None and not isinstance(error, ConnectionError):
                raise
        except Exception as error:  # http.client's own errors: the rest is asked for again
            if type(error).__module__ != "http.client":
                raise
        if at_byte == size:
            return Found(at.name, size, _http_ns(answer.headers.get("last-modified")), etag)
    raise MoxFileReadException("moxing: %s ended after %d of %s bytes" % (at.url, at_byte, size))


def put(at, data, headers=None):
    """One body, at most what the store takes in one. The ETag."""
    answer = request("PUT", at.bucket, at.key, headers=headers, body=bytes(data), url=at.url)
    return (answer.headers.get("etag") or "").strip('"')


def upload(at, file, size):
    """An open file as the object: in one piece, or in parts that become it all at once."""
    if size <= PART:
        return put(at, file.read(size))
    part = max(PART, -(-size // 9999))
    with Upload(at) as parts:
        left = size
        while left > 0:
            data = file.read(min(part, left))
            if not data:
                raise MoxFileReadException("moxing: a file became shorter while it was copied to %s" % at.url)
            parts.add(data)
            left -= len(data)
        return parts.complete()


class Upload:
    """A multipart upload. Left without `complete` it is aborted, and nothing of it is seen."""

    def __init__(self, at):
        self._at, self._etags, self._done = at, [], False
        root = _parse(request("POST", at.bucket, at.key, [("uploads", b"")], url=at.url), at.url)
        self._id = (root.findtext("UploadId") or "").encode()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if not self._done:
            try:
                request("DELETE", self._at.bucket, self._at.key, [("uploadId", self._id)], url=self._at.url)
            except OSError:
                if kind is None:
                    raise

    def _query(self):
        return [("partNumber", str(len(self._etags) + 1).encode()), ("uploadId", self._id)]

    def add(self, data):
        answer = request("PUT", self._at.bucket, self._at.key, self._query(), body=data, url=self._at.url)
        self._etags.append(answer.headers.get("etag") or "")

    def add_copy(self, source, begin, end, etag):
        headers = {"x-amz-copy-source": copy_source(source), "x-amz-copy-source-range": "bytes=%d-%d" % (begin, end - 1)}
        if etag:
            headers["x-amz-copy-source-if-match"] = '"%s"' % etag
        answer = request("PUT", self._at.bucket, self._at.key, self._query(), headers=headers, url=self._at.url)
        self._etags.append(_parse(answer, self._at.url).findtext("ETag") or "")

    def complete(self, headers=None):
        parts = "".join("<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>" % (number, escape(etag))
                        for number, etag in enumerate(self._etags, 1))
        body = ("<CompleteMultipartUpload>%s</CompleteMultipartUpload>" % parts).encode()
        answer = request("POST", self._at.bucket, self._at.key, [("uploadId", self._id)], headers, body, url=self._at.url)
        root = _parse(answer, self._at.url)
        if root.tag == "Error":  # stores may begin with 200 and fail later
            raise MoxFileRespException("moxing: the parts of %s were refused: %s" % (self._at.url, root.findtext("Code")))
        self._done = True
        return (root.findtext("ETag") or "").strip('"')


def copy_source(at):
    return "/%s/%s" % (quote_key(at.bucket.encode()), quote_key(encode_key(at.key)))


def copy(source, target, size):
    """Within the store, without the bytes passing here."""
    if size <= 5 << 30:
        answer = request("PUT", target.bucket, target.key, headers={"x-amz-copy-source": copy_source(source)}, url=target.url)
        if b"<Error>" in answer.body[:200]:
            raise MoxFileRespException("moxing: %s could not be copied to %s" % (source.url, target.url))
        return
    part = max(1 << 30, -(-size // 9999))
    with Upload(target) as parts:
        for begin in range(0, size, part):
            parts.add_copy(source, begin, min(size, begin + part), "")
        parts.complete()


def delete(at, keys):
    """Removes keys of one bucket; those that are gone already are no error."""
    for begin in range(0, len(keys), 1000):
        group = keys[begin:begin + 1000]
        if any(not _fits_xml(key) for key in group):
            for key in group:
                request("DELETE", at.bucket, key, url=at.url)
            continue
        body = "<Delete><Quiet>true</Quiet>%s</Delete>" % "".join(
            "<Object><Key>%s</Key></Object>" % escape(key, {"\r": "&#13;"}) for key in group)
        root = _parse(request("POST", at.bucket, query=[("delete", b"")], headers=_md5(body.encode()), body=body.encode(),
                              url=at.url), at.url)
        for error in root.iter("Error"):
            raise MoxFileRespException("moxing: %s was not removed: %s: %s" %
                                       (error.findtext("Key"), error.findtext("Code"), error.findtext("Message")))


def _md5(body):
    import base64
    import hashlib
    return {"content-md5": base64.b64encode(hashlib.md5(body).digest()).decode()}


def _fits_xml(key):
    return not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", key)
