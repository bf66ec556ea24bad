"""Jobs on a full disk: they can be stopped and removed, and one fault gives one line in the log."""
import os
import subprocess

import pytest
from conftest import MUSTER, Muster, marked_processes, wait_until


@pytest.fixture
def small_disk(scratch):
    """A file system of this test alone."""
    folder = scratch / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "muster-test", folder], capture_output=True).returncode != 0:
        pytest.skip("this user may not mount")
    yield folder
    wait_until(lambda: subprocess.run(["umount", folder], capture_output=True).returncode == 0, 30, "the disk to be let go")


@pytest.fixture
def server(small_disk, scratch):
    class Here(Muster):
        def start(self):
            with open(scratch / "server.log", "ab") as log:
                self.process = subprocess.Popen([MUSTER, "server", "--data", str(self.data), *self.flags], stdin=subprocess.DEVNULL,
                                                stdout=log, stderr=log, env=self.env)
            wait_until(self.endpoint, what="the server to answer")
            return self

        def log(self):
            return (scratch / "server.log").read_text()

    server = Here(small_disk / "data", "--nodes", "1x4npu").start()
    yield server
    for file in [small_disk / "ballast", *server.data.glob("jobs/*/attempts/*/node*/work/**/big")]:
        file.unlink(missing_ok=True)
    server.run("stop", "--all", check=False)
    server.stop()


FILL = "head -c 1G /dev/zero > big; echo full; exec sleep 1000"


def full(disk):
    return os.statvfs(disk).f_bavail == 0


def fill(server, disk, ranks=4):
    job_id = server.submit("--code", "none", "-g", f"npu:{ranks}", "--grace", "200ms", "--", "sh", "-c", FILL)
    wait_until(lambda: full(disk), 30, "the disk to be full")
    return job_id


def test_job_that_filled_the_disk_is_stopped_and_removed_while_it_is_full(server, small_disk):
    job_id = fill(server, small_disk)
    server.run("stop", job_id, timeout=30)
    assert os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize < 4 << 20, "its files are still there"
    job = server.job(job_id)
    assert job["state"] == "stopped" and job["attempts"][0]["nodes"][0]["clean"]["left"] == 0
    assert not marked_processes(server.data)
    assert server.get("/nodes")["nodes"][0]["devices"]["npu"]["used"] == 0
    server.run("rm", job_id)
    assert server.request("GET", f"/jobs/{job_id}")[0] == 404
    assert not full(small_disk) and not (server.data / f"jobs/{job_id}").exists()
    assert server.wait_end(server.submit("--code", "none", "--", "echo", "on"))["state"] == "succeeded"


LARGE = {"spec": {"run": ["true"], "resources": {"devices": "npu:4"}, "env": {"TEXT": "x" * 60_000}}}


def take_all_room(server, disk):
    """Fills the disk, and the journal's reserve with it: until a submit is refused."""
    with open(disk / "ballast", "ab", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    for _ in range(500):
        status, answer = server.post("/jobs", LARGE)
        if status != 201:
            assert status == 507 and answer["error"]["code"] == "no_space", answer
            return
    raise AssertionError("the journal never ran out of room")


def test_job_is_removed_while_nothing_new_is_accepted(server, small_disk):
    job_id = fill(server, small_disk)
    server.run("stop", job_id, timeout=30)
    take_all_room(server, small_disk)
    server.run("rm", job_id)
    assert server.request("GET", f"/jobs/{job_id}")[0] == 404
    assert not (server.data / f"jobs/{job_id}").exists()


def test_full_disk_is_one_line_in_the_log(server, small_disk):
    fill(server, small_disk)
    before = len(server.log().splitlines())
    take_all_room(server, small_disk)
    for _ in range(20):
        assert server.post("/jobs", LARGE)[0] == 507
    lines = server.log().splitlines()[before:]
    assert len(lines) <= 3, lines


def test_all_jobs_are_stopped_while_the_disk_is_full(server, small_disk):
    """New jobs are refused before they take the room that the journal keeps for the ends of the others."""
    running = fill(server, small_disk)
    take_all_room(server, small_disk)
    server.run("stop", "--all", timeout=60)
    assert server.get("/jobs?state=queued,starting,running,stopping")["jobs"] == []
    assert server.job(running)["state"] == "stopped" and not marked_processes(server.data)
    assert server.post("/jobs", LARGE)[0] == 507
    (small_disk / "ballast").unlink()
    server.run("rm", running)
    accepted = wait_until(lambda: (answer := server.post("/jobs", LARGE))[0] == 201 and answer[1], what="room for a job")
    assert server.wait_end(accepted["jobs"][0]["id"])["state"] == "succeeded"
