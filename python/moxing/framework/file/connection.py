"""One request to the store, tried again where that can help, over a connection that each thread keeps."""
import email.utils
import hashlib
import http.client
import os
import random
import re
import ssl
import threading
import time

from . import settings as settings_
from .exceptions import MoxFileNotExistsException, MoxFileRespException
from .location import encode_key
from .signing import EMPTY, quote_key, quote_query, sign

_kept = threading.local()
_skew = {}  # seconds that a store's clock is ahead of ours

_AGAIN = {429, 500, 502, 503, 504}
_BROKEN = (OSError, http.client.HTTPException)
_LONGEST_ERROR = 1 << 16


class Answer:
    """Status, headers and the whole body; or, of a stream, the response that the body is read from."""

    def __init__(self, status, headers, body, stream=None):
        self.status, self.headers, self.body, self.stream = status, headers, body, stream


class Refusal:
    """What the store said when it refused, under the names that scripts know from OBS."""

    def __init__(self, status, reason, body, headers):
        text = body.decode("utf-8", "replace")
        self.status, self.reason = status, reason
        self.errorCode = _element(text, "Code")
        self.errorMessage = _element(text, "Message")
        self.requestId = headers.get("x-amz-request-id", "")


def _element(text, name):
    found = re.search("<%s>(.*?)</%s>" % (name, name), text, re.DOTALL)
    return found.group(1) if found else ""


def _connect(settings, host):
    """This thread's connection, or a new one. A child process never talks on its parent's."""
    if getattr(_kept, "pid", None) != os.getpid():
        _kept.pid, _kept.connections = os.getpid(), {}
    key = (settings.scheme, host, settings.port, settings.verify)
    found = _kept.connections.get(key)
    if found is not None:
        return key, found, True
    if settings.scheme == "https":
        context = ssl.create_default_context() if settings.verify else ssl._create_unverified_context()
        made = http.client.HTTPSConnection(host, settings.port, timeout=settings.client_timeout, context=context)
    else:
        made = http.client.HTTPConnection(host, settings.port, timeout=settings.client_timeout)
    _kept.connections[key] = made
    return key, made, False


def _drop(key):
    connection = _kept.connections.pop(key, None)
    if connection is not None:
        connection.close()


def _address(settings, bucket, key):
    """The host to ask, its header, and the path."""
    path, host = "/" + quote_key(encode_key(key)), settings.host
    if settings.virtual and bucket:
        host = bucket + "." + host
    elif bucket:
        path = "/" + quote_key(bucket.encode()) + (path if key else "")
    shown = "[%s]" % host if ":" in host else host
    usual = 443 if settings.scheme == "https" else 80
    return host, shown if settings.port == usual else "%s:%d" % (shown, settings.port), path


def _send(settings, method, bucket, key, query, headers, body):
    """One try: the response with its body unread, and the key of its connection."""
    host, shown, path = _address(settings, bucket, key)
    all_headers = {name.lower(): value for name, value in headers.items()}
    all_headers["host"] = shown
    text = quote_query(query)
    body_hash = hashlib.sha256(body).hexdigest() if body else EMPTY
    sign(settings, method, path, text, all_headers, body_hash, time.time() + _skew.get(settings.endpoint, 0))
    if body is not None or method in ("PUT", "POST"):
        all_headers["content-length"] = str(len(body or b""))
    target = path + ("?" + text if text else "")
    kept_key, connection, was_kept = _connect(settings, host)
    try:
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in all_headers.items():
            connection.putheader(name, value)
        connection.endheaders(body or None)
        return kept_key, connection.getresponse()
    except _BROKEN as error:
        _drop(kept_key)
        # A connection that the store closed meanwhile says nothing about the store.
        error.was_kept = was_kept
        raise


def _read(response, kept_key, most):
    """The body; the connection is kept only when all of it was read."""
    try:
        whole = response.read(most)
    except _BROKEN:
        _drop(kept_key)
        raise
    if most is not None or response.will_close:
        _drop(kept_key)
    return whole


def _learn_skew(settings, response):
    """True when the refusal may come of clocks that disagree, and the store's has been read."""
    said = email.utils.parsedate_tz(response.getheader("date") or "")
    if response.status != 403 or said is None or settings.endpoint in _skew:
        return False
    ahead = email.utils.mktime_tz(said) - time.time()
    if abs(ahead) < 300:
        return False
    _skew[settings.endpoint] = ahead
    return True


def request(method, bucket, key="", query=(), headers=None, body=None, ok=(200, 204, 206), stream=False, url=""):
    """The answer, whose status is one of `ok`. A status that is not is an exception: missing, or refused."""
    settings = settings_.current()
    tries, failure = 0, None
    while tries <= settings.retry:
        if tries:
            time.sleep(min(5.0, settings.retry_wait * (2 ** (tries - 1))) * random.uniform(0.5, 1.0))
        try:
            kept_key, response = _send(settings, method, bucket, key, query, headers or {}, body)
            if stream and response.status in ok:
                return Answer(response.status, response.headers, b"", response)
            whole = _read(response, kept_key, None if response.status in ok else _LONGEST_ERROR)
        except _BROKEN as error:
            if not getattr(error, "was_kept", False):
                tries += 1
            settings, failure = settings_.moved(settings) or settings, error
            continue
        if response.status in ok:
            return Answer(response.status, response.headers, whole)
        refusal = Refusal(response.status, response.reason, whole, response.headers)
        if _learn_skew(settings, response):
            continue
        if response.status not in _AGAIN:
            raise _exception(refusal, method, url)
        tries, failure = tries + 1, _exception(refusal, method, url)
    if isinstance(failure, MoxFileRespException):
        raise failure
    raise ConnectionError("moxing: the object store at %s does not answer (%s %s): %s" %
                          (settings.endpoint, method, url, failure or "no try was allowed")) from failure


def _exception(refusal, method, url):
    if refusal.status == 404:
        missing = {"NoSuchBucket": "no such bucket", "NoSuchUpload": "no such upload"}
        return MoxFileNotExistsException(url, missing.get(refusal.errorCode, "no such file or folder"))
    said = ": ".join(filter(None, (refusal.errorCode, refusal.errorMessage))) or refusal.reason
    return MoxFileRespException("moxing: %s %s was refused: %d %s" % (method, url, refusal.status, said), refusal)
