"""The embedded store on the same machine beside cp -r, and a data set that the node has already beside one that it fetches."""
import itertools
import json
import pathlib
import shutil
import statistics
import subprocess
import time

from frame.object_clients import muster, run
from frame.object_race import SETS, Track, check, embedded, make
from frame.samples import faster
from frame.server import started
from frame.timing import turns

NAME = "copy"
ROUNDS = 5
BESIDE_CP = {"1 x 1 GiB": 1.0, "64 x 16 MiB": 1.0, "10,000 x 10 KiB": 2.0}
CACHED = 50
PLAIN = pathlib.Path(__file__).resolve().parent.parent / "plain_files.cc"
FILES, SIZE = 10_000, 10 << 10


def beside_cp(lab, server, rows):
    """Both on the same disk, neither synced."""
    track = Track(embedded(server), lab.muster, lab.path("home"))
    client, number = muster(lab.muster), itertools.count()
    # The verb finds the server's own store, as a user's would.
    env = {**server.env, "HOME": str(lab.folder)}
    plain_files = str(lab.path("plain_files"))
    subprocess.run(["clang++-19", "-std=c++23", "-stdlib=libstdc++", "-O2", "-o", plain_files, str(PLAIN)], check=True)

    def copied(command, target, objects, size):
        took = run(command, env, objects * size).ms
        if target:
            check(target, objects, size)
            track.leavings.remove(objects, lambda: shutil.rmtree(target))
        return took

    for title, objects, size in SETS:
        files = make(lab.path("files"), objects, size)

        def new():
            return lab.folder / f"copy{next(number)}"

        def up():
            place = track.new_place()
            took = copied(client.up(None, files, place), None, objects, size)
            track.leavings.remove(objects, lambda: track.clear(place))
            return took

        def cp(source):
            target = new()
            return copied(["cp", "-r", str(source), str(target)], target, objects, size)

        def down(place):
            target = new()
            return copied(client.down(None, place, target), target, objects, size)

        def plain(source):
            target = new()
            return copied([plain_files, str(source), str(target)], target, objects, size)

        def race(way, mine, source):
            ours, theirs, floor = turns(ROUNDS, mine, lambda: cp(source), lambda: plain(source))
            rows.append(faster(NAME, f"{title}, {way}, same machine", ours, "cp -r", theirs, BESIDE_CP[title],
                               ceiling=statistics.median(theirs) / statistics.median(floor)))

        race("up", up, files)
        place = track.fill(files)
        race("down", lambda: down(place), server.data / "objects" / place)
        shutil.rmtree(files)
        track.clear(place)
        track.leavings.remove_kept()


def stage_in(lab, server, place):
    """A whole job that wants the set and does nothing with it: from the launcher's first act until everything is in place, in ms,
    as its record tells. Returns when the job's links are back in the cache."""
    file = lab.path("job.yaml")
    file.write_text(f"run: [/bin/sh, -c, 'find $(echo $1 | cut -d= -f2) -type f | wc -l', look]\ninputs: {{data: 's3://{place}/'}}\n")
    job = subprocess.run(server.verb("run", "-d", file), env=server.env, capture_output=True, text=True, check=True).stdout.split()[-1]
    subprocess.run(server.verb("wait", job), env=server.env, capture_output=True, check=True)
    attempt = server.data / f"jobs/{job}/attempts/1"
    if (attempt / "node0/rank0.log").read_text().strip() != str(FILES):
        raise RuntimeError(f"job {job} found {(attempt / 'node0/rank0.log').read_text()} files, expected {FILES}")
    while (attempt / "inputs").exists():
        time.sleep(0.01)
    lines = [json.loads(line.split(" ", 1)[1]) for line in (attempt / "node0/record").read_text().splitlines()]
    return next(line["mono_ms"] for line in lines if line["type"] == "stage_note" and "files" in line["text"])


def staging(lab, server, rows):
    track = Track(embedded(server), lab.muster, lab.path("home"))
    files = make(lab.path("files"), FILES, SIZE)
    place = track.fill(files)
    first, cached = [], []
    for _ in range(ROUNDS):
        shutil.rmtree(server.data / "cache/inputs", ignore_errors=True)
        first.append(stage_in(lab, server, place))
        cached += [stage_in(lab, server, place) for _ in range(3)]
    rows.append(faster(NAME, f"stage-in of {FILES:,} files that the node has", cached, "first stage-in", first, CACHED))
    track.clear(place)
    shutil.rmtree(files)


def measure(lab, rows):
    with started(lab.muster, lab.path("data"), "--store-sync", "none") as server:
        beside_cp(lab, server, rows)
        staging(lab, server, rows)
