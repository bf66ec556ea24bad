"""A bucket of a hundred thousand keys: every one is listed once, in order, by pages, and neither side grows with them."""
import os
import re
import subprocess
import urllib.parse
import urllib.request

import pytest

from conftest import MUSTER
from s3 import client

KEYS = 100_000
FOLDERS = 100
FLAT = 50_000  # of them in one folder


@pytest.fixture(scope="module")
def all_keys(store):
    """The keys of a bucket that was filled by hand, the quick way: names for two files."""
    folder = store.data / "objects/many"
    names = [f"flat/{i:06}" for i in range(FLAT)] + [f"d{i % FOLDERS:02}/f-{i:06}" for i in range(KEYS - FLAT)]
    for below in {os.path.dirname(name) for name in names}:
        (folder / below).mkdir(parents=True)
    for part in range(2):
        os.close(os.open(folder / f"seed{part}", os.O_CREAT))
    for i, name in enumerate(names):
        os.link(folder / f"seed{i % 2}", folder / name)
    return sorted([*names, "seed0", "seed1"])


def memory_of(pid, what):
    """kB"""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(rf"{what}:\s+(\d+)", file.read())[1])


def pages(s3, **query):
    """The pages of a listing as they come, by a client that is ours: links that boto3 signs, read by urllib."""
    token = None
    while True:
        more = {"ContinuationToken": token} if token else {}
        url = s3.generate_presigned_url("list_objects_v2", Params={"Bucket": "many", **query, **more})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url) as answer:
            text = answer.read().decode()
        yield text
        found = re.search("<NextContinuationToken>(.*?)</NextContinuationToken>", text)
        assert bool(found) == ("<IsTruncated>true</IsTruncated>" in text)
        if not found:
            return
        token = found[1]


def test_every_key_is_listed_once_and_in_order(store, all_keys):
    listed, before = [], None
    for page in pages(client(store)):
        keys = re.findall("<Key>(.*?)</Key>", page)
        assert 0 < len(keys) <= 1000 and f"<KeyCount>{len(keys)}</KeyCount>" in page
        listed += keys
        # The first pages bring what a listing needs at all.
        if len(listed) >= 20_000:
            before = before or memory_of(store.process.pid, "VmRSS")
    assert listed == all_keys
    assert memory_of(store.process.pid, "VmHWM") - before < 32 << 10, "the server grew with the listing"


def test_common_prefixes_hide_their_keys(store, all_keys):
    page, = pages(client(store), Delimiter="/")
    prefixes = re.findall("<CommonPrefixes><Prefix>(.*?)</Prefix></CommonPrefixes>", page)
    assert prefixes == [f"d{i:02}/" for i in range(FOLDERS)] + ["flat/"]
    assert re.findall("<Key>(.*?)</Key>", page) == ["seed0", "seed1"]


def test_listing_can_start_after_any_key(store, all_keys):
    after = all_keys[77_777]
    page = next(pages(client(store), StartAfter=after, MaxKeys=3))
    assert re.findall("<Key>(.*?)</Key>", page) == all_keys[77_778:77_781]
    page = next(pages(client(store), Prefix="d42/f-0", MaxKeys=2))
    assert re.findall("<Key>(.*?)</Key>", page) == [k for k in all_keys if k.startswith("d42/f-0")][:2]


def test_muster_lists_many_objects_in_constant_memory(store, all_keys):
    child = subprocess.Popen([MUSTER, "objects", "ls", "-r", "s3://many/"], env=store.env, stdout=subprocess.PIPE, text=True)
    listed = []
    for line in child.stdout:
        listed.append(line.split()[-1])
        if len(listed) == KEYS - 5000:  # more than a pipe holds is to come
            grown = memory_of(child.pid, "VmHWM")
    assert child.wait(60) == 0
    assert listed == [f"s3://many/{key}" for key in all_keys]
    assert grown < 64 << 10, f"{grown} kB"
