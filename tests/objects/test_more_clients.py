"""Clients that come from PyPI and the Go module proxy: run by `make test-objects`."""
import os
import pathlib
import socket
import subprocess
import sys
import urllib.parse
import urllib.request

import pytest

from s3 import AWKWARD, HOSTILE, client, environment, keys, serving

BIG = 60 << 20
CLIENTS = pathlib.Path(os.environ.get("MUSTER_PEERS", "/nonexistent"))


@pytest.fixture(scope="module")
def store():
    with serving("--s3-domain", "obs.test") as server:
        yield server


def program(name):
    path = CLIENTS / name
    if not path.exists():
        pytest.skip(f"{name} could not be built here")
    return str(path)


def run(store, *command, **variables):
    env = {**environment(store), **variables}
    result = subprocess.run([str(c) for c in command], env=env, capture_output=True, timeout=300)
    assert result.returncode == 0, f"{command}: {result.stdout[-2000:].decode(errors='replace')}{result.stderr[-3000:].decode(errors='replace')}"
    return result.stdout.decode()


def tree(folder, longest=255):
    made = {}
    for name in AWKWARD:
        if name in ("a", "a/b") or max(len(part.encode()) for part in name.split("/")) > longest:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode() * 3)
        made[name] = path.read_bytes()
    made["big.bin"] = os.urandom(BIG)
    (folder / "big.bin").write_bytes(made["big.bin"])
    return made


def read_tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_new_boto3_with_every_key_and_checksum(store, b):
    s3 = client(store)
    every = sorted(set(AWKWARD + HOSTILE), key=str.encode)
    for key in every:
        s3.put_object(Bucket=b, Key=key, Body=key.encode())
        assert s3.get_object(Bucket=b, Key=key)["Body"].read() == key.encode()
    assert keys(s3, b) == every
    for algorithm in ("CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"):
        data = os.urandom(12 << 20)
        s3.put_object(Bucket=b, Key="sum", Body=data, ChecksumAlgorithm=algorithm)
        got = s3.get_object(Bucket=b, Key="sum", ChecksumMode="ENABLED")
        assert got["Body"].read() == data and got["Checksum" + algorithm]
    big = os.urandom(30 << 20)
    path = store.data / "big"
    path.write_bytes(big)
    s3.upload_file(str(path), b, "multi")
    s3.download_file(b, "multi", str(path) + ".down")
    assert pathlib.Path(str(path) + ".down").read_bytes() == big
    s3.delete_objects(Bucket=b, Delete={"Objects": [{"Key": k} for k in every]})
    assert keys(s3, b) == ["multi", "sum"]


def test_s5cmd(store, scratch, b):
    command = [program("s5cmd"), "--endpoint-url", store.endpoint()["s3"]["endpoint"]]
    made = tree(scratch / "up", longest=240)  # it adds to the name while it writes
    run(store, *command, "cp", f"{scratch}/up/", f"s3://{b}/in/")
    assert keys(client(store), b) == sorted(("in/" + k for k in made), key=str.encode)
    (scratch / "down").mkdir()
    run(store, *command, "cp", f"s3://{b}/in/*", f"{scratch}/down/")
    assert read_tree(scratch / "down") == made
    assert str(BIG) in run(store, *command, "ls", f"s3://{b}/in/big.bin")
    run(store, *command, "mv", f"s3://{b}/in/big.bin", f"s3://{b}/moved.bin")
    run(store, *command, "sync", f"{scratch}/up/", f"s3://{b}/in/")
    run(store, *command, "rm", f"s3://{b}/*")
    assert keys(client(store), b) == []
    run(store, *command, "rb", f"s3://{b}")


def test_mc(store, scratch, b):
    s3 = store.endpoint()["s3"]
    config = {"MC_CONFIG_DIR": str(scratch / "mc"),
              "MC_HOST_m": s3["endpoint"].replace("://", f"://{s3['access_key']}:{s3['secret_key']}@")}
    command = [program("mc"), "--quiet"]
    made = tree(scratch / "up")
    made.pop("back\\slash"), (scratch / "up/back\\slash").unlink()  # mc takes '\' for '/'
    run(store, *command, "cp", "-r", f"{scratch}/up/", f"m/{b}/in/", **config)
    assert keys(client(store), b) == sorted(("in/" + k for k in made), key=str.encode)
    run(store, *command, "cp", "-r", f"m/{b}/in/", f"{scratch}/down/", **config)
    assert read_tree(scratch / "down") == made
    run(store, *command, "cp", "--checksum", "CRC32C", f"{scratch}/up/plain.txt", f"m/{b}/checked", **config)
    assert client(store).get_object(Bucket=b, Key="checked")["Body"].read() == made["plain.txt"]
    run(store, *command, "stat", f"m/{b}/checked", **config)
    run(store, *command, "mirror", f"{scratch}/up", f"m/{b}/mirror", **config)
    run(store, *command, "rb", "--force", f"m/{b}", **config)


@pytest.fixture
def obs_names(monkeypatch):
    """*.obs.test is this machine."""
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo",
                        lambda host, *rest, **more: real("127.0.0.1" if str(host).endswith("obs.test") else host, *rest, **more))


@pytest.mark.parametrize("mode", ["path-v2", "path-v4", "host-negotiated", "host-obs"])
def test_the_sdk_of_obs(store, scratch, b, obs_names, mode):
    obs = pytest.importorskip("obs")
    s3 = store.endpoint()["s3"]
    port = urllib.parse.urlparse(s3["endpoint"]).port
    server = f"http://127.0.0.1:{port}" if mode.startswith("path") else f"http://obs.test:{port}"
    options = {"path-v2": {}, "path-v4": {"signature": "v4", "region": "anywhere"}, "host-negotiated": {},
               "host-obs": {"is_signature_negotiation": False}}[mode]
    sdk = obs.ObsClient(access_key_id=s3["access_key"], secret_access_key=s3["secret_key"], server=server, **options)

    def ok(answer):
        assert answer.status < 300, (answer.status, answer.errorCode, answer.errorMessage)
        return answer
    for key in AWKWARD + [k for k in HOSTILE if k not in (".", "..", "//", "/lead") and "\n" not in k and "\x01" not in k]:
        ok(sdk.putContent(b, key, content="v:" + key))
        assert ok(sdk.getObject(b, key, loadStreamInMemory=True)).body.buffer == ("v:" + key).encode(), key
    names, marker = [], None
    while True:
        page = ok(sdk.listObjects(b, marker=marker, max_keys=10, encoding_type="url")).body
        names += [c.key for c in page.contents]
        if not page.is_truncated:
            break
        marker = page.next_marker or names[-1]
    assert len(names) >= len(AWKWARD)
    ok(sdk.putContent(b, "meta", content="x", metadata={"colour": "blü"}))
    assert dict(ok(sdk.getObjectMetadata(b, "meta")).header).get("colour") == "blü"
    ok(sdk.copyObject(b, "meta", b, "copied"))
    if mode != "path-v4":
        ok(sdk.setObjectMetadata(b, "copied", metadata={"shape": "round"}))
        first = ok(sdk.appendObject(b, "log", obs.AppendObjectContent(content="one", position=0)))
        ok(sdk.appendObject(b, "log", obs.AppendObjectContent(content="two", position=int(first.body.nextPosition))))
        assert ok(sdk.getObject(b, "log", loadStreamInMemory=True)).body.buffer == b"onetwo"
    big = scratch / "big"
    big.write_bytes(os.urandom(12 << 20))
    ok(sdk.uploadFile(b, "uploaded", str(big), partSize=5 << 20, taskNum=3))
    ok(sdk.downloadFile(b, "uploaded", str(scratch / "down"), partSize=5 << 20, taskNum=3))
    assert (scratch / "down").read_bytes() == big.read_bytes()
    assert any(x.name == b for x in ok(sdk.listBuckets()).body.buckets)
    ok(sdk.getBucketLocation(b))
    signed = sdk.createSignedUrl("GET", b, "meta")
    with urllib.request.urlopen(signed.signedUrl) as answer:
        assert answer.read() == b"x"
    listing = keys(client(store), b)
    for start in range(0, len(listing), 500):
        ok(sdk.deleteObjects(b, obs.DeleteObjectsRequest(objects=[obs.Object(key=k) for k in listing[start:start + 500]])))
    ok(sdk.deleteBucket(b))
    sdk.close()


def s3fs_python(which):
    """The one that works with any boto3, in this environment, or the one of today, which wants a botocore of its own."""
    if which == "old":
        pytest.importorskip("s3fs")
        return sys.executable
    path = CLIENTS.parent / "s3fs-venv/bin/python"
    if not path.exists():
        pytest.skip("the s3fs of today could not be installed here")
    return str(path)


@pytest.mark.parametrize("which, version", [("old", "0.4."), ("new", "2026.")])
def test_s3fs(store, scratch, b, which, version):
    python = s3fs_python(which)
    made = tree(scratch / "up")
    told = run(store, python, pathlib.Path(__file__).with_name("s3fs_round.py"), b, scratch, AWS_ENDPOINT_URL=store.endpoint()["s3"]["endpoint"])
    assert told.startswith(version)
    assert keys(client(store), b) == sorted(["renamed", *("in/" + k for k in made)], key=str.encode)
    assert read_tree(scratch / "down") == made


def test_pyarrow(store, b):
    fs = pytest.importorskip("pyarrow.fs")
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow
    s3 = store.endpoint()["s3"]
    there = fs.S3FileSystem(access_key=s3["access_key"], secret_key=s3["secret_key"], region=s3["region"], scheme="http",
                            endpoint_override=s3["endpoint"].removeprefix("http://"), allow_bucket_creation=True)
    table = pyarrow.table({"x": list(range(200_000)), "y": [f"row {i}" for i in range(200_000)]})
    parquet.write_table(table, f"{b}/ü/table.parquet", filesystem=there)
    assert parquet.read_table(f"{b}/ü/table.parquet", filesystem=there).equals(table)
    with there.open_output_stream(f"{b}/big") as file:
        for _ in range(25):
            file.write(b"0123456789abcdef" * 65536)
    info = there.get_file_info(f"{b}/big")
    assert info.size == 25 << 20 and there.get_file_info(f"{b}/none").type == fs.FileType.NotFound
    names = {i.path for i in there.get_file_info(fs.FileSelector(b, recursive=True))}
    assert {f"{b}/big", f"{b}/ü/table.parquet"} <= names
    there.copy_file(f"{b}/big", f"{b}/copy")
    there.delete_dir_contents(b)
    assert keys(client(store), b) in ([], ["ü/"])


def test_new_boto3_puts_an_empty_object_and_then_another(store, b):
    s3 = client(store)
    for body in b"", b"x", b"", b"yy":
        assert s3.put_object(Bucket=b, Key="k", Body=body)["ETag"]
        assert s3.head_object(Bucket=b, Key="k")["ContentLength"] == len(body)
