#!/usr/bin/python3
"""One cell of the race over buckets: some clients on some stores, one set, one way; times in turn, and whose CPU they were.

    perf/cell.py one|mid|small up|down [--clients muster,s5cmd] [--stores minio,embedded,scratch,versitygw] [--rounds 3]

`embedded` is our store as it comes, `scratch` the same with --store-sync none. Everything is as in the measure `copy`: the
clients' files in memory, the stores' on the disk of the scratch folder, every copy to a new place.
"""
import argparse
import contextlib
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from frame import object_clients, object_servers  # noqa: E402  (the path above must be there first)
from frame.lab import Lab  # noqa: E402
from frame.object_race import SETS, Track, embedded, make, memory_folder  # noqa: E402
from frame.server import started  # noqa: E402
from frame.timing import turns  # noqa: E402

SET_NAMES = dict(zip(("one", "mid", "small"), SETS))
TICKS = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def own_store(lab, sync):
    with started(lab.muster, lab.path("data"), "--store-sync", sync) as server:
        yield embedded(server)


STORES = {"minio": lambda lab: object_servers.minio(lab.path("minio")),
          "versitygw": lambda lab: object_servers.versitygw(lab.path("versitygw")),
          "embedded": lambda lab: own_store(lab, "full"),
          "scratch": lambda lab: own_store(lab, "none")}


def make_client(name, lab):
    return object_clients.muster(lab.muster) if name == "muster" else getattr(object_clients, name)()


def cpu_of(pid):
    """Seconds of processor that a process has had, all its threads, ended ones too."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Runner:
    """One client on one store: (wall ms, client's CPU s, store's CPU s) a run."""

    def __init__(self, client, track, files, place, target, what):
        self.client, self.track, self.files, self.place, self.target, self.what = client, track, files, place, target, what

    def __call__(self):
        way, objects, size = self.what
        before, children = cpu_of(self.track.store.pid), os.times()
        if way == "up":
            took = self.track.up(self.client, self.files, keep=True)
        else:
            took = self.track.down(self.client, self.place, self.target, objects, size)
        used = os.times()
        spent = cpu_of(self.track.store.pid) - before
        if way == "up":
            self.track.clear_last()
        return took, used.children_user - children.children_user + used.children_system - children.children_system, spent


def show(name, samples):
    wall, client, store = ([sample[i] for sample in samples] for i in range(3))
    print(f"{name:24} {statistics.median(wall):8.0f} ms  ({', '.join(f'{ms:.0f}' for ms in wall)})  "
          f"client {statistics.median(client):5.2f} s  store {statistics.median(store):5.2f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", choices=SET_NAMES)
    parser.add_argument("way", choices=("up", "down"))
    parser.add_argument("--clients", default="muster,s5cmd")
    parser.add_argument("--stores", default="minio")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    title, objects, size = SET_NAMES[arguments.set]
    with Lab() as lab, memory_folder() as memory, contextlib.ExitStack() as stores:
        files = make(memory / "files", objects, size)
        sides = {}
        for name in arguments.stores.split(","):
            track = Track(stores.enter_context(STORES[name](lab)), lab.muster, lab.path("home"))
            place = track.fill(files) if arguments.way == "down" else None
            for client in arguments.clients.split(","):
                sides[f"{client} on {name}"] = Runner(make_client(client, lab), track, files, place, memory / "down",
                                                      (arguments.way, objects, size))
        print(f"{title}, {arguments.way}", flush=True)
        results = turns(arguments.rounds, *sides.values())
        for name, samples in zip(sides, results):
            show(name, samples)


if __name__ == "__main__":
    main()
