"""What takes too long for every test run: an object of five gigabytes, there and back."""
import os
import subprocess

import pytest

from s3 import bucket, client

GIB, MIB = 1 << 30, 1 << 20
SIZE = 5 * GIB + 12_345
MARKS = 0, 5 * MIB - 3, GIB, 4 * GIB - 2, 5 * GIB, SIZE - 9  # also across 2^32


def mark(at):
    return b"at%013d" % at


def has_marks(path):
    """Whether a file has the length and the marks, without reading the zeros between them."""
    with open(path, "rb") as file:
        for at in MARKS:
            file.seek(at)
            text = mark(at)[:SIZE - at]
            if file.read(len(text)) != text:
                return False
    return os.path.getsize(path) == SIZE


@pytest.mark.parametrize("way", [["--no-shortcut"], []], ids=["sent", "handed over"])
def test_five_gigabytes_round_trip(store, scratch, way):
    s3 = client(store)
    b = bucket(s3)
    source, target = scratch / "source", scratch / "target"
    with open(source, "wb") as file:
        file.truncate(SIZE)
        for at in MARKS:
            file.seek(at)
            file.write(mark(at)[:SIZE - at])
    store.run("cp", *way, source, f"s3://{b}/large")
    head = s3.head_object(Bucket=b, Key="large")
    assert head["ContentLength"] == SIZE
    for at in MARKS:
        text = mark(at)[:SIZE - at]
        got = s3.get_object(Bucket=b, Key="large", Range=f"bytes={at}-{at + len(text) - 1}")
        assert got["Body"].read() == text and got["ContentRange"] == f"bytes {at}-{at + len(text) - 1}/{SIZE}"
    if way:  # it went up in parts
        first, last = (s3.head_object(Bucket=b, Key="large", PartNumber=n) for n in (1, int(head["ETag"].strip('"').rsplit("-")[-1])))
        assert first["PartsCount"] == last["PartsCount"] > 100 and last["ContentRange"].endswith(f"-{SIZE - 1}/{SIZE}")
    store.run("cp", *way, f"s3://{b}/large", target)
    assert has_marks(target)
    assert subprocess.run(["cmp", source, target], check=False).returncode == 0
    store.run("objects", "rm", f"s3://{b}/large")
