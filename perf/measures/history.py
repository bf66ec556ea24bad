"""What a long past costs: cold start, lists and verbs with 100,000 jobs beside 100."""
import shutil
import socket
import time

from frame import page_cache
from frame.history import lengthen
from frame.lab import NODE_FLAGS
from frame.ports import free_port
from frame.samples import faster, limit
from frame.server import Server
from frame.timing import milliseconds, turns, whole

NAME = "history"
TITLE = "100,000 jobs in the journal beside 100"
FEW, MANY = 100, 100_000
STARTS, DROPPED, ASKS = 9, 5, 50


def make_past(lab):
    """Two data folders, with few and with many ended jobs."""
    few, many = lab.path("few"), lab.path("many")
    with lab.server(few) as server:
        connection = server.connect()
        connection.submit({"run": ["true"], "sweep": {"i": list(range(FEW))}, "env": {"I": "${i}"}})
        server.wait_all_ended(connection)
        server.check_all_succeeded(connection)
    shutil.copytree(few, many)
    lengthen(many, MANY)
    return few, many


def cold_start(lab, data, token, drop=False):
    """Milliseconds from exec to the first answered list of jobs, asked on a fixed port without pause."""
    if drop:
        page_cache.drop()
    port = free_port()
    request = (f"GET /api/v1/jobs?limit=10 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
               "Connection: close\r\n\r\n").encode()
    server = Server(lab.muster, data, *NODE_FLAGS, "--listen", f"127.0.0.1:{port}")
    began = time.perf_counter()
    server.spawn()
    try:
        while True:
            with socket.socket() as ask:
                if ask.connect_ex(("127.0.0.1", port)) == 0:
                    ask.sendall(request)
                    if ask.recv(4096).startswith(b"HTTP/1.1 200"):
                        return milliseconds(began)
            if server.process.poll() is not None:
                raise RuntimeError(f"the server ended: {data.with_suffix('.log').read_text()}")
            time.sleep(0.0005)
    finally:
        server.process.terminate()
        server.process.wait(60)


def starts(lab, few, many):
    token = (few / "token").read_text().strip()
    short, long = turns(STARTS, lambda: cold_start(lab, few, token), lambda: cold_start(lab, many, token))
    rows = [faster(NAME, "cold start, 100,000 jobs", long, "with 100 jobs", short, 1 / 1.5),
            limit(NAME, "cold start, 100,000 jobs", long, 100, "ms")]
    if page_cache.may_be_dropped():
        short, long = turns(DROPPED, lambda: cold_start(lab, few, token, True), lambda: cold_start(lab, many, token, True),
                            warm=False)
        rows.append(faster(NAME, "cold start, nothing cached", long, "with 100 jobs", short,
                           note="page cache dropped: the executable is read from disk as well"))
    return rows


def asked(connection, path):
    began = time.perf_counter()
    connection.get(path)
    return milliseconds(began)


def lists(lab, few, many):
    with lab.server(few) as small, lab.server(many) as large:
        ps = turns(ASKS, *(lambda s=server: whole(s.verb("ps"), env=s.env) for server in (small, large)))
        asking = small.connect(), large.connect()
        get = turns(ASKS, *(lambda c=c: asked(c, "/jobs") for c in asking))
        named = turns(ASKS, *(lambda c=c: asked(c, "/jobs?name=true&state=succeeded") for c in asking))
    return [
        faster(NAME, "muster ps, 100,000 jobs", ps[1], "with 100 jobs", ps[0], 1 / 1.5),
        faster(NAME, "GET /jobs, 100,000 jobs", get[1], "with 100 jobs", get[0], 1 / 1.5),
        faster(NAME, "GET /jobs?name=&state=", named[1], "with 100 jobs", named[0], 1 / 1.5),
    ]


def measure(lab):
    few, many = make_past(lab)
    return starts(lab, few, many) + lists(lab, few, many)
