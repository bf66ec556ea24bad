"""Clients that stop reading, say half a request, or vanish: they cost what they hold and nothing more, and others do not notice."""
import hashlib
import os
import random
import socket
import time

import pytest
from conftest import wait_until
from harness import PATIENCE, SCALE, SEED, FixedServer, kill_hard, say, scaled, temporaries_in, touching


@pytest.fixture
def server(scratch):
    server = FixedServer(scratch / "data", "--nodes", "1x4npu+4cpu").start()
    yield server
    if server.process.poll() is None:
        server.run("stop", "--all", check=False, timeout=PATIENCE)
        server.kill()
    for pid in touching(server.data):  # only after a failure is there anything
        kill_hard(pid)


def resident(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def connect(server, text=b"", receive=None):
    client = socket.socket()
    if receive:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    client.settimeout(PATIENCE)
    client.connect(("127.0.0.1", server.port))
    client.sendall(text)
    return client


def request(server, method, path, *headers):
    lines = [f"{method} /api/v1{path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {server.token()}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def still_quick(server, job=None):
    """The server answers others, and jobs run."""
    began = time.monotonic()
    assert server.get("/jobs?limit=1") is not None
    if job:
        assert server.wait_end(server.submit("--code", "none", "--", "true"), seconds=PATIENCE)["state"] == "succeeded"
    return time.monotonic() - began


def flood(server, megabytes):
    """A job that writes as fast as it can."""
    script = f"import os\nline = b'%063d\\n' % 7 * 16384\nfor _ in range({megabytes}): os.write(1, line)\n"
    return server.submit("--code", "none", "--", "/usr/bin/python3", "-c", script)


def read_body(client):
    """The rest of a chunked answer, as the bytes that it carries."""
    pieces, stream = [], client.makefile("rb", buffering=1 << 20)
    while True:
        line = stream.readline()
        assert line.endswith(b"\r\n"), "the answer broke off"
        size = int(line, 16)
        piece = stream.read(size + 2)
        assert len(piece) == size + 2 and piece.endswith(b"\r\n"), "the answer broke off"
        if size == 0:
            return b"".join(pieces)
        pieces.append(piece[:-2])


def test_stalled_readers_use_no_buffer_memory(server):
    """They come back later and get every byte."""
    megabytes, readers = scaled(8, 32, 512), scaled(5, 40, 200)
    job_id = flood(server, megabytes)
    before, calm = resident(server), descriptors(server)
    paths = [f"/jobs/{job_id}/logs?follow=1", f"/jobs/{job_id}/ranks/0/log?follow=1", f"/jobs/{job_id}/ranks/0/log", "/events"]
    clients = [connect(server, request(server, "GET", paths[n % 4], "Accept: text/event-stream"), receive=4096) for n in range(readers)]
    assert server.wait_end(job_id, seconds=PATIENCE)["state"] == "succeeded"
    whole = connect(server, request(server, "GET", f"/jobs/{job_id}/ranks/0/log"), receive=4096)  # begins now, reads later
    still_quick(server, job=True)
    grown = resident(server) - before
    say(f"{readers} readers that do not read {megabytes} MB: {grown:.0f} MB more")
    assert grown < (64 if SCALE != "tiny" else 400), f"{grown:.0f} MB for {readers} readers that do not read"
    whole.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    data = b""
    while b"\r\n\r\n" not in data:
        data += whole.recv(1)
    assert b" 200 " in data.split(b"\r\n")[0] and b"chunked" in data.lower()
    body = read_body(whole)
    assert len(body) == megabytes << 20 and hashlib.sha256(body).digest() == hashlib.sha256((b"%063d\n" % 7) * (megabytes << 14)).digest()
    for client in [*clients, whole]:
        client.close()
    # A server that lost patience with some of them earlier gave theirs back by itself.
    wait_until(lambda: descriptors(server) <= calm + 5, PATIENCE, "the descriptors of readers that left to be given back")


def test_incomplete_request_times_out(server):
    clients = [connect(server, text) for text in
               (b"", b"G", b"GET / HT", b"GET /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", b"\r\n\r\n\r\n", b"\x16\x03\x01\x02\x00")
               for _ in range(scaled(5, 50, 500))]
    still_quick(server, job=True)
    base = descriptors(server)
    say(f"{len(clients)} connections with half a request, {base} descriptors")
    for client in clients:
        client.close()
    wait_until(lambda: descriptors(server) < base - len(clients) * 0.9, PATIENCE, "the descriptors of half requests to be given back")


def test_aborted_uploads_leave_no_files(server):
    rng = random.Random(f"{SEED}-uploads")
    for _ in range(scaled(5, 60, 1000)):
        content = rng.randbytes(rng.randrange(1, 300_000))
        digest = hashlib.sha256(content).hexdigest()
        kind = rng.randrange(3)
        if kind == 0:  # part of a blob
            head = request(server, "PUT", f"/code/blobs/{digest}", f"Content-Length: {len(content)}")
            client = connect(server, head + content[:rng.randrange(len(content))])
        elif kind == 1:  # part of a job
            client = connect(server, request(server, "POST", "/jobs", "Content-Length: 5000") + b'{"spec": {"run":')
        else:  # all of a job, and nobody there to hear the answer
            body = b'{"spec": {"run": "true", "name": "unheard"}}'
            client = connect(server, request(server, "POST", "/jobs", f"Content-Length: {len(body)}") + body)
        if rng.random() < 0.5:  # a reset, not a farewell
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
    wait_until(lambda: not temporaries_in(server.data / "code"), PATIENCE, "parts of blobs to go")

    def all_succeeded():  # the last of them may be heard only now, after a moment in which none was open
        rows = server.all_jobs()
        for row in rows:
            assert row["name"] == "unheard" and row["state"] in ("queued", "starting", "running", "succeeded"), row
        return all(row["state"] == "succeeded" for row in rows)

    wait_until(all_succeeded, PATIENCE, "the jobs that nobody heard of to be over")
    blobs = [os.path.join(folder, name) for folder, _, names in os.walk(server.data / "code/blobs") for name in names]
    for blob in blobs:
        with open(blob, "rb") as file:
            assert hashlib.sha256(file.read()).hexdigest() == os.path.basename(blob).removesuffix(".x"), "a blob that is not whole"
    still_quick(server, job=True)


def test_stalled_upload_does_not_delay_others(server):
    stalled = []
    for number in range(scaled(3, 20, 100)):
        head = request(server, "PUT", f"/code/blobs/{number:064x}", "Content-Length: 1000000")
        stalled.append(connect(server, head + b"x" * 1000))
    still_quick(server, job=True)
    code = server.data.parent / "code"
    code.mkdir()
    (code / "main.sh").write_text("echo from the snapshot\n")
    assert "from the snapshot" in server.run("run", "--code", code, "--", "sh", "main.sh", timeout=PATIENCE).stdout
    for client in stalled:
        client.close()
    wait_until(lambda: not temporaries_in(server.data / "code"), PATIENCE, "what stalled to go")
