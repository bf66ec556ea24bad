"""Whole-program tests: they run the built executable on a data directory of their own."""
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
MUSTER = os.environ.get("MUSTER", str(ROOT / "build/release/muster"))
PYTHON = "/usr/bin/python3"  # Debian's own: the one that python3-torch belongs to


def wait_until(condition, seconds=20, what="the condition"):
    """Polls until `condition()` is true; its value. Fails with `what` when the time is over."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.01)


@functools.cache
def machine_allows_mounts():
    """Whether this user may mount, found out without the program under test."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return subprocess.run(["unshare", *user, "--mount", "mount", "-t", "tmpfs", "probe", "/tmp"], capture_output=True).returncode == 0


def need_view(notes):
    """Skips a test of a platform's folders where the machine allows no mounts; `notes` are those of the job's nodes."""
    if not machine_allows_mounts():
        pytest.skip("this user can make no mounts")
    assert not [note for note in notes if "does not allow mounts" in note], notes


def marked_processes(data):
    """Every living process that belongs to a job of this data directory, found by looking at /proc alone."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environ = (entry / "environ").read_bytes()
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, ValueError):
            continue
        mine = f"{data}/jobs/".encode()
        if state != "Z" and (b"MUSTER_JOB_DIR=" + mine in environ or mine.decode() in command):
            found.append((int(entry.name), command))
    return found


class Muster:
    """One server on one data directory, with the verbs and the HTTP API at hand."""

    def __init__(self, data, *flags):
        self.data = pathlib.Path(data)
        self.flags = flags
        self.process = None
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("MUSTER_")}
        self.env.update(MUSTER_DATA=str(data), NO_COLOR="1")

    def start(self):
        log = open(self.data.with_suffix(".log"), "ab")
        self.process = subprocess.Popen([MUSTER, "server", "--data", str(self.data), *self.flags],
                                        stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env)
        log.close()
        wait_until(self.endpoint, what="the server to answer")
        return self

    def endpoint(self):
        assert self.process is None or self.process.poll() is None, self.log()
        try:
            endpoint = json.loads((self.data / "endpoint.json").read_text())
        except (OSError, ValueError):
            return None
        return endpoint if self.process is None or endpoint["pid"] == self.process.pid else None

    def log(self):
        return self.data.with_suffix(".log").read_text()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    # -- the command line
    def run(self, *arguments, check=True, input=None, timeout=120, cwd=None, env=None):
        result = subprocess.run([MUSTER, *map(str, arguments)], env={**self.env, **(env or {})}, cwd=cwd or self.data.parent,
                                input=input, capture_output=True, text=True, timeout=timeout, errors="replace")
        if check:
            assert result.returncode == 0, f"{arguments}: {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result

    def submit(self, *arguments, **kwargs):
        """The id of a job submitted with `run -d`."""
        return int(self.run("run", "-d", *arguments, **kwargs).stdout.split()[0])

    def job(self, job_id):
        return self.get(f"/jobs/{job_id}")

    def wait_state(self, job_id, *states, seconds=30):
        return wait_until(lambda: (j := self.job(job_id))["state"] in states and j, seconds,
                          f"job {job_id} to be {' or '.join(states)} (is {self.job(job_id)['state']})")

    def wait_end(self, job_id, seconds=60):
        return self.wait_state(job_id, "succeeded", "failed", "stopped", seconds=seconds)

    def rank_log(self, job_id, rank=0, attempt=None):
        return self.raw(f"/jobs/{job_id}/ranks/{rank}/log" + (f"?attempt={attempt}" if attempt else ""))

    # -- the HTTP API
    def request(self, method, path, body=None, headers=None, token=None, timeout=30):
        endpoint = self.endpoint()
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        request = urllib.request.Request(endpoint["url"] + "/api/v1" + path, data=data, method=method)
        request.add_header("Authorization", "Bearer " + (endpoint["token"] if token is None else token))
        if data is not None:
            request.add_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return response.status, response.read(), response.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read(), error.headers

    def get(self, path, **kwargs):
        status, body, _ = self.request("GET", path, **kwargs)
        assert status == 200, f"GET {path}: {status} {body[:500]}"
        return json.loads(body)

    def raw(self, path):
        status, body, _ = self.request("GET", path)
        assert status == 200, f"GET {path}: {status} {body[:500]}"
        return body

    def post(self, path, body=None, expect=None, **kwargs):
        status, answer, _ = self.request("POST", path, {} if body is None else body, **kwargs)
        assert expect is None or status == expect, f"POST {path}: {status} {answer[:500]}"
        return status, json.loads(answer or b"null")


@pytest.fixture
def scratch():
    folder = tempfile.mkdtemp(prefix="muster-test-")
    yield pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def start_server(scratch):
    """Starts servers, and proves at the end that none of them left a process behind."""
    started = []

    def start(*flags, name="data"):
        server = Muster(scratch / name, *flags).start()
        started.append(server)
        return server

    yield start
    leftovers = []
    for server in started:
        if server.process.poll() is None and server.endpoint():
            server.run("stop", "--all", check=False)
        server.stop()
        try:
            wait_until(lambda: not marked_processes(server.data), 15)
        except AssertionError:
            for pid, command in marked_processes(server.data):
                leftovers.append(command)
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
    assert not leftovers, f"left behind: {leftovers}"


@pytest.fixture
def server(start_server):
    """This machine as eight virtual nodes of eight declared devices."""
    return start_server("--nodes", "8x8npu+8cpu")


@pytest.fixture(scope="module")
def store():
    """A server with an object store, shared by the tests of one file."""
    from s3 import serving
    with serving("--store-sync", "none") as server:
        yield server


@pytest.fixture
def raw(store):
    """Sends requests to the object store without a client library."""
    from s3 import Raw
    return Raw(store)


@pytest.fixture
def s3(store):
    """A boto3 client of the object store."""
    from s3 import client  # needs boto3, which only these tests have to have
    return client(store)


@pytest.fixture
def b(s3):
    """The name of an empty bucket."""
    from s3 import bucket
    return bucket(s3)
