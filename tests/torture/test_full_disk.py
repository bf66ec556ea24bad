"""The disk fills up while jobs are submitted, journaled, logged and snapshotted: refusals are clear, nothing acknowledged is
lost, and all goes on when there is room again."""
import hashlib
import os
import random
import subprocess
import threading
import time

import pytest
from conftest import MUSTER, wait_until
from harness import PATIENCE, SEED, FixedServer, Load, check_nothing_left, check_outcome, kill_hard, say, scaled, touching

MEGABYTES = scaled(256, 256, 2048)  # more than all that a run leaves behind: only the ballast fills it


@pytest.fixture
def small_disk(scratch):
    """A file system of its own, so that nobody else's disk is full."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    image, folder = scratch / "image", scratch / "disk"
    folder.mkdir()
    with open(image, "wb") as file:
        file.truncate(MEGABYTES << 20)
    subprocess.run(["/sbin/mkfs.ext4", "-q", "-m", "0", "-b", "1024", "-i", "4096", image], check=True)
    if subprocess.run(["mount", "-o", "loop", image, folder], capture_output=True).returncode != 0:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "muster-torture", folder], check=True)
    yield folder
    for pid in touching(folder):  # only after a failure is there anything
        kill_hard(pid)
    wait_until(lambda: subprocess.run(["umount", folder], capture_output=True).returncode == 0, PATIENCE, "the disk to be let go")


class Ballast:
    """Takes all the room of a disk, to the last block, and gives it back."""

    def __init__(self, folder):
        self.path = folder / "ballast"

    def fill(self):
        with open(self.path, "ab", buffering=0) as file:
            for size in (1 << 26, 1 << 20, 1 << 10):
                try:
                    while True:
                        os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, size)
                except OSError:
                    pass
            try:
                while True:
                    file.write(b"x")
            except OSError:
                pass

    def yield_room(self, size):
        os.truncate(self.path, self.path.stat().st_size - size)

    def drop(self):
        self.path.unlink(missing_ok=True)


class CodeClient(threading.Thread):
    """Sends snapshots and runs them, as long as it is not told to end."""

    def __init__(self, server, rng):
        super().__init__(daemon=True)
        self.server, self.rng = server, rng
        self.jobs, self.refusals, self.doubts, self.over = {}, [], [], threading.Event()

    def run(self):
        try:
            while not self.over.is_set():
                content = self.rng.randbytes(200_000)
                digest = hashlib.sha256(content).hexdigest()
                manifest = {"files": [{"path": "data", "sha256": digest, "size": len(content)}]}
                if self._ask("POST", "/code", manifest) and self._ask("PUT", f"/code/blobs/{digest}", content):
                    made = self._ask("POST", "/code", manifest)
                    if made and made["complete"]:
                        spec = {"run": ["sha256sum", "data"], "code": "/nowhere"}
                        job = self._ask("POST", "/jobs", {"spec": spec, "code_hash": made["hash"]})
                        if job:
                            self.jobs[job["jobs"][0]["id"]] = digest
        except Exception as error:  # a thread's own failure would go unseen
            self.doubts.append(repr(error))

    def _ask(self, method, path, body):
        while not self.over.is_set():
            try:
                status, answer = self.server.ask(method, path, body)
            except OSError:
                time.sleep(0.05)
                continue
            if status < 300:
                return answer
            self.refusals.append((status, answer))
            time.sleep(0.05)
        return None


def start_when_there_is_room(server, ballast):
    """A server that cannot start says why; with room it starts."""
    server.spawn()
    deadline = time.monotonic() + PATIENCE
    while not server.ready():
        assert time.monotonic() < deadline, server.log()[-3000:]
        if server.process.poll() is not None:
            last = server.log().strip().splitlines()[-2:]
            assert server.process.returncode == 1 and any("space" in line or "full" in line for line in last), last
            ballast.drop()
            server.spawn()
        time.sleep(0.02)


def check_refusals(refusals):
    for status, answer in refusals:
        error = answer["error"]
        assert status == 507 and error["code"] == "no_space", (status, answer)
        assert ("space" in error["message"] or "full" in error["message"]) and error["next"], answer


def test_acknowledged_jobs_survive_repeated_full_disks(small_disk, scratch):
    rounds, jobs = scaled(2, 5, 60), scaled(16, 100, 2000)
    say(f"seed {SEED}: {jobs} jobs, the disk is full {rounds} times")
    rng = random.Random(f"{SEED}-disk")
    ballast = Ballast(small_disk)
    server = FixedServer(small_disk / "data", "--nodes", "2x4npu+4cpu", log=scratch / "server.log").start()
    load = Load(server, scratch / "began", jobs).start()
    code = CodeClient(server, rng)
    code.start()
    for turn in range(rounds):
        time.sleep(rng.uniform(0.2, 0.8))
        ballast.fill()
        time.sleep(rng.uniform(0.3, 1.5))
        if turn % 2:
            server.kill()
            start_when_there_is_room(server, ballast)
        ballast.drop()
    code.over.set()
    code.join()
    load.join()
    server.wait_idle()
    check_outcome(server, load, disk_was_full=True)
    refusals = load.refusals + code.refusals
    check_refusals(refusals)
    assert refusals and code.jobs and not code.doubts, code.doubts
    for job_id, digest in code.jobs.items():
        job = server.job(job_id)
        if job["state"] == "succeeded":
            assert server.rank_log(job_id).decode() in (f"{digest}  data\n", "")  # sha256sum itself may find no room
        else:
            assert "space" in job["reason"] or job["attempts"][-1]["exit"]["class"] == "exit_code", job
    say(f"{len(refusals)} refusals, {len(load.acknowledged)} jobs and {len(code.jobs)} snapshots acknowledged")
    check_nothing_left(server)


def test_full_disk_never_kills_the_server_by_a_signal(small_disk):
    """Memory that stands for a file is the trap: a block that cannot be had when it is touched ends the program."""
    server = FixedServer(small_disk / "data", "--nodes", "1x4cpu").start()
    server.post("/jobs", {"spec": {"run": ["true"], "sweep": {"i": list(range(100))}}}, expect=201)
    server.wait_idle()
    server.kill()
    for file in (small_disk / "data").glob("journal.db-shm"):
        file.unlink()  # SQLite makes such a file anew at each start, when it is let
    ballast, started = Ballast(small_disk), 0
    ballast.fill()
    for _ in range(40):
        server.spawn()
        wait_until(lambda: server.process.poll() is not None or server.ready(), PATIENCE, "the server to start or to give up")
        if server.process.poll() is None:
            started += 1
            server.kill()
        else:
            assert server.process.returncode == 1, f"ended by {server.process.returncode}: {server.log()[-1000:]}"
        ballast.yield_room(1024)
    assert started > 0
    ballast.drop()
    assert server.start().all_jobs()[0]["state"] == "succeeded"
    check_nothing_left(server)


@pytest.mark.parametrize("arguments", ["server --data /proc/nowhere", "--version", "help", "ps --server http://127.0.0.1:1", "plan /nowhere", "agent"])
def test_full_disk_never_kills_a_client_by_a_signal(arguments, scratch):
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([MUSTER, *arguments.split()], stdout=full, stderr=full, stdin=subprocess.DEVNULL,
                               env={**os.environ, "MUSTER_DATA": str(scratch / "data")}, timeout=PATIENCE)
    assert ended.returncode >= 0, f"signal {-ended.returncode}"


def test_job_that_fills_the_disk_can_be_stopped(small_disk):
    server = FixedServer(small_disk / "data", "--nodes", "1x4cpu").start()
    flood = "while :; do head -c 1000000 /dev/zero; done"
    job_id = server.post("/jobs", {"spec": {"run": ["sh", "-c", flood], "stop": {"grace": "100ms"}}}, expect=201)[1]["jobs"][0]["id"]
    def full():
        return os.statvfs(small_disk).f_bavail == 0
    wait_until(full, PATIENCE, "the disk to be full")
    status, answer = server.post(f"/jobs/{job_id}/stop")
    assert status == 202, answer
    wait_until(lambda: touching(small_disk) == [server.process.pid], PATIENCE, "the job's processes to go while the disk is full")
    status, answer = server.post("/jobs", {"spec": {"run": "true"}})
    accepted = [job["id"] for job in answer["jobs"]] if status == 201 else []
    if not accepted:
        check_refusals([(status, answer)])
    log = small_disk / f"data/jobs/{job_id}/attempts/1/node0/rank0.log"
    os.truncate(log, 1000)
    server.wait_state(job_id, "stopped", seconds=PATIENCE)
    for later in [*accepted, server.submit("--code", "none", "--", "true")]:
        assert server.wait_end(later)["state"] == "succeeded"
    check_nothing_left(server)
