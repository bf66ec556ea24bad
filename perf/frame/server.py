"""One Muster server on a data folder of its own."""
import contextlib
import json
import os
import pathlib
import subprocess
import time

from frame.http import Connection, end_of_log

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = os.environ.get("MUSTER", str(ROOT / "build/release/muster"))
GOING = "queued", "starting", "running", "stopping"


class Server:
    def __init__(self, program, data, *flags):
        self.program = str(program)
        self.data = pathlib.Path(data)
        self.flags = flags
        self.process = None
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("MUSTER")}
        self.env.update(MUSTER_DATA=str(self.data), NO_COLOR="1")

    def spawn(self):
        """Starts it and returns at once."""
        with open(self.data.with_suffix(".log"), "ab") as log:
            self.process = subprocess.Popen([self.program, "server", "--data", str(self.data), *self.flags],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env)
        return self

    def start(self):
        self.spawn()
        deadline = time.monotonic() + 60
        while self.endpoint() is None:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start: {self.data.with_suffix('.log').read_text()}")
            time.sleep(0.005)
        return self

    def endpoint(self):
        """url and token, or None while this process has not written them yet."""
        try:
            endpoint = json.loads((self.data / "endpoint.json").read_text())
        except (OSError, ValueError):
            return None
        return endpoint if endpoint["pid"] == self.process.pid else None

    def connect(self):
        return Connection(self.endpoint())

    def stop(self):
        """Ends the jobs, then the server."""
        if self.process is None or self.process.poll() is not None:
            return
        subprocess.run([self.program, "stop", "--all", "--no-start"], env=self.env, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=120, check=False)
        self.process.terminate()
        self.process.wait(60)

    # -- what the measures do with it
    def verb(self, *words):
        return [self.program, *map(str, words)]

    def wait_all_ended(self, connection, seconds=300):
        """Until no job is going any more. Asking costs the machine time that the jobs want: the newest tells when to begin."""
        deadline = time.monotonic() + seconds
        if newest := connection.get("/jobs?limit=1")["jobs"]:
            end_of_log(self.connect(), newest[0]["id"])
        while connection.get(f"/jobs?state={','.join(GOING)}&limit=1")["jobs"]:
            if time.monotonic() > deadline:
                raise RuntimeError(f"jobs still go after {seconds} s")
            time.sleep(0.01)

    def check_all_succeeded(self, connection):
        bad = connection.get("/jobs?state=failed,stopped&limit=1")["jobs"]
        if bad:
            raise RuntimeError(f"a job of the load did not succeed: {bad[0]}")


@contextlib.contextmanager
def started(program, data, *flags):
    """A context: a server that answers, stopped with its jobs at the end."""
    server = Server(program, data, *flags)
    try:
        yield server.start()
    finally:
        server.stop()
