"""Buckets: muster cp beside other clients, the embedded store beside other servers, both beside cp -r, staging and moxing."""
import os
import shutil
import statistics

from frame import object_clients, object_servers
from frame.nothing import nothing
from frame.object_race import SETS, Track, embedded, make, memory_folder
from frame.samples import faster
from frame.server import started
from frame.timing import turns
from measures import copy_local, copy_python

NAME = "copy"
TITLE = "copies to and from buckets"
ROUNDS = 3
BESIDE_CLIENTS, BESIDE_SERVERS = 1.3, 1.5
NEAR = 1.3  # those that are so much slower in one run cannot be the fastest


def milliseconds(costs):
    return [cost.ms for cost in costs]


def beside_free_client(theirs, ours):
    """How many times better than `theirs` a client could be that took nothing beside what the store took in `ours`, over all cores."""
    return statistics.median(milliseconds(theirs)) * os.cpu_count() / (1e3 * statistics.median(cost.store for cost in ours))


def beside_free_store(theirs, floor):
    """How many times better than `theirs` the store was that does nothing."""
    return statistics.median(milliseconds(theirs)) / statistics.median(milliseconds(floor))


def fastest(clients, once):
    """One run of each; those that may be the fastest."""
    times = {client: once(client).ms for client in clients}
    best = min(times.values())
    return [client for client in clients if times[client] <= NEAR * best]


def race_clients(lab, memory, rows):
    """muster cp and the others, on MinIO: all once, then in turns with those that may be the fastest."""
    mine = object_clients.muster(lab.muster)
    others = [object_clients.s5cmd(), object_clients.rclone(), object_clients.mc(), object_clients.aws()]
    with object_servers.minio(lab.path("minio")) as store:
        track = Track(store, lab.muster, lab.path("home"))
        for title, objects, size in SETS:
            files = make(memory / "files", objects, size)
            place = track.fill(files)
            for way, once in (("up", lambda client: track.up(client, files, objects, size)),
                              ("down", lambda client: track.down(client, place, lab.path("down"), objects, size))):
                finalists = fastest(others, once)
                once(mine)
                ours, *theirs = turns(ROUNDS, *[lambda c=c: once(c) for c in (mine, *finalists)], warm=False)
                best = min(range(len(theirs)), key=lambda i: sorted(theirs[i])[ROUNDS // 2])
                rows.append(faster(NAME, f"{title}, {way}, {'to' if way == 'up' else 'from'} MinIO", milliseconds(ours),
                                   f"{finalists[best].name}, the fastest of 4", milliseconds(theirs[best]), BESIDE_CLIENTS,
                                   ceiling=beside_free_client(theirs[best], ours)))
            shutil.rmtree(files)
            track.clear(place)
            track.leavings.remove_kept()
        rows.append(faster(NAME, "most memory of the client", track.memory[mine.name], "s5cmd", track.memory["s5cmd"], 1.0, "MB"))
        return track.memory["s5cmd"]


def turns_of_stores(lab, tracks, client, files, objects, size):
    """Up and down in turns, with a store that does nothing among them: by way, a list of costs a track and of that store."""
    results = {}
    for way in "up", "down":
        with nothing(lab, size, swallow=way == "up") as floor:
            all_tracks = *tracks, Track(floor, lab.muster, lab.path("home"))
            if way == "up":
                sides = [lambda t=t: t.up(client, files, objects, size) for t in all_tracks]
            else:
                places = [track.fill(files) for track in all_tracks]
                sides = [lambda t=t, p=p: t.down(client, p, lab.path("down"), objects, size) for t, p in zip(all_tracks, places)]
            results[way] = turns(ROUNDS, *sides)
            if way == "down":
                for track, place in zip(tracks, places):
                    track.leavings.remove(objects, lambda t=track, p=place: t.clear(p))
            all_tracks[-1].leavings.remove_kept()
    return results


def race_servers(lab, memory, rows, s5cmd_memory):
    """The embedded store and others, driven by the same client: MinIO syncs, so does ours beside it; versitygw does not."""
    pairs = (("MinIO", object_servers.minio, "full"), ("versitygw", object_servers.versitygw, "none"))
    most = 0
    for name, start, sync in pairs:
        with start(lab.path(name)) as other, started(lab.muster, lab.path("data"), "--store-sync", sync) as server:
            home = lab.path("home")
            tracks = Track(embedded(server), lab.muster, home), Track(other, lab.muster, home)
            for title, objects, size in SETS:
                files = make(memory / "files", objects, size)
                for client in object_clients.s5cmd(), object_clients.mc():
                    results = turns_of_stores(lab, tracks, client, files, objects, size)
                    for way, (ours, theirs, floor) in results.items():
                        rows.append(faster(NAME, f"store, {client.name}, {title}, {way}{f', sync {sync}' * (way == 'up')}",
                                           milliseconds(ours), name, milliseconds(theirs), BESIDE_SERVERS,
                                           ceiling=beside_free_store(theirs, floor)))
                shutil.rmtree(files)
                for track in tracks:
                    track.leavings.remove_kept()
            most = max(most, object_clients.high_water(server.process.pid))
    rows.append(faster(NAME, "most memory of the server", most, "s5cmd", s5cmd_memory, 1.0, "MB"))


def measure(lab):
    rows = []
    with memory_folder() as memory:
        s5cmd_memory = race_clients(lab, memory, rows)
        race_servers(lab, memory, rows, s5cmd_memory)
    copy_local.measure(lab, rows)
    copy_python.measure(lab, rows)
    return rows
