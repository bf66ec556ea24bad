"""The HTTP API over one connection that stays open, as a program of a user would speak it."""
import http.client
import json
import socket
import urllib.parse


class Connection:
    """Not thread-safe: one a client."""

    def __init__(self, endpoint):
        url = urllib.parse.urlsplit(endpoint["url"])
        self._http = http.client.HTTPConnection(url.hostname, url.port, timeout=120)
        self._headers = {"Authorization": f"Bearer {endpoint['token']}"}

    def send(self, method, path, document=None):
        body = None if document is None else json.dumps(document).encode()
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._http.sock is None:
            self._http.connect()
            self._http.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._http.request(method, "/api/v1" + path, body, headers)
        return self._http.getresponse()

    def call(self, method, path, document=None):
        answer = self.send(method, path, document)
        body = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {body[:300]!r}")
        return json.loads(body) if body else None

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, document):
        return self.call("POST", path, document)

    def submit(self, spec):
        """The ids of the jobs made."""
        return [job["id"] for job in self.post("/jobs", {"spec": spec})["jobs"]]

    def log_size(self, job, rank):
        """How many bytes of a rank's log can be read now."""
        answer = self.send("GET", f"/jobs/{job}/ranks/{rank}/log?offset=0&limit=1")
        answer.read()
        return int(answer.headers["X-Muster-Size"])

    def close(self):
        self._http.close()


def first_log_event(connection, job):
    """Blocks until the first line of the job has come over its stream; closes the connection."""
    stream = connection.send("GET", f"/jobs/{job}/logs?follow=1")
    while line := stream.readline():
        if line.startswith(b"event: log"):
            connection.close()
            return
    raise RuntimeError(f"the log stream of job {job} ended without a line")


def end_of_log(connection, job):
    """Blocks until the job is over, and with it the stream of its log; closes the connection."""
    connection.send("GET", f"/jobs/{job}/logs?follow=1").read()
    connection.close()
