"""Code folders with many files: the job sees every byte and mode."""
import hashlib
import os

import pytest

from conftest import PYTHON

LIST = """
import hashlib, os
for folder, _, names in sorted(os.walk(".")):
    for name in sorted(names):
        path = os.path.join(folder, name)
        print(path, hashlib.sha256(open(path, "rb").read()).hexdigest(), os.access(path, os.X_OK) and bool(os.stat(path).st_mode & 0o111))
"""


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x4cpu")


def make_code(folder, count):
    expected = []
    (folder / "list.py").parent.mkdir(parents=True)
    for number in range(count):
        path = folder / f"part{number // 250:02}" / f"f{number:04}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes([number % 256]) * (number % 700) + (b"\n%d 7\n" % number if number % 3 else b""))
        if number % 100 == 0:
            path.chmod(0o755)
    (folder / "large.bin").write_bytes(os.urandom(700_000))
    (folder / "list.py").write_text(LIST)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            expected.append((str(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest(), bool(path.stat().st_mode & 0o111)))
    return expected


def test_job_sees_every_file_of_a_large_code_folder(cluster, scratch):
    code = scratch / "code"
    expected = make_code(code, 1500)
    sent = cluster.run("run", "-d", "-g", "cpu:1", "--code", code, "--", f"{PYTHON} list.py", cwd=code)
    assert "1502 files" in sent.stderr and " 0 files new" not in sent.stderr
    job = int(sent.stdout.split()[0])
    assert cluster.wait_end(job)["state"] == "succeeded"
    seen = [line.split() for line in cluster.rank_log(job).decode().splitlines()]
    assert sorted((path.removeprefix("./"), digest, mode == "True") for path, digest, mode in seen) == sorted(expected)
    again = cluster.run("run", "-d", "-g", "cpu:1", "--code", code, "--", "true", cwd=code)
    assert "1502 files" in again.stderr and ", 0 files new" in again.stderr


def test_malformed_pack_is_refused_and_stores_nothing(cluster):
    status, body, _ = cluster.request("PUT", "/code/blobs", body=b"0" * 64 + b" 5\nhell")
    assert status == 400 and b"file 0 of the pack" in body
    good = hashlib.sha256(b"hello").hexdigest().encode() + b" 5\nhello"
    status, body, _ = cluster.request("PUT", "/code/blobs", body=good + good[:-1] + b"x")
    assert status == 400 and b"the bytes have the sum" in body
    blobs = cluster.data / "code/blobs"
    assert not blobs.exists() or not list(blobs.rglob("*"))
