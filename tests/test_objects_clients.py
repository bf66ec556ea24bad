"""The command-line clients that people have, unchanged, with the keys that break stores over plain files."""
import filecmp
import hashlib
import os
import subprocess

import botocore.exceptions
import pytest

from s3 import AWKWARD, bucket, client, code_of, environment, keys, serving

BIG = 20 << 20


@pytest.fixture(scope="module")
def store():
    with serving() as server:
        yield server


def run(store, *command, **kwargs):
    result = subprocess.run([str(c) for c in command], env=environment(store), capture_output=True, timeout=240, **kwargs)
    assert result.returncode == 0, f"{command}: {result.stdout[-2000:].decode(errors='replace')}{result.stderr[-2000:].decode(errors='replace')}"
    return result.stdout.decode()


def tree(folder, names=AWKWARD):
    """A folder with a file for every key that a file system can hold beside the others."""
    made = {}
    for name in names:
        path = folder / name
        if name in ("a", "a/b") or max(len(part.encode()) for part in name.split("/")) > 255:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode() * 3)
        made[name] = path.read_bytes()
    (folder / "big.bin").write_bytes(os.urandom(BIG))
    made["big.bin"] = (folder / "big.bin").read_bytes()
    return made


def same_trees(one, other):
    compared = filecmp.dircmp(one, other)
    pending = [compared]
    while pending:
        now = pending.pop()
        assert not now.left_only and not now.right_only, (now.left_only, now.right_only)
        assert not filecmp.cmpfiles(now.left, now.right, now.common_files, shallow=False)[1]
        pending += now.subdirs.values()


def s3cmd(store, scratch):
    s3 = store.endpoint()["s3"]
    host = s3["endpoint"].removeprefix("http://")
    config = scratch / "s3cfg"
    config.write_text(f"[default]\naccess_key={s3['access_key']}\nsecret_key={s3['secret_key']}\nhost_base={host}\nhost_bucket={host}\n"
                      "use_https=False\nmultipart_chunk_size_mb=5\nmax_retries=1\n")
    return ["s3cmd", "-c", config, "--no-progress"]


@pytest.mark.parametrize("version", ["v4", "v2"])
def test_s3cmd(store, scratch, b, version):
    command = s3cmd(store, scratch) + (["--signature-v2"] if version == "v2" else [])
    made = tree(scratch / "up")
    run(store, *command, "sync", f"{scratch}/up/", f"s3://{b}/in/")
    assert keys(client(store), b) == sorted(("in/" + k for k in made), key=str.encode)
    run(store, *command, "sync", f"s3://{b}/in/", f"{scratch}/down/")
    same_trees(scratch / "up", scratch / "down")
    listed = run(store, *command, "ls", "-r", f"s3://{b}/")
    assert all(f"s3://{b}/in/{k}" in listed for k in made)
    run(store, *command, "cp", f"s3://{b}/in/big.bin", f"s3://{b}/copy.bin")
    run(store, *command, "info", f"s3://{b}/copy.bin")
    run(store, *command, "mv", f"s3://{b}/copy.bin", f"s3://{b}/a/moved.bin")
    run(store, *command, "put", scratch / "up/a.b", f"s3://{b}/a")
    assert {"a", "a/moved.bin"} <= set(keys(client(store), b))
    run(store, *command, "rb", "--recursive", "--force", f"s3://{b}")


def test_aws(store, scratch, b):
    command = ["aws", "--endpoint-url", store.endpoint()["s3"]["endpoint"]]
    made = tree(scratch / "up")
    run(store, *command, "s3", "cp", "--recursive", scratch / "up", f"s3://{b}/in")
    assert keys(client(store), b) == sorted(("in/" + k for k in made), key=str.encode)
    run(store, *command, "s3", "sync", f"s3://{b}/in", scratch / "down")
    same_trees(scratch / "up", scratch / "down")
    assert "upload" not in run(store, *command, "s3", "sync", scratch / "down", f"s3://{b}/in", "--size-only")
    assert run(store, *command, "s3", "cp", f"s3://{b}/in/🎉/🚀", "-") == "🎉/🚀" * 3
    run(store, *command, "s3", "mv", f"s3://{b}/in/big.bin", f"s3://{b}/moved.bin")
    assert f"{BIG}" in run(store, *command, "s3", "ls", f"s3://{b}/moved.bin")
    url = run(store, *command, "s3", "presign", f"s3://{b}/moved.bin").strip()
    assert len(run(store, "curl", "-sf", "-o", scratch / "by-url", "-w", "%{size_download}", url)) > 0
    assert (scratch / "by-url").stat().st_size == BIG
    run(store, *command, "s3", "rb", "--force", f"s3://{b}")


def test_rclone(store, scratch, b):
    s3 = store.endpoint()["s3"]
    config = scratch / "rclone.conf"
    config.write_text(f"[m]\ntype = s3\nprovider = Other\naccess_key_id = {s3['access_key']}\nsecret_access_key = {s3['secret_key']}\n"
                      f"endpoint = {s3['endpoint']}\nregion = {s3['region']}\nupload_cutoff = 5Mi\nchunk_size = 5Mi\n")
    command = ["rclone", "--config", config, "--retries", "1", "--low-level-retries", "1"]
    made = tree(scratch / "up")
    run(store, *command, "copy", scratch / "up", f"m:{b}/in")
    run(store, *command, "check", scratch / "up", f"m:{b}/in")
    run(store, *command, "check", "--download", scratch / "up", f"m:{b}/in")
    listed = run(store, *command, "lsf", "-R", "--files-only", f"m:{b}/in").splitlines()
    assert len(listed) == len(made)
    run(store, *command, "copy", f"m:{b}/in", scratch / "down")
    same_trees(scratch / "up", scratch / "down")
    run(store, *command, "move", f"m:{b}/in/big.bin", f"m:{b}/moved")
    assert "moved/big.bin" in keys(client(store), b)
    run(store, *command, "purge", f"m:{b}")


def test_empty_files_do_not_mix_up_responses(store, scratch, b):
    """botocore waits to be told to go on with a body of no bytes too; an answer in its place would be taken for the next one's."""
    empty, full = scratch / "empty", scratch / "full"
    empty.write_bytes(b"")
    full.write_bytes(b"x")
    s3 = client(store)
    for i in range(3):
        for name in empty, full:
            with open(name, "rb") as file:
                assert s3.put_object(Bucket=b, Key=f"{name.name}{i}", Body=file)["ETag"] == '"' + hashlib.md5(name.read_bytes()).hexdigest() + '"'
    with open(empty, "rb") as file, pytest.raises(botocore.exceptions.ClientError) as refused:
        s3.put_object(Bucket="no-such-bucket-here", Key="k", Body=file)
    assert code_of(refused) == "NoSuchBucket"
    with open(full, "rb") as file:
        assert s3.put_object(Bucket=b, Key="behind", Body=file)["ResponseMetadata"]["HTTPStatusCode"] == 200
