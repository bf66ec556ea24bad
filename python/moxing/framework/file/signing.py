"""Signature version 4 of S3, for one request. Pure."""
import hashlib
import hmac
import time
from urllib.parse import quote

EMPTY = hashlib.sha256(b"").hexdigest()


def quote_key(raw):
    return quote(raw, safe="/-_.~")


def quote_query(pairs):
    return "&".join("%s=%s" % (quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in sorted(pairs))


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def sign(settings, method, path, query, headers, body_hash, now):
    """Adds to `headers` (lower-case names, `host` among them) what makes the request ours; `now` in seconds."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    scope = "%s/%s/s3/aws4_request" % (stamp[:8], settings.region)
    headers["x-amz-date"] = stamp
    headers["x-amz-content-sha256"] = body_hash
    if settings.token:
        headers["x-amz-security-token"] = settings.token
    names = sorted(headers)
    lines = "".join("%s:%s\n" % (name, " ".join(headers[name].split())) for name in names)
    canonical = "\n".join([method, path, query, lines, ";".join(names), body_hash])
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + settings.secret_key).encode()
    for part in (stamp[:8], settings.region, "s3", "aws4_request"):
        key = _hmac(key, part)
    headers["authorization"] = "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s" % (
        settings.access_key, scope, ";".join(names), hmac.new(key, text.encode(), hashlib.sha256).hexdigest())
