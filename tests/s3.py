"""The embedded object store as clients see it: where it is, and keys that have broken stores over plain files."""
import contextlib
import os
import pathlib
import shutil
import tempfile
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
