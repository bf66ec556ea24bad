"""The embedded object store as clients see it: where it is, and keys that have broken stores over plain files."""
import base64
import contextlib
import datetime
import hashlib
import hmac
import http.client
import os
import pathlib
import shutil
import tempfile
import urllib.parse
import uuid

import boto3
import botocore.config

from conftest import Muster

# Every one must be kept, read, listed and removed by every client that can name it at all.
AWKWARD = [
    "a", "a/b", "a/b/c", "a-b", "a.b", "plain.txt", "with blank", "plus+plus", "percent%20literal", "100%", "%2F", "%=x", "%-x",
    "a&b=c?d", "hash#tag", "semi;colon", "quote\"double", "quote'single", "back\\slash", "less<more>&amp;", "tilde~", "(paren)",
    "[bracket]", "{brace}", "comma,", "dollar$(id)", "`tick`", "star*", "pipe|", "colon:x", "at@x", "ünïcödé", "数据/训练集.csv", "🎉/🚀",
    "e\u0301 and \u00e9", "long/" + "l" * 255, "longer/" + "m" * 300, "x" * 1024, ".hidden", "...", "-dash", "~home", "trailing.",
]
# Those that clients or their file systems fold or refuse; boto3 sends them as they are.
HOSTILE = ["//", "a//b", "/lead", "a/", "dir/", "./x", "../x", "a/../b", "a/./b", "..", ".", "../../../etc/passwd", "tab\there", "line\nbreak",
           "\x01\x7f", "trailing blank ", " leading"]


@contextlib.contextmanager
def serving(*flags):
    """A server of its own for a whole file of tests."""
    folder = tempfile.mkdtemp(prefix="muster-test-")
    server = Muster(pathlib.Path(folder) / "data", *flags)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def environment(server):
    """Variables for command-line clients, with nothing of the user's own settings."""
    s3 = server.endpoint()["s3"]
    env = {k: v for k, v in os.environ.items() if not k.upper().startswith(("AWS_", "S3_", "RCLONE_")) and "PROXY" not in k.upper()}
    env.update(AWS_ACCESS_KEY_ID=s3["access_key"], AWS_SECRET_ACCESS_KEY=s3["secret_key"], AWS_DEFAULT_REGION=s3["region"],
               AWS_EC2_METADATA_DISABLED="true", AWS_CONFIG_FILE="/dev/null", AWS_SHARED_CREDENTIALS_FILE="/dev/null",
               NO_PROXY="*", AWS_PAGER="", HOME=str(server.data), PATH="/usr/bin:" + env["PATH"], LC_ALL="C.UTF-8")
    return env


def client(server, access_key=None, secret_key=None, **config):
    s3 = server.endpoint()["s3"]
    settings = {"s3": {"addressing_style": "path"}, "signature_version": "s3v4", "retries": {"max_attempts": 1}, "proxies": {}, **config}
    return boto3.client("s3", endpoint_url=s3["endpoint"], region_name=s3["region"],
                        aws_access_key_id=access_key or s3["access_key"], aws_secret_access_key=secret_key or s3["secret_key"],
                        config=botocore.config.Config(**settings))


def code_of(error):
    return error.value.response["Error"]["Code"]


def bucket(s3):
    name = "b-" + uuid.uuid4().hex[:12]
    s3.create_bucket(Bucket=name)
    return name


def body(s3, name, key, **query):
    return s3.get_object(Bucket=name, Key=key, **query)["Body"].read()


def keys(s3, name, **query):
    """Every key of a bucket, page by page."""
    found = []
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=name, **query):
        found += [item["Key"] for item in page.get("Contents", [])]
    return found


class Raw:
    """Requests that no client library makes. Signs with the older signature, of S3 or of OBS, or with chunks of version 4."""

    def __init__(self, server):
        self.s3 = server.endpoint()["s3"]
        self.host = urllib.parse.urlparse(self.s3["endpoint"]).netloc

    def send(self, method, target, headers, data=b"", host=None):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": host or self.host, "Content-Length": str(len(data)), **headers}.items():
            connection.putheader(name, value)
        connection.endheaders(data)
        response = connection.getresponse()
        answer = response.status, response.read(), response.headers
        connection.close()
        return answer

    def v2(self, method, target, data=b"", scheme="OBS", headers=None, host=None, resource=None):
        prefix = "x-obs-" if scheme == "OBS" else "x-amz-"
        headers = dict(headers or {})
        headers["Date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")
        extended = "".join(f"{k.lower()}:{v}\n" for k, v in sorted(headers.items()) if k.lower().startswith(prefix))
        text = f"{method}\n\n{headers.get('Content-Type', '')}\n{headers['Date']}\n{extended}{resource or target}"
        signature = base64.b64encode(hmac.new(self.s3["secret_key"].encode(), text.encode(), hashlib.sha1).digest()).decode()
        headers["Authorization"] = f"{scheme} {self.s3['access_key']}:{signature}"
        return self.send(method, target, headers, data, host)

    def v4(self, method, target, payload, headers, data, chunks=None, trailer=None, spoil=False):
        """`target` may have a query, whose names and values are encoded."""
        path, _, query = target.partition("?")
        query = "&".join(sorted(pair if "=" in pair else pair + "=" for pair in query.split("&") if pair))
        now = datetime.datetime.now(datetime.timezone.utc)
        stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
        scope = f"{day}/anywhere/s3/aws4_request"
        headers = {"host": self.host, "x-amz-date": stamp, "x-amz-content-sha256": payload, **{k.lower(): v for k, v in headers.items()}}
        names = ";".join(sorted(headers))
        canonical = "\n".join([method, path, query, *(f"{k}:{headers[k]}" for k in sorted(headers)), "", names, payload])
        key = ("AWS4" + self.s3["secret_key"]).encode()
        for word in (day, "anywhere", "s3", "aws4_request"):
            key = hmac.new(key, word.encode(), hashlib.sha256).digest()

        def sign(*lines):
            return hmac.new(key, "\n".join(lines).encode(), hashlib.sha256).hexdigest()
        last = sign("AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest())
        headers["Authorization"] = f"AWS4-HMAC-SHA256 Credential={self.s3['access_key']}/{scope},SignedHeaders={names},Signature={last}"
        if chunks:
            encoded, none = b"", hashlib.sha256(b"").hexdigest()
            for piece in [data[i:i + chunks] for i in range(0, len(data), chunks)] + [b""]:
                if "UNSIGNED" in payload:
                    encoded += b"%x\r\n" % len(piece) + (piece + b"\r\n" if piece else b"")
                    continue
                last = sign("AWS4-HMAC-SHA256-PAYLOAD", stamp, scope, last, none, hashlib.sha256(piece).hexdigest())
                encoded += b"%x;chunk-signature=%s\r\n" % (len(piece), last.encode())
                encoded += piece + b"\r\n" if piece or not trailer else b""
            if trailer:
                lines = f"{trailer}\n"
                encoded += trailer.encode() + (b"\r\n" if "UNSIGNED" in payload else b"\n\r\n")
                if "UNSIGNED" not in payload:
                    last = sign("AWS4-HMAC-SHA256-TRAILER", stamp, scope, last, hashlib.sha256(lines.encode()).hexdigest())
                    encoded += b"x-amz-trailer-signature:" + last.encode() + b"\r\n"
                encoded += b"\r\n"
            data = encoded
        if spoil:
            data = data.replace(b"payload", b"pAyload", 1)
        headers.pop("host")
        return self.send(method, target, headers, data)
