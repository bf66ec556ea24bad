"""The copier against servers that are not ours: MinIO, versitygw and radosgw. Run by `make test-objects`."""
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.request

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))

from conftest import MUSTER  # noqa: E402  (the path above must be there first)
from frame import object_servers  # noqa: E402
from radosgw import radosgw  # noqa: E402
from s3 import AWKWARD  # noqa: E402

BIG = 70 << 20
SERVERS = {"minio": object_servers.minio, "versitygw": object_servers.versitygw, "radosgw": radosgw}
REFUSED = {"minio": {"back\\slash"}, "versitygw": set(), "radosgw": set()}  # whoever sends it


class Real:
    """One server, and Muster's verbs told of it by variables as any user would."""

    def __init__(self, name, store, folder):
        self.name, self.folder = name, folder
        self.env = {**store.environment(folder), "MUSTER_DATA": str(folder / "none"), "XDG_STATE_HOME": str(folder / "state")}

    def run(self, *words, code=0):
        done = subprocess.run([MUSTER, *map(str, words)], env=self.env, cwd=self.folder, capture_output=True, text=True,
                              timeout=300, errors="replace")
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def copy(self, *words):
        return json.loads(self.run("cp", "--json", *words))


@pytest.fixture(scope="module", params=SERVERS)
def real(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    with SERVERS[request.param](folder / "server") as store:
        real = Real(request.param, store, folder)
        real.run("objects", "mb", "s3://copies")
        yield real


def names(real):
    """Those that files can have, of which none is the folder of another."""
    return [name for name in AWKWARD if name not in REFUSED[real.name] | {"a", "a/b"}
            and max(len(part.encode()) for part in name.split("/")) <= 255]


@pytest.fixture(scope="module")
def tree(real):
    made = {}
    for name in names(real):
        path = real.folder / "up" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        made[name] = name.encode() * 5
        path.write_bytes(made[name])
    made["big.bin"], made["empty"] = os.urandom(BIG), b""
    for name in ("big.bin", "empty"):
        (real.folder / "up" / name).write_bytes(made[name])
    for path in (real.folder / "up").rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # some servers tell whole seconds only
    return made


def read_tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_tree_round_trips_with_every_name_and_byte(real, tree):
    up = real.copy("-r", "up/", "s3://copies/tree/")
    assert (up["copied"], up["failed"]) == (len(tree), 0), up
    down = real.copy("-r", "s3://copies/tree/", "down/")
    assert (down["copied"], down["failed"]) == (len(tree), 0), down
    assert read_tree(real.folder / "down") == tree
    listed = real.run("objects", "ls", "-r", "--json", "s3://copies/tree/")
    assert {item["key"] for item in json.loads(listed)["objects"]} == {"tree/" + name for name in tree}


def test_many_small_files_arrive_with_and_without_archives(real):
    made = {f"d{number % 7}/e/f{number}.txt": os.urandom(number * 113 % 40_000) for number in range(300)}
    made |= {"with blank": b"b", "ümlaut": b"u"}  # these go by themselves
    for name, content in made.items():
        path = real.folder / "many" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    up = real.copy("-r", "many/", "s3://copies/many/")
    assert (up["copied"], up["failed"], up["retries"]) == (len(made), 0, 0), up
    if real.name == "minio":  # an archive's payload is signed, that of a single object has a CRC
        assert up["checked"]["sha256"] > 150, up
    listed = json.loads(real.run("objects", "ls", "-r", "--json", "s3://copies/many/"))["objects"]
    assert {item["key"]: item["size"] for item in listed} == {"many/" + name: len(content) for name, content in made.items()}
    real.copy("-r", "s3://copies/many/", "many-back/")
    assert read_tree(real.folder / "many-back") == made
    assert all(abs(item["modified_ms"] / 1000 - time.time()) < 600 for item in listed), listed[:3]


def test_second_sync_copies_only_changes(real, tree):
    real.run("cp", "-r", "up/", "s3://copies/synced/")
    assert json.loads(real.run("sync", "--json", "up/", "s3://copies/synced/"))["copied"] == 0
    (real.folder / "up/plain.txt").write_bytes(b"another content")
    tree["plain.txt"] = b"another content"
    assert json.loads(real.run("sync", "--json", "up/", "s3://copies/synced/"))["copied"] == 1
    assert real.run("objects", "cat", "s3://copies/synced/plain.txt") == "another content"


def test_objects_are_copied_inside_the_store_and_to_and_from_urls(real, tree):
    real.run("cp", "up/big.bin", "s3://copies/one/big.bin")
    real.run("cp", "s3://copies/one/big.bin", "s3://copies/two/big.bin")
    link = real.run("objects", "presign", "s3://copies/two/big.bin").strip().splitlines()[-1]
    with urllib.request.urlopen(link, timeout=60) as answer:
        assert answer.read() == tree["big.bin"]
    real.run("cp", link, "s3://copies/three/big.bin")
    real.run("cp", "s3://copies/three/big.bin", "by-address.bin")
    assert (real.folder / "by-address.bin").read_bytes() == tree["big.bin"]


def test_errors_have_a_message_and_an_exit_code(real):
    real.run("cp", "up/plain.txt", "s3://no-such-bucket-here/x", code=1)
    real.run("objects", "stat", "s3://copies/nothing/there", code=1)
    wrong = {**real.env, "AWS_SECRET_ACCESS_KEY": "wrong"}
    done = subprocess.run([MUSTER, "objects", "ls", "s3://copies"], env=wrong, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "secret" in done.stderr and "wrong" not in done.stderr.replace("wrong key", ""), done.stderr


def test_all_objects_can_be_removed(real, tree):
    real.run("cp", "-r", "up/", "s3://copies/gone/")
    real.run("objects", "rm", "-r", "s3://copies/gone/")
    assert json.loads(real.run("objects", "ls", "-r", "--json", "s3://copies/gone/"))["objects"] == []
