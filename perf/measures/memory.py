"""Memory of the server: idle, by running job, by open stream; and of the launchers apart."""
import contextlib
import time

from frame.memory import launchers, rollup, rss_kb
from frame.reference import SERVER_MB
from frame.samples import Samples, limit, reference, slope
from frame.table import number

NAME = "memory"
TITLE = "resident memory"
JOBS = 0, 50, 100
STREAMS = 0, 250, 500, 1000


def until_running(connection, count):
    deadline = time.monotonic() + 120
    while len(connection.get(f"/jobs?state=running&limit={count + 1}")["jobs"]) < count:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{count} jobs do not run after 120 s")
        time.sleep(0.05)


def by_running_job(server, connection):
    """(jobs, KB) of the server as jobs are added, and the Pss of one launcher in KB."""
    points = []
    for count in JOBS:
        while len(points) and (missing := count - len(connection.get("/jobs?state=running&limit=1000")["jobs"])) > 0:
            connection.submit({"run": ["sleep", "600"], "sweep": {"i": list(range(missing))}, "env": {"I": "${i}"}})
            until_running(connection, count)
        points.append((count, rss_kb(server.process.pid)))
    own = [rollup(pid)["Pss"] for pid in launchers(server.data)]
    return points, own


def by_open_stream(server, connection):
    """(streams, KB) of the server as followers of one running job are added; each has had its first event."""
    job = connection.get("/jobs?state=running&limit=1")["jobs"][0]["id"]
    points = []
    with contextlib.ExitStack() as opened:
        streams = []
        for count in STREAMS:
            while len(streams) < count:
                stream = server.connect()
                opened.callback(stream.close)
                stream.send("GET", f"/jobs/{job}/logs?follow=1").readline()
                streams.append(stream)
            points.append((count, rss_kb(server.process.pid)))
    return points


def measure(lab):
    with lab.server() as server:
        connection = server.connect()
        connection.get("/jobs")
        idle = rss_kb(server.process.pid) / 1e3
        jobs, own = by_running_job(server, connection)
        streams = by_open_stream(server, connection)
    note = f"a launcher: {number(Samples.of(own).median / 1e3)} MB (Pss)" if own else ""
    return [
        limit(NAME, "server, idle", idle, 25, "MB"),
        limit(NAME, "each running job", slope(jobs), 200, "KB", note=note),
        limit(NAME, "each open stream", slope(streams), 20, "KB"),
        reference(NAME, "server, idle", idle, SERVER_MB, "MB", True),
    ]
