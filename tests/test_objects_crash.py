"""The object store under kill -9: nothing half, nothing lost that was acknowledged."""
import hashlib
import os
import random
import subprocess
import sys
import threading

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from conftest import wait_until
from s3 import bucket, client, keys

ROUNDS = 8


class Writer(threading.Thread):
    """Puts objects, small ones and uploads of parts, until told to end; remembers what was acknowledged."""

    def __init__(self, server, name, number):
        super().__init__()
        self.server, self.bucket, self.number = server, name, number
        self.stop, self.done, self.tried = threading.Event(), {}, {}

    def run(self):
        rng = random.Random(self.number)
        for i in range(1000000):
            if self.stop.is_set():
                return
            key = f"w{self.number}/{'deep/' * (i % 3)}k{i % 40}"
            data = rng.randbytes(rng.choice([0, 10, 5000, 200_000]))
            self.tried.setdefault(key, set()).add(hashlib.md5(data).hexdigest())
            try:
                client(self.server, read_timeout=20, connect_timeout=5).put_object(Bucket=self.bucket, Key=key, Body=data)
                if self.stop.is_set():  # whoever cuts the power counts no more from here on
                    return
                self.done[key] = hashlib.md5(data).hexdigest()
                self.tried[key] = {self.done[key]}
            except (AssertionError, BotoCoreError, ClientError, OSError, TypeError):  # no server just now
                self.stop.wait(0.02)


def check(s3, b, writers):
    there = set(keys(s3, b))
    for writer in writers:
        for key, digest in writer.done.items():
            assert key in there, f"{key} was acknowledged and is lost"
        for key in there:
            if not key.startswith(f"w{writer.number}/"):
                continue
            got = s3.get_object(Bucket=b, Key=key)
            data = got["Body"].read()
            digest = hashlib.md5(data).hexdigest()
            assert digest in writer.tried[key], f"{key} is none of what was sent"
            assert got["ETag"] == f'"{digest}"'


def test_server_kill_loses_and_damages_no_object(start_server):
    server = start_server()
    b = bucket(client(server))
    port = server.endpoint()["s3"]["endpoint"]
    writers = [Writer(server, b, i) for i in range(3)]
    for writer in writers:
        writer.start()
    try:
        for _ in range(ROUNDS):
            before = sum(len(w.done) for w in writers)
            acknowledged = [dict(w.done) for w in writers]
            wait_until(lambda: any(w.done != a for w, a in zip(writers, acknowledged)), 60, f"a write after {before}")
            server.kill()
            server.start()
            assert server.endpoint()["s3"]["endpoint"] == port, "the address stays"
    finally:
        for writer in writers:
            writer.stop.set()
        for writer in writers:
            writer.join()
    s3 = client(server)
    check(s3, b, writers)
    assert not list((server.data / "objects/.muster/tmp").glob("*/*"))


def test_multipart_upload_continues_after_a_server_kill(start_server):
    server = start_server()
    s3 = client(server)
    b = bucket(s3)
    parts = [os.urandom(5 << 20) for _ in range(3)]
    upload = s3.create_multipart_upload(Bucket=b, Key="k", Metadata={"m": "1"})["UploadId"]
    done = [s3.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=1, Body=parts[0])["ETag"]]
    server.kill()
    server.start()
    s3 = client(server)
    assert [p["PartNumber"] for p in s3.list_parts(Bucket=b, Key="k", UploadId=upload)["Parts"]] == [1]
    for number in (2, 3):
        done.append(s3.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=number, Body=parts[number - 1])["ETag"])
    order = [{"PartNumber": n, "ETag": e} for n, e in enumerate(done, 1)]
    s3.complete_multipart_upload(Bucket=b, Key="k", UploadId=upload, MultipartUpload={"Parts": order})
    got = s3.get_object(Bucket=b, Key="k")
    assert got["Body"].read() == b"".join(parts) and got["Metadata"] == {"m": "1"}
    assert not list((server.data / "objects/.muster/uploads").iterdir())


def test_full_disk_is_reported_and_leaves_no_partial_object(start_server, scratch):
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    small = scratch / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(small)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        server = start_server("--store-sync", "none", name="small/data")
        s3 = client(server)
        b = bucket(s3)
        s3.put_object(Bucket=b, Key="before", Body=b"kept")
        with pytest.raises((ClientError, BotoCoreError)) as error:
            s3.put_object(Bucket=b, Key="much", Body=os.urandom(40 << 20))
        if isinstance(error.value, ClientError):
            assert error.value.response["Error"]["Code"] == "StorageFull"
        assert keys(s3, b) == ["before"]
        s3.put_object(Bucket=b, Key="after", Body=b"room again")
        assert s3.get_object(Bucket=b, Key="after")["Body"].read() == b"room again"
        server.stop()
    finally:
        subprocess.run(["umount", "-l", str(small)], check=False, stdout=sys.stderr)
