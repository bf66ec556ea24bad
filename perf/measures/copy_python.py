"""mox.file.copy_parallel of many small objects beside boto3 in a pool of threads, up and down."""
import itertools
import shutil

from frame.object_clients import run
from frame.object_race import BUCKET, Track, check, embedded, make
from frame.samples import faster
from frame.server import ROOT, started
from frame.timing import turns

NAME = "copy"
ROUNDS = 2
FILES, SIZE = 10_000, 10 << 10
BAR = 10
PYTHON = "/usr/bin/python3"  # Debian's, which has boto3

MOX = "import sys, moxing as mox; mox.file.copy_parallel(sys.argv[1], sys.argv[2])"

BOTO = """
import concurrent.futures, os, pathlib, sys
import boto3, botocore.config
s3 = boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"], config=botocore.config.Config(
    max_pool_connections=16, s3={"addressing_style": "path"}))
way, files, bucket, prefix = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
def up(path):
    s3.upload_file(str(path), bucket, f"{prefix}/{path.relative_to(files)}")
def down(key):
    target = files / key[len(prefix) + 1:]
    target.parent.mkdir(parents=True, exist_ok=True)
    s3.download_file(bucket, key, str(target))
if way == "up":
    work, one = [path for path in files.rglob("*") if path.is_file()], up
else:
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix + "/")
    work, one = [item["Key"] for page in pages for item in page["Contents"]], down
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    list(pool.map(one, work))
"""


def environment(track, lab):
    """What a job's script finds: moxing first on its path, the store in its variables."""
    env = dict(track.env)
    env.update(PYTHONPATH=str(ROOT / "python"), PYTHONDONTWRITEBYTECODE="1", MUSTER_EXECUTABLE=lab.muster,
               MUSTER_DATA=str(lab.folder / "none"))
    return env


def measure(lab, rows):
    with started(lab.muster, lab.path("data"), "--store-sync", "none") as server:
        track, number = Track(embedded(server), lab.muster, lab.path("home")), itertools.count()
        env = environment(track, lab)
        files = make(lab.path("files"), FILES, SIZE)

        def up(command):
            place = track.new_place()
            took = run(command(place.partition("/")[2]), env, FILES * SIZE).ms
            track.clear(place)
            return took

        def down(command):
            target = lab.folder / f"python{next(number)}"
            took = run(command(str(target)), env, FILES * SIZE).ms
            check(target, FILES, SIZE)
            shutil.rmtree(target)
            return took

        mox = [PYTHON, "-c", MOX]
        boto = [PYTHON, "-c", BOTO]
        ours, theirs = turns(ROUNDS, lambda: up(lambda p: [*mox, str(files), f"obs://{BUCKET}/{p}"]),
                             lambda: up(lambda p: [*boto, "up", str(files), BUCKET, p]), warm=False)
        rows.append(faster(NAME, f"copy_parallel of {FILES:,} objects, up", ours, "boto3, 16 threads", theirs, BAR))
        prefix = track.fill(files).partition("/")[2]
        ours, theirs = turns(ROUNDS, lambda: down(lambda t: [*mox, f"obs://{BUCKET}/{prefix}", t]),
                             lambda: down(lambda t: [*boto, "down", t, BUCKET, prefix]), warm=False)
        rows.append(faster(NAME, f"copy_parallel of {FILES:,} objects, down", ours, "boto3, 16 threads", theirs, BAR))
        shutil.rmtree(files)
