"""muster cp, sync and objects against the embedded store, as a user runs them."""
import hashlib
import http.server
import json
import os
import random
import socket
import stat
import subprocess
import threading

import pytest

from conftest import MUSTER
from s3 import AWKWARD, HOSTILE, bucket, keys

MIB = 1 << 20


@pytest.fixture
def run(store, scratch):
    """Runs the copier with a home of its own, so that nothing of the user's settings counts."""
    def go(*arguments, check=True, env=None, **kwargs):
        mine = {k: "" for k in os.environ if k.startswith("AWS_")}
        mine.update(HOME=str(scratch / "home"), XDG_STATE_HOME="", XDG_CONFIG_HOME="", **(env or {}))
        return store.run(*arguments, check=check, env=mine, cwd=scratch, **kwargs)
    return go


def summary(result):
    return json.loads(result.stdout)


def fill(path, size, seed=1):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(random.Random(seed).randbytes(size))
    return path


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def body(s3, b, key):
    return s3.get_object(Bucket=b, Key=key)["Body"].read()


# -- objects

def test_bucket_is_created_filled_listed_and_removed(run, scratch, s3):
    name = "copier-" + os.urandom(4).hex()
    assert f"muster cp -r FOLDER s3://{name}" in run("objects", "mb", f"s3://{name}").stdout
    fill(scratch / "f", 1000)
    run("cp", "--no-shortcut", "f", f"obs://{name}/a/f")
    assert name in run("objects", "ls").stdout
    listed = json.loads(run("objects", "ls", f"s3://{name}", "--json").stdout)["objects"]
    assert listed == [{"prefix": "a/"}]
    listed = json.loads(run("objects", "ls", "-r", f"s3://{name}/a", "--json").stdout)["objects"]
    assert [(o["key"], o["size"]) for o in listed] == [("a/f", 1000)]
    stat = json.loads(run("objects", "stat", f"s3://{name}/a/f", "--json").stdout)["objects"][0]
    assert stat["etag"] == hashlib.md5((scratch / "f").read_bytes()).hexdigest() and stat["checksum"]["kind"] == "CRC32C"
    s3.put_object(Bucket=name, Key="ab", Body=b"not below a")
    assert "1000 bytes" in run("objects", "du", f"s3://{name}/a").stdout
    run("objects", "rm", f"s3://{name}/ab")
    refused = run("objects", "rb", f"s3://{name}", check=False)
    assert refused.returncode == 1 and "BucketNotEmpty" in refused.stderr and f"rm -r s3://{name}" in refused.stderr
    assert "1 object" in run("objects", "rb", "--force", f"s3://{name}").stdout
    assert name not in [x["Name"] for x in s3.list_buckets()["Buckets"]]


def test_cat_prints_bytes_as_they_are(run, s3, b, store, scratch):
    data = bytes(range(256)) * 1000
    s3.put_object(Bucket=b, Key="k", Body=data)
    env = {**store.env, "HOME": str(scratch / "nobody")}
    assert subprocess.run([MUSTER, "objects", "cat", f"s3://{b}/k"], env=env, capture_output=True, check=True).stdout == data
    part = subprocess.run([MUSTER, "objects", "cat", f"s3://{b}/k", "--offset", "250", "--length", "10"], env=env, capture_output=True)
    assert part.stdout == data[250:260]


def test_presigned_url_needs_no_key(run, s3, b, scratch):
    s3.put_object(Bucket=b, Key="a b/ü", Body=b"hello")
    url = run("objects", "presign", f"s3://{b}/a b/ü").stdout.strip()
    run("cp", url, "got")
    assert (scratch / "got").read_bytes() == b"hello"
    put = run("objects", "presign", "--method", "PUT", f"s3://{b}/new").stdout.strip()
    run("cp", "got", put)
    assert body(s3, b, "new") == b"hello"


def test_removing_a_full_bucket_needs_force(run, s3, b):
    for key in ("a/1", "a/2", "b/1"):
        s3.put_object(Bucket=b, Key=key, Body=b"x")
    refused = run("objects", "rm", "-r", f"s3://{b}", check=False)
    assert refused.returncode == 1 and "--force" in refused.stderr
    assert "would delete 2 objects" in run("objects", "rm", "-r", "-n", f"s3://{b}/a").stdout
    assert len(keys(s3, b)) == 3
    run("objects", "rm", "-r", f"s3://{b}/a")
    assert keys(s3, b) == ["b/1"]
    missing = run("objects", "rm", f"s3://{b}/nothing", check=False)
    assert missing.returncode == 1
    run("objects", "rm", "-r", "--force", f"s3://{b}")
    assert keys(s3, b) == []


def test_mistyped_subcommand_gets_a_suggestion(run):
    wrong = run("objects", "presing", "s3://bucket/k", check=False)
    assert wrong.returncode == 2 and "presign" in wrong.stderr
    assert run("cp", "a", "ftp://x/y", check=False).returncode == 2


# -- cp

def test_single_file_round_trips(run, scratch, s3, b):
    data = fill(scratch / "in/data.bin", 3 * MIB + 17).read_bytes()
    done = summary(run("cp", "in/data.bin", f"s3://{b}/", "--json"))
    assert (done["copied"], done["bytes"], done["failed"]) == (1, len(data), 0)
    assert done["checked"]["crc"] == 1
    assert body(s3, b, "data.bin") == data
    run("cp", f"s3://{b}/data.bin", "out/new.bin")
    assert (scratch / "out/new.bin").read_bytes() == data
    run("cp", f"s3://{b}/data.bin", "out")
    assert (scratch / "out/data.bin").read_bytes() == data
    assert run("cp", "out", "out2", check=False).returncode == 2


def test_tree_round_trips_unchanged(run, scratch, s3, b):
    for i in range(60):
        fill(scratch / f"in/d{i % 7}/e/f{i}", i * 997, i)
    fill(scratch / "in/empty", 0)
    done = summary(run("cp", "-r", "in", f"s3://{b}/p", "--json"))
    assert done["copied"] == 61 and done["checked"]["crc"] == 61
    assert keys(s3, b) == sorted("p/" + k for k in tree(scratch / "in"))
    done = summary(run("cp", "-r", f"s3://{b}/p", "out", "--json"))
    assert done["copied"] == 61 and done["checked"]["crc"] == 61
    assert tree(scratch / "out") == tree(scratch / "in")
    run("cp", "-r", "in", "third")
    assert tree(scratch / "third") == tree(scratch / "in")


def test_large_object_is_copied_in_parts_in_both_directions(run, scratch, s3, b):
    data = fill(scratch / "big", 40 * MIB + 3).read_bytes()
    done = summary(run("cp", "big", f"s3://{b}/big", "--part-size", "5MiB", "--no-shortcut", "--json"))
    assert done["checked"]["crc"] == 1
    assert s3.head_object(Bucket=b, Key="big")["ETag"].endswith('-9"')
    assert body(s3, b, "big") == data
    done = summary(run("cp", f"s3://{b}/big", "back", "--part-size", "7MiB", "--json"))
    assert done["checked"]["crc"] == 1
    assert (scratch / "back").read_bytes() == data
    run("cp", f"s3://{b}/big", f"s3://{b}/twin")
    assert body(s3, b, "twin") == data
    assert os.listdir(scratch / "home/.local/state/muster/transfers") == []


def test_objects_of_other_clients_are_verified_by_their_checksums(run, scratch, s3, b):
    data = os.urandom(6 * MIB)
    s3.put_object(Bucket=b, Key="crc32", Body=data, ChecksumAlgorithm="CRC32")
    s3.put_object(Bucket=b, Key="sha", Body=data, ChecksumAlgorithm="SHA256")
    upload = s3.create_multipart_upload(Bucket=b, Key="parts")["UploadId"]
    parts = [{"PartNumber": n + 1, "ETag": s3.upload_part(Bucket=b, Key="parts", UploadId=upload, PartNumber=n + 1, Body=piece)["ETag"]}
             for n, piece in enumerate([data[:5 * MIB], data[5 * MIB:]])]
    s3.complete_multipart_upload(Bucket=b, Key="parts", UploadId=upload, MultipartUpload={"Parts": parts})
    for key, check in (("crc32", "crc"), ("sha", "sha256"), ("parts", "length")):
        done = summary(run("cp", f"s3://{b}/{key}", key, "--json"))
        assert done["checked"][check] == 1, (key, done)
        assert (scratch / key).read_bytes() == data


def test_awkward_keys_round_trip_in_every_direction(run, scratch, s3, b):
    every = sorted(set(AWKWARD + HOSTILE) - {"a/", "dir/", "//"}, key=str.encode)
    for i, key in enumerate(every):
        s3.put_object(Bucket=b, Key=key, Body=str(i).encode())
    done = summary(run("cp", "-r", f"s3://{b}", f"s3://{b}-2", "--json", check=False))
    assert done["copied"] == 0  # no such bucket
    run("objects", "mb", f"s3://{b}-2")
    done = summary(run("cp", "-r", f"s3://{b}", f"s3://{b}-2", "--json"))
    assert done["copied"] == len(every)
    assert keys(s3, b + "-2") == every
    for i, key in enumerate(every):
        assert body(s3, b + "-2", key) == str(i).encode(), key
    # As files: those that can be one are there, the others are named and nothing leaves the folder.
    result = run("cp", "-r", f"s3://{b}", "out/deep", "--json", check=False)
    done = summary(result)
    assert result.returncode == 1 and done["copied"] + done["failed"] + done["skipped"] == len(every)
    assert len(done["notes"]) == done["skipped"] > 0
    assert set(os.listdir(scratch)) <= {"data", "data.log", "home", "out"} and os.listdir(scratch / "out") == ["deep"]
    for name, content in tree(scratch / "out/deep").items():
        assert body(s3, b, name) == content
    assert {"plain.txt", "with blank", "数据/训练集.csv", "percent%20literal"} <= set(tree(scratch / "out/deep"))
    run("objects", "rb", "--force", f"s3://{b}-2")


def test_links_at_the_destination_are_not_followed(run, scratch, s3, b):
    s3.put_object(Bucket=b, Key="link/x", Body=b"x")
    (scratch / "outside").mkdir()
    (scratch / "out").mkdir()
    (scratch / "out/link").symlink_to(scratch / "outside")
    result = run("cp", "-r", f"s3://{b}", "out", check=False)
    assert result.returncode == 1 and "in the way" in result.stderr
    assert os.listdir(scratch / "outside") == []


def test_only_regular_files_are_replaced(run, scratch, s3, b):
    s3.put_object(Bucket=b, Key="p/k", Body=b"new")
    s3.put_object(Bucket=b, Key="p/other", Body=b"other")
    (scratch / "d").mkdir()
    os.mkfifo(scratch / "d/k")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(scratch / "socket"))
    (scratch / "null").symlink_to("/dev/null")
    (scratch / "out").symlink_to("/proc/self/fd/1")
    fill(scratch / "f", 10)
    for source in (f"s3://{b}/p/k", "f"):
        for name, what in (("d/k", "a pipe"), ("socket", "a socket"), ("null", "a device"), ("out", "open")):
            refused = run("cp", source, name, check=False)
            assert refused.returncode == 1 and what in refused.stderr and "in the way" in refused.stderr, (source, name, refused.stderr)
    for command in (("cp", "-r", f"s3://{b}/p", "d"), ("sync", f"s3://{b}/p", "d"), ("cp", f"s3://{b}/p/k", "d/")):
        refused = run(*command, check=False)
        assert refused.returncode == 1 and "d/k is in the way: it is a pipe" in refused.stderr
    assert stat.S_ISFIFO((scratch / "d/k").lstat().st_mode) and (scratch / "d/other").read_bytes() == b"other"
    assert stat.S_ISSOCK((scratch / "socket").lstat().st_mode)
    assert os.readlink(scratch / "null") == "/dev/null" and stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert not [name for _, _, names in os.walk(scratch) for name in names if name.startswith(".new-")]


def test_destination_given_as_a_link_writes_its_target(run, scratch, s3, b):
    large = os.urandom(12 * MIB)
    for key, data in (("k", b"new"), ("large", large)):
        s3.put_object(Bucket=b, Key=key, Body=data)
    (scratch / "there").mkdir()
    (scratch / "there/old").write_bytes(b"old")
    (scratch / "old").symlink_to("there/old")
    (scratch / "none").symlink_to("there/none")
    (scratch / "there/k").symlink_to("deeper")
    run("cp", "--part-size", "5MiB", f"s3://{b}/large", "old")
    run("cp", f"s3://{b}/k", "none")
    run("cp", f"s3://{b}/k", "there")
    assert (scratch / "there/old").read_bytes() == large
    assert (scratch / "there/none").read_bytes() == (scratch / "there/deeper").read_bytes() == b"new"
    assert all((scratch / name).is_symlink() for name in ("old", "none", "there/k"))
    # Of a whole folder the names are not the user's own: no link of it is followed, and none is lost.
    run("objects", "rm", f"s3://{b}/large")
    refused = run("cp", "-r", f"s3://{b}", "there", check=False)
    assert refused.returncode == 1 and "there/k is in the way: it is a link" in refused.stderr
    assert os.readlink(scratch / "there/k") == "deeper"


def test_dash_is_standard_output(run, store, scratch, s3, b):
    data = os.urandom(6 * MIB)
    s3.put_object(Bucket=b, Key="k", Body=data)
    done = subprocess.run([MUSTER, "cp", f"s3://{b}/k", "-"], env={**store.env, "HOME": str(scratch / "nobody")}, cwd=scratch, capture_output=True)
    assert done.stdout == data and done.returncode == 0
    for verb in ["cp", f"s3://{b}/k", "-"], ["objects", "cat", f"s3://{b}/k"]:
        with open("/dev/full", "wb") as full:
            no_room = subprocess.run([MUSTER, *verb], env=store.env, stdout=full, stderr=subprocess.PIPE, text=True)
        assert no_room.returncode == 1 and "closed or full" in no_room.stderr, no_room
        reader = subprocess.run(["bash", "-c", '"$@" | head -c 3 | wc -c; echo ${PIPESTATUS[0]}', "-", MUSTER, *verb], env=store.env, capture_output=True, text=True)
        assert reader.stdout.split() == ["3", "141"] and reader.stderr == "", reader
    fill(scratch / "f", 1)
    for command in (("cp", "-r", f"s3://{b}", "-"), ("cp", "f", "-"), ("cp", "-", f"s3://{b}/x"), ("sync", "f", "-"), ("cp", f"s3://{b}/k", "-", "--json")):
        refused = run(*command, check=False)
        assert refused.returncode == 2 and "./-" in refused.stderr, command
    assert not (scratch / "-").exists()
    run("cp", f"s3://{b}/k", "./-")
    assert (scratch / "-").read_bytes() == data


def test_bucket_url_with_one_slash_is_refused(run, scratch, b):
    fill(scratch / "f", 1)
    for command in (("cp", "f", f"s3:/{b}/k"), ("cp", f"obs:/{b}/k", "g"), ("sync", ".", f"S3:/{b}"), ("objects", "ls", f"s3:/{b}")):
        refused = run(*command, check=False)
        assert refused.returncode == 2 and f"://{b}" in refused.stderr and "did you mean" in refused.stderr, refused.stderr
    assert not (scratch / "s3:").exists()


def test_links_in_a_source_are_followed_to_files_only(run, scratch, s3, b):
    fill(scratch / "in/real", 10)
    (scratch / "in/to_file").symlink_to("real")
    (scratch / "in/to_folder").symlink_to(scratch)
    (scratch / "in/to_nothing").symlink_to("nothing")
    os.mkfifo(scratch / "in/pipe")
    done = summary(run("cp", "-r", "in", f"s3://{b}", "--json"))
    assert keys(s3, b) == ["real", "to_file"] and len(done["notes"]) == 3
    told = {note.split(": it is ")[0].rsplit("/", 1)[1]: note.split(": it is ")[1] for note in done["notes"]}
    assert told == {"to_folder": "a link to a folder, which is not followed", "to_nothing": "a link that leads to no file",
                    "pipe": "no regular file"}


def test_filters_and_dry_run(run, scratch, s3, b):
    for name in ("a.txt", "b.jpg", "sub/c.jpg", "sub/d.txt"):
        fill(scratch / "in" / name, 10)
    shown = run("cp", "-r", "-n", "in", f"s3://{b}", "--include", "*.jpg", "--exclude", "sub/*").stdout
    assert "b.jpg" in shown and "c.jpg" not in shown and "would copy 1 object" in shown
    assert keys(s3, b) == []
    run("cp", "-r", "in", f"s3://{b}", "--exclude", "*.txt")
    assert keys(s3, b) == ["b.jpg", "sub/c.jpg"]


def test_dry_run_of_an_upload_creates_no_bucket(run, scratch, s3):
    name = "upload-" + os.urandom(4).hex()
    fill(scratch / "job/f", 10)
    shown = run("upload", "-n", "job", f"s3://{name}/code")
    assert f"would make the bucket s3://{name}" in shown.stderr and "would copy 1 object" in shown.stdout
    assert name not in [x["Name"] for x in s3.list_buckets()["Buckets"]]
    run("upload", "job", f"s3://{name}/code")
    assert keys(s3, name) == ["code/f"]
    again = run("upload", "-n", "job", f"s3://{name}/code")
    assert "would make" not in again.stderr and "would copy 0 objects" in again.stdout
    run("objects", "rb", "--force", f"s3://{name}")


def test_several_sources_are_copied_into_a_folder(run, scratch, s3, b):
    fill(scratch / "x", 5)
    fill(scratch / "d/y", 6)
    run("cp", "-r", "x", "d", f"s3://{b}/into")
    assert keys(s3, b) == ["into/d/y", "into/x"]


def test_copying_a_folder_into_itself_is_refused(run, scratch, b):
    fill(scratch / "d/y", 6)
    assert "inside" in run("cp", "-r", "d", "d/deeper", check=False).stderr
    assert "inside" in run("cp", "-r", f"s3://{b}", f"s3://{b}/p", check=False).stderr


def test_bandwidth_limit_is_respected(run, scratch, s3, b):
    fill(scratch / "f", 3 * MIB)
    done = summary(run("cp", "f", f"s3://{b}/f", "--bandwidth", "2MiB", "--json"))
    assert done["ms"] >= 1200


def test_missing_sources_are_reported(run, scratch, b):
    for source in ("nothing", f"s3://{b}/nothing", f"s3://{b}/nothing/", "s3://no-such-bucket-1/x"):
        result = run("cp", "-r", source, "out", check=False)
        assert result.returncode == 1 and result.stderr.startswith("muster: "), source
    fill(scratch / "f", 1)
    result = run("cp", "f", "s3://no-such-bucket-1/x", check=False)
    assert result.returncode == 1 and "NoSuchBucket" in result.stderr and "objects mb s3://no-such-bucket-1" in result.stderr
    assert "same command again" not in result.stderr
    for i in range(13):
        fill(scratch / f"many/{i}", 1)
    result = run("cp", "-r", "many", "s3://no-such-bucket-1/x", check=False)
    assert result.stderr.count("NoSuchBucket") == 10 and "and 3 more" in result.stderr and "13 objects could not" in result.stderr
    assert run("cp", "f", check=False).returncode == 2
    (scratch / "dir").mkdir()
    result = run("cp", "dir", f"s3://{b}/", check=False)
    assert result.returncode == 2 and "-r" in result.stderr


# -- sync

def test_sync_copies_new_and_changed_files(run, scratch, s3, b):
    for name in ("a", "b", "sub/c"):
        fill(scratch / "in" / name, 100)
    assert summary(run("sync", "in", f"s3://{b}/p", "--json"))["copied"] == 3
    assert summary(run("sync", "in", f"s3://{b}/p", "--json"))["skipped"] == 3
    fill(scratch / "in/a", 101)
    os.utime(scratch / "in/b", (4e9, 4e9))
    done = summary(run("sync", "in", f"s3://{b}/p", "--json"))
    assert (done["copied"], done["skipped"]) == (2, 1)
    assert summary(run("sync", "in", f"s3://{b}/p", "--json", "--size-only"))["copied"] == 0
    assert summary(run("sync", "in", f"s3://{b}/p", "--json", "--checksum"))["copied"] == 0
    assert summary(run("sync", f"s3://{b}/p", "back", "--json"))["copied"] == 3
    assert summary(run("sync", f"s3://{b}/p", "back", "--json"))["copied"] == 0
    assert tree(scratch / "back") == tree(scratch / "in")
    (scratch / "back/b").write_bytes(os.urandom(100))
    assert summary(run("sync", f"s3://{b}/p", "back", "--json", "--checksum"))["copied"] == 1


def test_sync_deletes_only_extra_files(run, scratch, s3, b):
    for name in ("a", "b"):
        fill(scratch / "in" / name, 10)
    run("sync", "in", f"s3://{b}")
    s3.put_object(Bucket=b, Key="extra/x", Body=b"x")
    s3.put_object(Bucket=b, Key="keep.log", Body=b"x")
    shown = run("sync", "--delete", "-n", "in", f"s3://{b}", "--exclude", "*.log").stdout
    assert "would delete" in shown and "extra/x" in shown and "keep.log" not in shown
    assert "extra/x" in keys(s3, b)
    run("sync", "--delete", "in", f"s3://{b}", "--exclude", "*.log")
    assert keys(s3, b) == ["a", "b", "keep.log"]
    (scratch / "none").mkdir()
    refused = run("sync", "--delete", "none", f"s3://{b}", check=False)
    assert refused.returncode == 1 and "--force" in refused.stderr and len(keys(s3, b)) == 3
    fill(scratch / "local/sub/only", 1)
    run("sync", "--delete", "--force", f"s3://{b}", "local")
    assert sorted(tree(scratch / "local")) == ["a", "b", "keep.log"] and not (scratch / "local/sub").exists()


def test_sync_deletes_nothing_below_skipped_entries(run, scratch, s3, b):
    fill(scratch / "in/real", 10)
    fill(scratch / "data/x", 10)
    (scratch / "in/sub").mkdir()
    (scratch / "in/sub/link").symlink_to(scratch / "data")
    (scratch / "in/gone").symlink_to("nothing")
    for key in ("sub/link/x", "sub/link", "gone", "sub/linked", "sub/other", "extra"):
        s3.put_object(Bucket=b, Key=key, Body=b"x")
    for flags in (("-n",), ()):
        done = summary(run("sync", "--delete", *flags, "in", f"s3://{b}", "--json"))
        assert done["deleted"] == 3 and any("not deleted" in note and ": 3 at or below" in note for note in done["notes"]), done
    assert keys(s3, b) == ["gone", "real", "sub/link", "sub/link/x"]


# -- where the store is and who one is

def test_profiles_name_other_stores(run, scratch, store, s3, b):
    s = store.endpoint()["s3"]
    profiles = scratch / "home/.config/muster/profiles.yaml"
    fill(scratch / "f", 10)
    profiles.parent.mkdir(parents=True)
    profiles.write_text(f"profiles:\n  mine: {{endpoint: {s['endpoint']}, access_key: {s['access_key']}, secret_key: {s['secret_key']}}}\n"
                        f"  wrong: {{endpoint: {s['endpoint']}, access_key: {s['access_key']}, secret_key: nonsense}}\n")
    assert "chmod 600" in run("cp", "f", f"s3://mine@{b}/f", check=False).stderr
    profiles.chmod(0o600)
    run("cp", "f", f"s3://mine@{b}/f")
    run("cp", "--profile", "mine", f"s3://{b}/f", "g")
    # Another name for the same store, so through this machine: both ends are checked.
    refused = run("cp", "f", f"s3://wrong@{b}/g", check=False)
    assert refused.returncode == 1 and "SignatureDoesNotMatch" in refused.stderr and "nonsense" not in refused.stderr
    assert "there is no profile" in run("cp", "f", f"s3://nobody@{b}/g", check=False).stderr


def test_keys_of_the_environment_and_of_the_aws_files(run, scratch, store, b):
    s = store.endpoint()["s3"]
    fill(scratch / "f", 10)
    base = {"AWS_ENDPOINT_URL": s["endpoint"], "MUSTER_DATA": str(scratch / "nobody")}
    run("cp", "--no-start", "f", f"s3://{b}/f", env={**base, "AWS_ACCESS_KEY_ID": s["access_key"], "AWS_SECRET_ACCESS_KEY": s["secret_key"]})
    aws = scratch / "home/.aws"
    aws.mkdir(parents=True)
    (aws / "credentials").write_text(f"[default]\naws_access_key_id = {s['access_key']}\naws_secret_access_key = {s['secret_key']}\n")
    (aws / "config").write_text(f"[profile there]\nendpoint_url = {s['endpoint']}\naws_access_key_id={s['access_key']}\n"
                                f"aws_secret_access_key={s['secret_key']}\n")
    run("cp", "--no-start", "f", f"s3://{b}/f", env=base)
    run("cp", "--no-start", "--profile", "there", "f", f"s3://{b}/f", env={"MUSTER_DATA": str(scratch / "nobody")})
    for flag in ("--profile", "--endpoint"):
        empty = run("cp", flag, "", "f", f"s3://{b}/f", check=False)
        assert empty.returncode == 2 and f"{flag}: it is empty" in empty.stderr
    lost = run("cp", "--no-start", "f", f"s3://{b}/f", env={"MUSTER_DATA": str(scratch / "nobody")}, check=False)
    assert lost.returncode == 1 and "muster server" in lost.stderr


def test_printed_key_settings_work_when_pasted(run, scratch, store, s3, b):
    fill(scratch / "f", 10)
    printed = run("objects", "key", "add", "ann", "--write", f"s3://{b}/ann/").stdout
    script = printed + f'"$0" cp f s3://{b}/ann/f && ! "$0" cp f s3://{b}/f'
    done = subprocess.run(["sh", "-c", script, MUSTER], cwd=scratch, env={**store.env, "HOME": str(scratch / "home")}, capture_output=True, text=True)
    assert done.returncode == 0 and "AccessDenied" in done.stderr, done.stderr
    assert keys(s3, b) == ["ann/f"]
    assert json.loads(run("objects", "key", "add", "bo", "--read", "*", "--json").stdout)["endpoint"] == store.endpoint()["s3"]["endpoint"]


def test_copy_between_stores_keeps_metadata(run, scratch, store, s3, b):
    s = store.endpoint()["s3"]
    profiles = scratch / "home/.config/muster/profiles.yaml"
    profiles.parent.mkdir(parents=True)
    # The same server under another name: for the copier another store, so that bytes pass through it.
    profiles.write_text(f"profiles:\n  far: {{endpoint: {s['endpoint'].replace('127.0.0.1', 'localhost')}, access_key: {s['access_key']}, "
                        f"secret_key: {s['secret_key']}, style: path}}\n")
    profiles.chmod(0o600)
    small, large = os.urandom(1000), os.urandom(12 * MIB)
    for key, data in (("small", small), ("large", large)):
        s3.put_object(Bucket=b, Key=key, Body=data, ContentType="text/x-test", Metadata={"colour": "blue"})
        done = summary(run("cp", "--part-size", "5MiB", f"s3://{b}/{key}", f"s3://far@{b}/copy/{key}", "--json"))
        assert done["copied"] == 1
        copy = s3.get_object(Bucket=b, Key="copy/" + key)
        assert copy["Body"].read() == data
        assert (copy["ContentType"], copy["Metadata"]) == ("text/x-test", {"colour": "blue"})


def test_buckets_in_the_host_name(run, scratch, store, b):
    s = store.endpoint()["s3"]
    fill(scratch / "f", 10)
    url = s["endpoint"].replace("127.0.0.1", "localhost")
    env = {"AWS_ACCESS_KEY_ID": s["access_key"], "AWS_SECRET_ACCESS_KEY": s["secret_key"]}
    result = run("cp", "--endpoint", url, "--style", "virtual", "f", f"s3://{b}/f", env=env, check=False)
    if "cannot find the server" in result.stderr:
        pytest.skip("this machine does not know names below localhost")
    assert result.returncode == 0, result.stderr


# -- http

@pytest.fixture
def web(scratch):
    """A web server that knows ranges for some names, and redirects."""
    folder = scratch / "web"
    folder.mkdir()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args):
            pass

        def do_GET(self):
            name = self.path.strip("/")
            if name.startswith("to/"):
                self.send_response(302)
                self.send_header("Location", "/" + name[3:])
                self.send_header("Content-Length", "0")
                return self.end_headers()
            data = (folder / name).read_bytes()
            wanted = self.headers.get("Range", "")
            if "ranges" in name and wanted.startswith("bytes="):
                first, last = (int(x) for x in wanted[6:].split("-"))
                last = min(last, len(data) - 1)
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
                data = data[first:last + 1]
            else:
                self.send_response(200)
            self.send_header("ETag", '"v1"')
            if "chunked" in name:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for at in range(0, len(data), 100_000):
                    piece = data[at:at + 100_000]
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                return self.wfile.write(b"0\r\n\r\n")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_http_url_can_be_copied_to_files_and_buckets(run, scratch, s3, b, web):
    folder, url = web
    data = fill(folder / "with-ranges", 12 * MIB).read_bytes()
    for name in ("plain", "chunked"):
        (folder / name).write_bytes(data)
    for name in ("with-ranges", "plain", "chunked", "to/to/plain"):
        last = name.split("/")[-1]
        run("cp", "--part-size", "5MiB", f"{url}/{name}", f"got-{last}")
        assert (scratch / f"got-{last}").read_bytes() == data, name
        run("cp", "--part-size", "5MiB", f"{url}/{name}", f"s3://{b}/")
        assert body(s3, b, last) == data, name
