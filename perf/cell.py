#!/usr/bin/python3
"""One cell of the race over buckets: some clients on some stores, one set, one way; times in turn, and whose CPU they were.

    perf/cell.py one|mid|small up|down [--clients muster,s5cmd] [--stores minio,embedded,scratch,versitygw,nothing] [--rounds 3]

`embedded` is our store as it comes, `scratch` the same with --store-sync none, `nothing` one that reads and keeps nothing: what the
client takes by itself. Everything is as in the measure `copy`: the
files that go up in memory, all others on the disk of the scratch folder, every copy to a new place.
"""
import argparse
import contextlib
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from frame import object_clients, object_servers  # noqa: E402  (the path above must be there first)
from frame.lab import Lab  # noqa: E402
from frame.nothing import nothing  # noqa: E402
from frame.object_race import SETS, Track, embedded, make, memory_folder  # noqa: E402
from frame.server import started  # noqa: E402
from frame.timing import turns  # noqa: E402

SET_NAMES = dict(zip(("one", "mid", "small"), SETS))


@contextlib.contextmanager
def own_store(lab, sync):
    with started(lab.muster, lab.path("data"), "--store-sync", sync) as server:
        yield embedded(server)


def start_store(name, lab, size, way):
    return {"minio": lambda: object_servers.minio(lab.path("minio")),
            "versitygw": lambda: object_servers.versitygw(lab.path("versitygw")),
            "embedded": lambda: own_store(lab, "full"),
            "scratch": lambda: own_store(lab, "none"),
            "nothing": lambda: nothing(lab, size, swallow=way == "up")}[name]()


def make_client(name, lab):
    return object_clients.muster(lab.muster) if name == "muster" else getattr(object_clients, name)()


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
            track = Track(stores.enter_context(start_store(name, lab, size, arguments.way)), lab.muster, lab.path("home"))
            place = track.fill(files) if arguments.way == "down" else None
            for name_of_client in arguments.clients.split(","):
                client = make_client(name_of_client, lab)
                sides[f"{name_of_client} on {name}"] = (
                    (lambda track=track, client=client: track.up(client, files, objects, size)) if arguments.way == "up" else
                    (lambda track=track, client=client, place=place: track.down(client, place, lab.path("down"), objects, size)))
        print(f"{title}, {arguments.way}", flush=True)
        results = turns(arguments.rounds, *sides.values())
        for name, samples in zip(sides, results):
            show(name, samples)


if __name__ == "__main__":
    main()
