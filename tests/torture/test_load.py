"""A journal of a hundred thousand jobs, a long queue, many open streams and a stream of submits: memory is bounded, and answers
come as fast at the end as at the beginning."""
import http.client
import json
import resource
import selectors
import socket
import sqlite3
import threading
import time

import pytest
from harness import PATIENCE, SCALE, FixedServer, kill_hard, say, scaled, touching

ENDED, QUEUED = scaled(500, 20_000, 100_000), scaled(50, 2_000, 10_000)
STREAMS, RATE, SECONDS = scaled(20, 300, 1_000), scaled(10, 60, 200), scaled(3, 12, 60)


@pytest.fixture
def loaded(scratch):
    """A server whose journal has ENDED jobs that are over and QUEUED that wait behind one that holds the only device."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = FixedServer(scratch / "data", "--nodes", "1x1npu+1cpu").start()
    ended = server.submit("--code", "none", "--", "true")
    server.wait_state(ended, "succeeded", seconds=PATIENCE)
    holder = server.submit("--code", "none", "--", "sleep", "100000")
    server.wait_state(holder, "running", seconds=PATIENCE)
    waiting = server.submit("--code", "none", "--", "true")
    server.kill()
    multiply(server.data / "journal.db", ended, ENDED)
    multiply(server.data / "journal.db", waiting, QUEUED)
    server.holder = holder
    yield server.start()
    if server.process.poll() is None:
        server.run("stop", holder, timeout=PATIENCE)
        server.kill()
    for pid in touching(server.data):  # only after a failure is there anything
        kill_hard(pid)


def multiply(file, job_id, count):
    """Copies all rows of one real job `count` times under new ids."""
    with sqlite3.connect(file) as db:
        first = db.execute("SELECT max(id) + 1 FROM jobs").fetchone()[0]
        for table, key in (("jobs", "id"), ("specs", "job_id"), ("attempts", "job_id"), ("events", "job_id")):
            names = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] not in (key, "seq")]
            columns = ", ".join(names)
            db.execute(f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count}) "
                       f"INSERT INTO {table}({key}, {columns}) SELECT {first} + i, {columns} FROM n, {table} WHERE {key} = {job_id}")
    db.close()


class Streams(threading.Thread):
    """Open event streams, most of one job each and some of all jobs; what comes is counted and dropped."""

    def __init__(self, server, jobs):
        super().__init__(daemon=True)
        self.selector, self.over, self.bytes, self.ended = selectors.DefaultSelector(), False, 0, 0
        for number, job_id in enumerate(jobs):
            path = "/events" if number % 50 == 0 else f"/jobs/{job_id}/events"
            stream = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
            stream.sendall(f"GET /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
                           f"Authorization: Bearer {server.token()}\r\n\r\n".encode())
            assert stream.recv(4096).startswith(b"HTTP/1.1 200")
            self.selector.register(stream, selectors.EVENT_READ)

    def run(self):
        while not self.over:
            for key, _ in self.selector.select(0.1):
                data = key.fileobj.recv(1 << 16)
                self.bytes += len(data)
                if not data:
                    self.ended += 1
                    self.selector.unregister(key.fileobj)


class Timed:
    """Requests on one kept connection, with the time that each took."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self.headers, self.took = {"Authorization": "Bearer " + server.token()}, []

    def ask(self, method, path, body=None):
        began = time.monotonic()
        self.connection.request(method, "/api/v1" + path, body and json.dumps(body), self.headers)
        response = self.connection.getresponse()
        content = response.read()
        assert response.status in (200, 201), (response.status, content[:300])
        self.took.append((time.monotonic() - began) * 1000)
        return json.loads(content)

    def paced(self, rate, seconds, ask):
        began = time.monotonic()
        for turn in range(int(rate * seconds)):
            time.sleep(max(0, began + turn / rate - time.monotonic()))
            ask(turn)


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def report(name, took):
    third = len(took) // 3
    first, last = quantile(took[:third], 0.5), quantile(took[-third:], 0.5)
    say(f"{name}: {len(took)} requests, p50 {quantile(took, 0.5):.1f} ms, p99 {quantile(took, 0.99):.1f} ms, "
        f"p50 of the first third {first:.1f} ms, of the last {last:.1f} ms")
    return first, last


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmRSS"))


def test_latency_and_memory_are_bounded_under_load(loaded):
    server, rng_jobs = loaded, range(ENDED + 5, ENDED + 5 + QUEUED)
    say(f"{ENDED} jobs are over, {QUEUED} wait, {STREAMS} streams, {RATE} submits a second for {SECONDS} s")
    before = resident(server.process.pid)
    streams = Streams(server, [rng_jobs[i % len(rng_jobs)] for i in range(STREAMS)])
    streams.start()
    with_streams = resident(server.process.pid)
    submits, lists = [Timed(server) for _ in range(4)], Timed(server)
    spec = {"run": "true", "resources": {"devices": "npu:1"}}
    threads = [threading.Thread(target=one.paced, args=(RATE / 4, SECONDS, lambda _, one=one: one.ask("POST", "/jobs", {"spec": spec})))
               for one in submits]
    threads.append(threading.Thread(target=lists.paced, args=(10, SECONDS, lambda _: lists.ask("GET", "/jobs?limit=100"))))
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    streams.over = True
    streams.join()
    after = resident(server.process.pid)
    sent = sum(len(one.took) for one in submits)
    first, last = report("submit", [ms for group in zip(*(one.took for one in submits)) for ms in group])
    first_list, last_list = report("list", lists.took)
    say(f"{sent} submits in {took:.1f} s; memory {before} MB, with streams {with_streams} MB, afterwards {after} MB; "
        f"{streams.bytes >> 10} KB of events")
    assert streams.ended == 0 and streams.bytes > 0
    assert last < 3 * first + 20 and last_list < 3 * first_list + 20, "answers grow slower"
    assert took < 3 * SECONDS + 10, f"{sent} submits took {took:.0f} s"
    # A job that waits is kept in memory, a stream is a position and not a buffer.
    slow_allocator = 4 if SCALE == "tiny" else 1
    assert with_streams - before < slow_allocator * (20 + STREAMS * 0.05)
    assert after - with_streams < slow_allocator * (40 + sent * 0.02), f"{after - with_streams} MB for {sent} jobs"


def test_server_with_many_jobs_starts_and_lists_quickly(loaded):
    loaded.kill()
    began = time.monotonic()
    loaded.start()
    started = time.monotonic() - began
    assert loaded.get("/jobs?limit=1")["jobs"]
    answered = time.monotonic() - began
    say(f"first answer {1000 * answered:.0f} ms after the start (ready after {1000 * started:.0f} ms)")
    oldest = loaded.get("/jobs?limit=10&before=100&state=succeeded")["jobs"]
    assert len(oldest) == 10
    assert answered < 20, "a start must not read the whole journal"
