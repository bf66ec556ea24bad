"""A server without free connections: authorised clients get in, and the others learn why not."""
import json
import os
import resource
import select
import socket
import threading
import urllib.parse

import pytest

from conftest import wait_until


def address(server):
    url = urllib.parse.urlsplit(server.endpoint()["url"])
    return url.hostname, url.port


class Flood:
    """Opens connections without a request, and opens each again when the server closes it."""

    def __init__(self, where, count):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < count + 500:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 500), hard))
        self.where, self.stopped, self.opened = where, threading.Event(), 0
        self.sockets = {}
        self.poll = select.epoll()
        for _ in range(count):
            self.open()
        self.thread = threading.Thread(target=self.keep_open)
        self.thread.start()

    def open(self):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(self.where)
        self.sockets[one.fileno()] = one
        self.poll.register(one.fileno(), select.EPOLLIN | select.EPOLLRDHUP)
        self.opened += 1

    def keep_open(self):
        while not self.stopped.is_set():
            for number, _ in self.poll.poll(0.05):
                self.poll.unregister(number)
                self.sockets.pop(number).close()
                self.open()

    def end(self):
        self.stopped.set()
        self.thread.join()
        for one in self.sockets.values():
            one.close()


@pytest.fixture
def flooded(start_server):
    server = start_server("--nodes", "2x2cpu")
    flood = Flood(address(server), 4200)
    yield server
    flood.end()
    assert flood.opened > 4200


def test_idle_connections_do_not_lock_authorised_clients_out(flooded):
    wait_until(lambda: flooded.run("ps", "--no-start", check=False).returncode == 0, 10, "ps to get in")
    done = wait_until(lambda: (done := flooded.run("run", "-g", "cpu:1", "--", "echo", "it ran", check=False)).returncode == 0 and done,
                      10, "a job to run")
    assert "it ran" in done.stdout


def test_server_that_closes_connections_is_named_and_no_second_server_starts(scratch, start_server):
    server = start_server("--nodes", "2x2cpu")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def close_all():
            while True:
                try:
                    listener.accept()[0].close()
                except OSError:
                    return
        thread = threading.Thread(target=close_all)
        thread.start()
        data = scratch / "other"
        data.mkdir()
        endpoint = data / "endpoint.json"
        endpoint.write_text(json.dumps({"url": "http://127.0.0.1:%d" % listener.getsockname()[1], "token": "t", "pid": os.getpid()}))
        endpoint.chmod(0o600)
        for verb in (["ps"], ["run", "-d", "--", "true"]):
            done = server.run(*verb, check=False, env={"MUSTER_DATA": str(data)})
            assert done.returncode != 0 and "closed the connection without an answer" in done.stderr, done.stderr
            assert f"(pid {os.getpid()})" in done.stderr and "no server" not in done.stderr
        assert [entry.name for entry in data.iterdir()] == ["endpoint.json"]
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()
