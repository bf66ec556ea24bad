"""A client on the same machine: bytes take the short way, and the store's rules hold all the same. Keys and what they may do."""
import base64
import hashlib
import json
import os
import pathlib
import random
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import pytest
from botocore.exceptions import ClientError

from conftest import MUSTER
from s3 import AWKWARD, HOSTILE, body, bucket, client, code_of, keys

MIB = 1 << 20


@pytest.fixture
def run(store, scratch):
    def go(*words, check=True, env=None):
        mine = {k: "" for k in os.environ if k.startswith("AWS_")}
        mine.update(HOME=str(scratch / "home"), XDG_STATE_HOME="", XDG_CONFIG_HOME="", **(env or {}))
        return store.run(*words, check=check, env=mine, cwd=scratch)
    return go


def ask(store, method, target, document=None, access_key=None, secret_key=None, host=None):
    """One signed request of ours that no client library knows; status and document of the answer."""
    s3 = store.endpoint()["s3"]
    pair = botocore.credentials.Credentials(access_key or s3["access_key"], secret_key or s3["secret_key"])
    data = document.encode() if document is not None else b""
    headers = {"Host": host} if host else {}
    request = botocore.awsrequest.AWSRequest(method, s3["endpoint"] + target, data=data, headers={
        **headers, "x-amz-content-sha256": hashlib.sha256(data).hexdigest()})
    botocore.auth.S3SigV4Auth(pair, "s3", "us-east-1").add_auth(request)
    prepared = request.prepare()
    try:
        with urllib.request.urlopen(urllib.request.Request(prepared.url, data or None, dict(prepared.headers), method=method)) as answer:
            text = answer.read()
            return answer.status, xml.etree.ElementTree.fromstring(text) if text else None
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, xml.etree.ElementTree.fromstring(text) if text else None


def code(answer):
    return answer[1].findtext("Code")


def crc32c(data):
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return base64.b64encode((crc ^ 0xFFFFFFFF).to_bytes(4, "big")).decode()


def leave(store, data):
    name = os.urandom(12).hex()
    (store.data / "objects/.muster/inbox" / name).write_bytes(data)
    return name


def adopt(store, b, *files, **who):
    rows = "".join(f"<File><Name>{name}</Name><Key>{key}</Key><ChecksumCRC32C>{crc}</ChecksumCRC32C></File>" for name, key, crc in files)
    return ask(store, "POST", f"/{b}?muster-adopt=", f"<Adopt>{rows}</Adopt>", **who)


def inbox(store):
    return sorted(path.name for path in (store.data / "objects/.muster/inbox").iterdir())


def test_tree_with_awkward_names_round_trips(run, scratch, store, s3, b):
    made = {}
    for name in AWKWARD:
        if name in ("a", "a/b") or max(len(part.encode()) for part in name.split("/")) > 255:
            continue
        path = scratch / "up" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        made[name] = name.encode() * 100
        path.write_bytes(made[name])
    made["large"] = random.Random(1).randbytes(40 * MIB + 3)
    (scratch / "up/large").write_bytes(made["large"])
    up = json.loads(run("cp", "-r", "--json", "up/", f"s3://{b}/t/").stdout)
    assert (up["copied"], up["failed"], up["checked"]["crc"]) == (len(made), 0, len(made)), up
    assert keys(s3, b) == sorted(("t/" + name for name in made), key=str.encode)
    for name, data in made.items():
        assert body(s3, b, "t/" + name) == data, name
    head = s3.head_object(Bucket=b, Key="t/plain.txt", ChecksumMode="ENABLED")
    assert head["ETag"].endswith('-1"') and head["ChecksumCRC32C"] == crc32c(made["plain.txt"])
    down = json.loads(run("cp", "-r", "--json", f"s3://{b}/t/", "down/").stdout)
    assert (down["copied"], down["failed"], down["checked"]["crc"]) == (len(made), 0, len(made)), down
    assert {str(p.relative_to(scratch / "down")): p.read_bytes() for p in (scratch / "down").rglob("*") if p.is_file()} == made
    assert inbox(store) == []


def test_objects_of_any_origin_are_read_from_files(run, scratch, store, s3, b):
    every = AWKWARD + HOSTILE
    for key in every:
        s3.put_object(Bucket=b, Key=key, Body=key.encode())
    (store.data / "objects" / b / "by-hand").write_bytes(b"by hand")
    run("cp", f"s3://{b}/by-hand", "one")
    assert (scratch / "one").read_bytes() == b"by hand"
    named = [key for key in every if not key.endswith("/") and key.isprintable()]
    assert len(named) > 40
    for key in named:
        run("cp", f"s3://{b}/{key}", "one")
        assert (scratch / "one").read_bytes() == key.encode(), key


def test_damaged_file_is_not_returned_as_the_object(run, scratch, store, s3, b):
    (scratch / "f").write_bytes(b"x" * 5000)
    run("cp", "f", f"s3://{b}/f")
    path = store.data / "objects" / b / "f"
    times = path.stat()
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # as a disk would turn a bit
    failed = run("cp", f"s3://{b}/f", "back", check=False)
    assert failed.returncode == 1 and "checksums differ" in failed.stderr, failed.stderr
    assert not (scratch / "back").exists()


def test_only_files_of_the_inbox_become_objects(store, s3, b):
    name = leave(store, b"hello")
    status, _ = adopt(store, b, (name, "k", crc32c(b"hello")))
    assert status == 200 and body(s3, b, "k") == b"hello" and inbox(store) == []
    secret = store.data / "token"
    for bad in ("", "../near", "..", "/etc/passwd", "0" * 24, str(secret)):
        assert adopt(store, b, (bad, "stolen", ""))[0] in (400, 404)
    for kind in (os.link, os.symlink):
        linked = os.urandom(12).hex()
        kind(secret, store.data / "objects/.muster/inbox" / linked)
        assert adopt(store, b, (linked, "stolen", ""))[0] == 404
        os.unlink(store.data / "objects/.muster/inbox" / linked)
    assert keys(s3, b) == ["k"]
    name = leave(store, b"x")
    for document in ("", "<Adopt/>", "<Delete/>", "<Adopt>", f"<Adopt><File><Name>{name}</Name><Key></Key></File></Adopt>",
                     f"<Adopt><File><Name>{name}</Name><Key>{'k' * 1025}</Key></File></Adopt>",
                     f"<Adopt><File><Name>{name}</Name><Key>k</Key><ChecksumCRC32C>AAAA</ChecksumCRC32C></File></Adopt>",
                     "<Adopt>" + "<File/>" * 1001 + "</Adopt>"):
        assert ask(store, "POST", f"/{b}?muster-adopt=", document)[0] == 400, document[:80]
    assert code(adopt(store, "no-such-bucket", (name, "k", ""))) == "NoSuchBucket"
    assert body(s3, b, "k") == b"hello" and inbox(store) == [name]
    os.unlink(store.data / "objects/.muster/inbox" / name)


def test_client_behind_a_proxy_does_not_use_the_shortcut(store):
    assert ask(store, "GET", "/?muster-near=")[0] == 200
    assert ask(store, "GET", "/?muster-near=", host="127.0.0.1:1")[0] == 501
    assert ask(store, "GET", "/?muster-near=", secret_key="wrong")[0] == 403


def test_key_is_created_scoped_and_revoked(run, scratch, store, s3, b):
    other = bucket(s3)
    for place in (b, other):
        for key in ("data/x", "out/x"):
            s3.put_object(Bucket=place, Key=key, Body=b"1")
    made = json.loads(run("objects", "key", "add", "ann", "--read", f"s3://{b}/data/", "--write", f"s3://{b}/out/", "--json").stdout)
    who = {"access_key": made["access_key"], "secret_key": made["secret_key"]}
    ann = client(store, **who)
    assert body(ann, b, "data/x") == b"1" and keys(ann, b, Prefix="data/") == ["data/x"]
    ann.put_object(Bucket=b, Key="out/y", Body=b"2")
    for refused in (lambda: ann.put_object(Bucket=b, Key="data/y", Body=b""), lambda: body(ann, other, "data/x"), lambda: keys(ann, b),
                    lambda: ann.delete_object(Bucket=b, Key="data/x"), lambda: ann.create_bucket(Bucket="anns-own-bucket")):
        with pytest.raises(ClientError) as error:
            refused()
        assert code_of(error) == "AccessDenied"
    # The short way knows the same bounds, and keys are not theirs to make.
    name = leave(store, b"x")
    assert code(adopt(store, b, (name, "data/z", ""), **who)) == "AccessDenied"
    assert adopt(store, b, (name, "out/z", ""), **who)[0] == 200
    assert code(ask(store, "GET", f"/{b}?muster-stamp=&prefix=", **who)) == "AccessDenied"
    assert ask(store, "GET", f"/{b}?muster-stamp=&prefix=data%2F", **who)[0] == 200
    for method, target, document in (("GET", "/?muster-keys=", None), ("DELETE", f"/?muster-keys={made['access_key']}", None),
                                     ("POST", "/?muster-keys=", "<NewKey><User>x</User><Grant><Bucket>*</Bucket></Grant></NewKey>")):
        assert code(ask(store, method, target, document, **who)) == "AccessDenied"
    listed = run("objects", "key", "ls").stdout
    assert "ann" in listed and f"read s3://{b}/data/" in listed and made["secret_key"] not in listed
    # The copier under such a key: what it may, by the short way too, and what it may not.
    mine = {"AWS_ACCESS_KEY_ID": made["access_key"], "AWS_SECRET_ACCESS_KEY": made["secret_key"],
            "AWS_ENDPOINT_URL": store.endpoint()["s3"]["endpoint"]}
    (scratch / "f").write_bytes(b"from ann")
    run("cp", "f", f"s3://{b}/out/f", env=mine)
    assert body(s3, b, "out/f") == b"from ann"
    refused = run("cp", "f", f"s3://{b}/data/f", env=mine, check=False)
    assert refused.returncode == 1 and "AccessDenied" in refused.stderr and inbox(store) == []
    run("objects", "key", "rm", made["access_key"])
    with pytest.raises(ClientError) as error:
        body(ann, b, "data/x")
    assert code_of(error) == "InvalidAccessKeyId"
    first = store.endpoint()["s3"]["access_key"]
    kept = run("objects", "key", "rm", first, check=False)
    assert kept.returncode != 0 and "first key" in kept.stderr


def test_stamp_changes_exactly_with_changes_below(store, s3, b):
    def stamp(prefix="set/"):
        return ask(store, "GET", f"/{b}?muster-stamp=&prefix={urllib.parse.quote(prefix, safe='')}")[1].findtext("Value")
    s3.put_object(Bucket=b, Key="set/a", Body=b"1")
    s3.put_object(Bucket=b, Key="other", Body=b"1")
    seen = [stamp()]
    s3.put_object(Bucket=b, Key="other", Body=b"2")
    assert stamp() == seen[0]
    for change in (lambda: s3.put_object(Bucket=b, Key="set/a", Body=b"2"), lambda: s3.put_object(Bucket=b, Key="set/deep/b", Body=b""),
                   lambda: (store.data / "objects" / b / "set/a").write_bytes(b"3"), lambda: s3.delete_object(Bucket=b, Key="set/deep/b"),
                   lambda: (store.data / "objects" / b / "set/c").write_bytes(b"by hand"),
                   lambda: s3.put_object_tagging(Bucket=b, Key="set/a", Tagging={"TagSet": [{"Key": "k", "Value": "v"}]})):
        change()
        assert stamp() == stamp()
        seen.append(stamp())
    assert len(set(seen)) == len(seen)


def test_folder_of_another_user_disables_the_shortcut(store, scratch, b):
    """Another user of this machine, who has a key: by the connection, as from anywhere."""
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else")
    s3 = store.endpoint()["s3"]
    os.chmod(scratch, 0o777)
    env = {"PATH": os.environ["PATH"], "HOME": str(scratch), "AWS_ACCESS_KEY_ID": s3["access_key"], "AWS_SECRET_ACCESS_KEY": s3["secret_key"],
           "AWS_ENDPOINT_URL": s3["endpoint"]}
    (scratch / "f").write_bytes(b"x")
    program = scratch / "muster"
    program.write_bytes(pathlib.Path(MUSTER).read_bytes())
    program.chmod(0o755)
    done = subprocess.run([program, "cp", str(scratch / "f"), f"s3://{b}/f"], env=env, user=65534, group=65534, cwd=scratch,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    head = client(store).head_object(Bucket=b, Key="f")
    assert head["ETag"].strip('"') == hashlib.md5(b"x").hexdigest()
