"""Copies to and from the embedded store: muster cp beside the other client that is there, same data, same server."""
import json
import os
import pathlib
import shutil
import subprocess
import time

from frame.samples import faster
from frame.server import started
from frame.timing import turns

NAME = "copy"
TITLE = "copies to and from a bucket"
ROUNDS = 3
MIB = 1 << 20
# name, objects, size of each, what is asked beside the fastest of the others
SETS = ("1 x 1 GiB", 1, 1024 * MIB, 1.3), ("64 x 16 MiB", 64, 16 * MIB, 1.3), ("10,000 x 10 KiB", 10_000, 10 << 10, 1.3)
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "muster/bin"


def make(folder, objects, size):
    """Bytes that no file system or link can make smaller, a hundred files a folder."""
    block = os.urandom(min(size, 16 * MIB))
    for number in range(objects):
        path = folder / f"d{number // 100:03}" / f"f{number:05}"
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as file:
            file.write(number.to_bytes(8, "big"))
            for at in range(8, size, len(block)):
                file.write(block[:min(len(block), size - at)])
    return folder


def timed(command, env):
    """Milliseconds of a whole command that must succeed."""
    began = time.perf_counter()
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    took = (time.perf_counter() - began) * 1e3
    if done.returncode != 0:
        raise RuntimeError(f"{command}: exit code {done.returncode}: {done.stderr[-500:]}")
    return took


def peers():
    found = CACHE / "s5cmd"
    if not found.exists():
        raise RuntimeError("s5cmd is missing: make test-objects builds it once")
    return [("s5cmd", str(found))]


class Race:
    """One set of files, copied up and down by both sides in turn, each time to a new place."""

    def __init__(self, lab, server, program):
        self.lab, self.server, self.peer = lab, server, program
        s3 = json.loads((server.data / "endpoint.json").read_text())["s3"]
        self.endpoint = s3["endpoint"]
        self.env = {**server.env, "HOME": str(lab.folder), "AWS_ACCESS_KEY_ID": s3["access_key"], "AWS_REGION": s3["region"],
                    "AWS_SECRET_ACCESS_KEY": s3["secret_key"], "AWS_CONFIG_FILE": "/dev/null"}
        self.env.pop("AWS_CA_BUNDLE", None)
        self.count = 0
        timed([server.program, "objects", "mb", "s3://race"], self.env)

    def place(self):
        self.count += 1
        return f"s3://race/{self.count}/"

    def up(self, files, mine):
        place = self.place()
        took = timed([self.server.program, "cp", "-q", "-r", str(files), place] if mine else
                     [self.peer, "--endpoint-url", self.endpoint, "cp", f"{files}/", place], self.env)
        timed([self.server.program, "objects", "rm", "-r", place], self.env)
        return took

    def down(self, place, mine):
        target = self.lab.path("down")
        took = timed([self.server.program, "cp", "-q", "-r", place, str(target)] if mine else
                     [self.peer, "--endpoint-url", self.endpoint, "cp", place + "*", f"{target}/"], self.env)
        shutil.rmtree(target)
        return took


def measure(lab):
    rows = []
    for name, program in peers():
        with started(lab.muster, lab.path("data"), "--store-sync", "none") as server:
            race = Race(lab, server, program)
            for title, objects, size, bar in SETS:
                files = make(lab.path("files"), objects, size)
                mine, other = turns(ROUNDS, lambda: race.up(files, True), lambda: race.up(files, False))
                rows.append(faster(NAME, f"{title}, up", mine, name, other, bar))
                place = race.place()
                timed([server.program, "cp", "-q", "-r", str(files), place], race.env)
                mine, other = turns(ROUNDS, lambda: race.down(place, True), lambda: race.down(place, False))
                rows.append(faster(NAME, f"{title}, down", mine, name, other, bar))
                shutil.rmtree(files)
    return rows
