"""What the torture tests share: how hard to strike, a load with a known outcome, and a look at what is left."""
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))

from conftest import MUSTER, Muster, wait_until  # noqa: E402
from frame.ports import free_port  # noqa: E402

# TORTURE says how hard: "tiny" for sanitized executables, "short" for CI, "long" for hours by hand.
SCALE = os.environ.get("TORTURE", "short")
# One seed for everything random; printed, so that a run can be repeated as far as the kernel allows it.
SEED = int(os.environ.get("TORTURE_SEED") or random.SystemRandom().randrange(1 << 31))
# Sanitized executables and busy machines are slow; what must happen at all may take this long.
PATIENCE = int(os.environ.get("TORTURE_PATIENCE") or (600 if SCALE == "long" else 300))

CGROUPS = pathlib.Path("/sys/fs/cgroup")


def scaled(tiny, short, long):
    return {"tiny": tiny, "short": short, "long": long}[SCALE]


def say(text):
    print(f"torture: {text}", file=sys.stderr, flush=True)


class FixedServer(Muster):
    """A server that comes back at the same address, so that clients need not look for it."""

    def __init__(self, data, *flags, log=None, before=()):
        self.port = free_port()
        super().__init__(data, "--listen", f"127.0.0.1:{self.port}", *flags)
        self.log_path = log or self.data.with_suffix(".log")
        self.before = before  # words in front of the executable

    def spawn(self):
        """Starts it and waits for nothing: it may be killed before it says a word."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([*self.before, MUSTER, "server", "--data", str(self.data), *self.flags],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env)

    def log(self):
        return self.log_path.read_text(errors="replace")

    def start(self):
        self.spawn()
        wait_until(self.answers, PATIENCE, "the server to answer")
        return self

    def answers(self):
        assert self.process.poll() is None, self.log()[-3000:]
        return self.ready()

    def ready(self):
        """Whether it answers now; one that has ended does not."""
        try:
            return bool(self.endpoint()) and self.request("GET", "/health")[0] == 200
        except (AssertionError, OSError):  # endpoint() insists on a living process
            return False

    def token(self):
        return json.loads((self.data / "endpoint.json").read_text())["token"]

    def ask(self, method, path, body=None, headers=None, timeout=20):
        """One request on a connection of its own: (status, JSON). OSError when the server is not there."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            data = body if isinstance(body, (bytes, type(None))) else json.dumps(body)
            connection.request(method, "/api/v1" + path, data,
                               {"Authorization": "Bearer " + self.token(), **(headers or {})})
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"null")
        except (http.client.HTTPException, ValueError, KeyError) as error:
            raise OSError(f"broken answer: {error!r}") from error
        finally:
            connection.close()

    def all_jobs(self):
        rows, before = [], None
        while True:
            page = self.get("/jobs?limit=1000" + (f"&before={before}" if before else ""))
            rows += page["jobs"]
            before = page["next"]
            if before is None:
                return rows

    def wait_idle(self, seconds=PATIENCE):
        def unfinished():
            return self.get("/jobs?limit=1000&state=queued,starting,running,stopping")["jobs"]
        try:
            wait_until(lambda: not unfinished(), seconds)
        except AssertionError:
            raise AssertionError(f"not over after {seconds} s: {[(j['id'], j['state'], j['reason']) for j in unfinished()][:20]}\n"
                                 + self.log()[-3000:]) from None


# -- a load whose right outcome is known

def lines_of(count, rank):
    return "".join(f"line {i} of {rank}\n" for i in range(count)).encode()


class Kind:
    """A kind of job: what to submit, and what must have become of it."""

    def __init__(self, name, script, weight, state="succeeded", lines=20, ranks=1, attempts=1, spec=None, stop=False):
        self.name, self.script, self.weight, self.state = name, script, weight, state
        self.lines, self.ranks, self.attempts, self.spec, self.stop = lines, ranks, attempts, spec or {}, stop

    def attempts_with(self, retries):
        return self.attempts + (retries or 0 if self.state == "failed" else 0)


def _printing(count, pause=""):
    return f"i=0; while [ $i -lt {count} ]; do echo line $i of $MUSTER_RANK; i=$((i+1)); {pause} done"


KINDS = [
    Kind("short", _printing(20), 64),
    Kind("failing", _printing(20) + "; exit 3", 8, state="failed"),
    Kind("gang", _printing(20), 5, ranks=4, spec={"resources": {"nodes": 2, "devices": "npu:2"}}),
    Kind("retried", _printing(20) + "; [ $MUSTER_ATTEMPT = 2 ]", 4, attempts=2, spec={"retries": 1}),
    Kind("long", _printing(60, "sleep 0.05;"), 6, lines=60),
    Kind("daemon", "setsid sleep 1000 & " + _printing(20), 5),
    Kind("stopped", _printing(5) + "; setsid sleep 1000 & exec sleep 1000", 8, state="stopped", lines=5, stop=True),
]


class Load:
    """Clients that submit until each has its jobs acknowledged, whatever happens to the server meanwhile."""

    def __init__(self, server, ledger, jobs, clients=8, retries=None):
        self.server, self.ledger, self.retries = server, ledger, retries
        self.acknowledged = {}  # id -> kind
        self.stops = set()      # ids whose stop was acknowledged
        self.refusals = []      # (status, error) of what was refused
        self.doubts = []        # what no client should ever see
        self.lock = threading.Lock()
        ledger.touch()
        share = -(-jobs // clients)
        self.threads = [threading.Thread(target=self._client, args=(n, share), daemon=True) for n in range(clients)]
        self.give_up = threading.Event()

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def join(self, seconds=PATIENCE):
        deadline = time.monotonic() + seconds
        for thread in self.threads:
            thread.join(max(0.1, deadline - time.monotonic()))
        stuck = [thread for thread in self.threads if thread.is_alive()]
        self.give_up.set()
        assert not stuck, f"{len(stuck)} clients never got their answers; refused: {self.refusals[-3:]}"
        assert not self.doubts, self.doubts

    def alive(self):
        return any(thread.is_alive() for thread in self.threads)

    def _client(self, number, share):
        rng = random.Random(f"{SEED}-client-{number}")
        for turn in range(share):
            kind = rng.choices(KINDS, [kind.weight for kind in KINDS])[0]
            job_id = self._submit(kind, f"c{number}-{turn}")
            if job_id is None:
                return
            if kind.stop:
                self._stop_later(job_id, rng)

    def _submit(self, kind, name):
        begun = f"echo $MUSTER_JOB_ID $MUSTER_RANK $MUSTER_ATTEMPT >> {self.ledger}; "
        spec = {"name": name, "run": ["sh", "-c", begun + kind.script], **kind.spec}
        if self.retries is not None:
            spec["retries"] = self.retries + kind.spec.get("retries", 0)
        status, answer = self._until_answered("POST", "/jobs", {"spec": spec}, {"Idempotency-Key": name}, {200, 201})
        if status is None:
            return None
        job_id = answer["jobs"][0]["id"]
        with self.lock:
            if job_id in self.acknowledged:
                self.doubts.append(f"job {job_id} was given out twice")
            self.acknowledged[job_id] = kind
        return job_id

    def _stop_later(self, job_id, rng):
        time.sleep(rng.uniform(0, 0.3))
        status, _ = self._until_answered("POST", f"/jobs/{job_id}/stop", {"grace": "100ms"}, {}, {202, 409})
        if status is not None:
            self.stops.add(job_id)

    def _until_answered(self, method, path, body, headers, final):
        while not self.give_up.is_set():
            try:
                status, answer = self.server.ask(method, path, body, headers)
            except OSError:
                time.sleep(0.02)
                continue
            if status in final:
                return status, answer
            self.refusals.append((status, answer))
            if status < 500:
                self.doubts.append(f"{method} {path}: {status} {answer}")
                return None, None
            time.sleep(0.05)
        return None, None


# -- what must be true afterwards

def check_outcome(server, load, launchers_killed=False, disk_was_full=False):
    """Every acknowledged job is there once, ended as it had to, ran once, and has all of its output."""
    rows = {row["id"]: row for row in server.all_jobs()}
    names = [row["name"] for row in rows.values() if re.fullmatch(r"c\d+-\d+", row["name"])]  # the load's own
    assert len(names) == len(set(names)), "a submit made two jobs"
    missing = set(load.acknowledged) - set(rows)
    assert not missing, f"acknowledged and lost: {sorted(missing)[:20]}"
    began = [tuple(map(int, line.split())) for line in load.ledger.read_text().splitlines()]
    assert len(began) == len(set(began)), f"ran twice: {sorted(x for x in set(began) if began.count(x) > 1)[:20]}"
    lost = 0
    for job_id, kind in load.acknowledged.items():
        job = server.job(job_id)
        mine = {(rank, attempt) for job_, rank, attempt in began if job_ == job_id}
        lost += _check_job(server, job, kind, kind.attempts_with(load.retries), mine, launchers_killed, disk_was_full)
    return lost


def _met_by_the_killer(end):
    """A rank looks like its launcher until it executes its program: the kill may have met that one."""
    return end["class"] == "signal" and end["signal_name"] == "SIGKILL"


def _check_job(server, job, kind, attempts, began, launchers_killed, disk_was_full):
    story = f"job {job['id']} ({kind.name}): {job['state']}: {job['reason']}"
    ends = [attempt["exit"] for attempt in job["attempts"]]
    assert all(ends), f"{story}: an attempt has no end"
    assert all(attempt["number"] == i + 1 for i, attempt in enumerate(job["attempts"])), story
    assert {attempt for _, attempt in began} <= set(range(1, len(ends) + 1)), f"{story}: ran in {began}"
    story += f" {[end and end['class'] for end in ends]}"
    lost = [end for end in ends if end["class"] == "lost" or (launchers_killed and _met_by_the_killer(end))]
    no_room = disk_was_full and any(end["class"] in ("could_not_start", "not_fetched") for end in ends)
    hurt = lost or no_room or (disk_was_full and job["state"] == "failed" and kind.state != "failed")
    assert not no_room or "space" in str(job["attempts"]), story
    assert launchers_killed or disk_was_full or not lost, f"{story}: {lost}"
    if not hurt:
        assert job["state"] == kind.state, story
        if kind.state != "stopped":  # a stop may come before the start
            assert len(ends) == attempts, f"{story}: {len(ends)} attempts"
            assert began == {(rank, n + 1) for rank in range(kind.ranks) for n in range(attempts)}, f"{story}: {began}"
    elif job["state"] == "failed" and kind.state != "failed":
        assert ends[-1]["class"] != "succeeded" and job["reason"], story
        assert lost or "space" in job["reason"], story
    for attempt in job["attempts"]:
        for rank in range(kind.ranks):
            text, whole = server.rank_log(job["id"], rank, attempt["number"]), lines_of(kind.lines, rank)
            if attempt["exit"]["class"] == "lost":  # what is left is killed one by one: a shell may outlive its child for a moment
                text = text.replace(b"Killed\n", b"")
            natural = attempt["exit"]["class"] in ("succeeded", "exit_code") and attempt["ranks"][rank]["exit"]["class"] != "stopped"
            if disk_was_full:  # a program's write may have been refused, but no line is doubled or out of order
                numbers = [int(n) for n in re.findall(rb"line (\d+) of \d+\n", text)]
                assert numbers == sorted(set(numbers)), f"{story}: rank {rank} printed {text[-200:]}"
                continue
            if natural:
                assert text == whole, f"{story}: the output of rank {rank} is not whole: {text[-200:]}"
            assert whole.startswith(text), f"{story}: rank {rank} printed {text[-200:]}"
    return bool(lost)


def touching(path):
    """Living processes that have anything to do with `path`: in their words, folder, program, open files or environment."""
    path, found = str(path), []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid() and _touches(entry, path):
            found.append(int(entry.name))
    return found


def _touches(entry, path):
    try:
        state = (entry / "stat").read_text().rpartition(")")[2].split()
        if state[0] in "ZX":
            # A process whose first thread has ended lives as long as another thread of it does.
            threads = [thread for thread in (entry / "task").iterdir() if thread.name != entry.name]
            return any(_points_to(thread, path) for thread in threads)
        return _points_to(entry, path)
    except OSError:
        return False


def _points_to(entry, path):
    try:
        if any(path.encode() in (entry / name).read_bytes() for name in ("cmdline", "environ")):
            return True
        links = [entry / "cwd", entry / "root", entry / "exe", *(entry / "fd").iterdir()]
    except OSError:
        return False
    for link in links:
        try:
            if path in os.readlink(link):
                return True
        except OSError:
            pass
    return False


def control_groups_of(data):
    """Control groups of the jobs under `data`, known by the tokens in their orders."""
    tokens = set()
    for order in data.glob("jobs/*/attempts/*/node*/order.json"):
        tokens.add(json.loads(order.read_text())["token"][:8])
    found = []
    for folder, names, _ in os.walk(CGROUPS):  # others' groups come and go meanwhile
        if os.path.basename(folder) == "muster":
            found += [os.path.join(folder, name) for name in names if name.rsplit("-", 1)[-1] in tokens]
            names.clear()
    return found


TEMPORARY = re.compile(r"^(\.new-.*|\.tmp-.*|record\..*|.*\.tmp|.*~)$")


def temporaries_in(data):
    found = []
    for folder, folders, files in os.walk(data):
        found += [os.path.join(folder, name) for name in [*folders, *files] if TEMPORARY.match(name)]
    return found


def check_nothing_left(server):
    """Called while the server lives and all jobs have ended; the server is stopped here."""
    wait_until(lambda: set(touching(server.data)) <= {server.process.pid}, PATIENCE,
               f"no process but the server; there are {touching(server.data)}")
    for node in server.get("/nodes")["nodes"]:
        assert not node["jobs"] and all(kind["used"] == 0 for kind in node["devices"].values()), node
    assert not control_groups_of(server.data), control_groups_of(server.data)
    wait_until(lambda: not temporaries_in(server.data), 30, f"no temporary file; there are {temporaries_in(server.data)[:10]}")
    descriptors = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    assert descriptors < 100, f"an idle server holds {descriptors} descriptors"
    server.stop()
    assert server.process.returncode == 0, server.log()[-3000:]
    check_sanitizers(server)
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", server.port))
    assert not touching(server.data)


def check_sanitizers(server):
    """What a sanitized server, nursery or launcher had to say."""
    for path in [server.log_path, *server.data.glob("jobs/*/attempts/*/node*/launcher.log")]:
        text = path.read_text(errors="replace")
        found = re.search(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:", text)
        assert not found, f"{path}:\n{text[found.start():][:4000]}"


def launchers_of(data):
    """The pids of living launchers, by their command lines."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"launch" in words[:2] and any(word.startswith(f"{data}/jobs/".encode()) for word in words):
                found.append(int(entry.name))
    return found


def kill_hard(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
