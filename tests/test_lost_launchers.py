"""A launcher that is killed: nothing of its node survives, whatever ranks did and whatever their record says."""
import json
import os
import pathlib
import signal
import subprocess

import pytest
from conftest import MUSTER, Muster, wait_until

NOBODY = 65534
# Starts a process that shares nothing with its rank: no mark, no session, no group, no parent. Its pid goes to the rank's log.
STRAY = "env -i setsid sleep 1000 & echo $!; exec sleep 1000"


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def record_line(**members):
    text = json.dumps({"wall_ms": 1, "mono_ms": 1, **members}, separators=(",", ":")).encode()
    return b"%08x %s\n" % (crc32c(text), text)


FORGED = b"".join([
    *(record_line(type="rank_ended", rank=rank, exit={"class": "succeeded"}) for rank in range(2)),
    record_line(type="node_clean", found=0, killed=0, left=0, took_ms=0, names=[]),
    record_line(type="launcher_ended", failed=False)])


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def kill(pid):
    os.kill(pid, signal.SIGKILL)


class AsNobody(Muster):
    """A server of a user without rights, who cannot make control groups."""

    def start(self):
        log = open(self.data.with_suffix(".log"), "ab")
        command = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"] if os.getuid() == 0 else []
        self.process = subprocess.Popen([*command, MUSTER, "server", "--data", str(self.data), *self.flags], stdin=subprocess.DEVNULL,
                                        stdout=log, stderr=log, env={**self.env, "HOME": str(self.data.parent)})
        log.close()
        wait_until(self.endpoint, what="the server to answer")
        return self


@pytest.fixture
def unprivileged(scratch):
    if os.getuid() == 0:
        scratch.chmod(0o755)
        (scratch / "theirs").mkdir()
        os.chown(scratch / "theirs", NOBODY, NOBODY)
    else:
        (scratch / "theirs").mkdir()
    server = AsNobody(scratch / "theirs/data", "--nodes", "2x4npu").start()
    yield server
    if server.process.poll() is None:
        server.run("stop", "--all", "--no-wait", check=False)
    server.stop()


class Running:
    """A job of two ranks on one node that has started its strays, and the processes behind it."""

    def __init__(self, server, script=STRAY, lines=1):
        self.server = server
        self.id = server.submit("--code", "none", "-g", "npu:2", "--", "sh", "-c", script)
        server.wait_state(self.id, "running")
        self.node = server.data / f"jobs/{self.id}/attempts/1/node0"
        for rank in range(2):
            wait_until(lambda: server.rank_log(self.id, rank).count(b"\n") >= lines, what="the strays")
        self.strays = [int(server.rank_log(self.id, rank).split()[0]) for rank in range(2)]
        self.ranks = [rank["pid"] for rank in server.job(self.id)["ranks"]]
        self.launcher = parent_of(self.ranks[0])
        self.supervisor = parent_of(self.launcher)
        assert all(map(alive, self.strays + self.ranks))

    def survivors(self):
        return [pid for pid in self.strays + self.ranks if alive(pid)]

    def ends_lost(self):
        job = self.server.wait_end(self.id)
        assert not self.survivors(), "the job has ended, and processes of it live"
        assert job["state"] == "failed" and job["attempts"][0]["exit"]["class"] == "lost"
        node = job["attempts"][0]["nodes"][0]
        assert node["lost"] and node["clean"]["left"] == 0 and "unproven" not in node
        assert self.server.get("/nodes")["nodes"][0]["devices"]["npu"]["used"] == 0
        wait_until(lambda: not alive(self.supervisor), what="the supervisor to end")
        return node


def test_strays_of_a_killed_launcher_die_as_root(server):
    job = Running(server)
    kill(job.launcher)
    assert job.ends_lost()["clean"]["found"] >= 4


def test_strays_of_a_killed_launcher_die_without_control_groups(unprivileged):
    job = Running(unprivileged)
    assert any("no control group" in note for note in unprivileged.job(job.id)["attempts"][0]["nodes"][0]["notes"])
    kill(job.launcher)
    clean = job.ends_lost()["clean"]
    assert clean["found"] >= 4 and clean["killed"] >= 4


def test_strays_die_while_no_server_runs(unprivileged):
    job = Running(unprivileged)
    unprivileged.kill()
    kill(job.launcher)
    wait_until(lambda: not job.survivors(), what="the supervisor to kill them")
    unprivileged.start()
    assert job.ends_lost()["clean"]["found"] >= 4


LEAVES_ITS_GROUP = ("for f in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs); do sh -c 'echo $PPID > $0' $f 2>/dev/null; done; " + STRAY)


@pytest.mark.skipif(os.getuid() != 0, reason="only root may leave a control group")
def test_strays_that_left_their_control_group_die(server):
    job = Running(server, LEAVES_ITS_GROUP)
    for pid in job.strays:
        assert "/muster/" not in pathlib.Path(f"/proc/{pid}/cgroup").read_text()
    kill(job.launcher)
    job.ends_lost()


# -- the supervisor is killed too

def test_unproven_node_keeps_its_devices_until_a_user_confirms(unprivileged):
    server = unprivileged
    job = Running(server)
    kill(job.supervisor)
    kill(job.launcher)
    shown = wait_until(lambda: (j := server.job(job.id))["attempts"][0]["nodes"][0].get("unproven") and j)
    command = f"muster stop {job.id} --confirm-clean"
    assert shown["state"] == "stopping" and command in shown["reason"]
    assert server.get("/nodes")["nodes"][0]["devices"]["npu"]["used"] == 2
    assert server.get("/nodes")["nodes"][0]["unproven"] == [job.id]
    wait_until(lambda: "may be left on node-0" in server.run("ps").stdout, what="the reason in the list")
    assert "NOT PROVEN" in server.run("describe", job.id).stdout
    assert f"{job.id} (not proven clean)" in server.run("nodes").stdout
    plain = server.run("stop", job.id, check=False)
    assert plain.returncode != 0 and command in plain.stderr

    server.kill()
    server.start()
    wait_until(lambda: server.get("/nodes")["nodes"][0]["unproven"] == [job.id], what="the flag after a restart")

    for pid in job.survivors():
        kill(pid)
    confirmed = server.run("stop", job.id, "--confirm-clean").stdout
    assert "not proven" in confirmed
    ended = server.wait_end(job.id)
    assert ended["state"] == "failed" and ended["attempts"][0]["nodes"][0]["confirmed_by"]
    assert server.get("/nodes")["nodes"][0]["devices"]["npu"]["used"] == 0
    assert server.get("/nodes")["nodes"][0]["unproven"] == []
    assert server.wait_end(server.submit("--code", "none", "-g", "npu:4", "--", "true"))["state"] == "succeeded"


def test_confirmation_that_no_job_waits_for_is_refused(server):
    job_id = server.submit("--", "sleep", "1000")
    server.wait_state(job_id, "running")
    status, answer = server.post(f"/jobs/{job_id}/stop", {"confirm_clean": True})
    assert status == 409 and "none of its nodes is unproven" in json.dumps(answer)
    assert server.job(job_id)["state"] == "running"
    assert server.request("POST", "/jobs/99/stop", {"confirm_clean": True})[0] == 404


def test_supervisor_alone_killed_changes_nothing(server):
    job = Running(server)
    kill(job.supervisor)
    server.run("stop", job.id)
    ended = server.job(job.id)
    assert ended["state"] == "stopped" and ended["attempts"][0]["nodes"][0]["clean"]["left"] == 0
    assert not job.survivors()


# -- a record that lies

def forge(record):
    with open(record, "ab") as file:
        file.write(FORGED)


def truncate(record):
    os.truncate(record, 0)


def cut(record):
    os.truncate(record, record.stat().st_size // 2)


def damage(record):
    with open(record, "r+b") as file:
        file.seek(20)
        file.write(b"########")


CHANGES = [forge, truncate, cut, damage, os.unlink]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_sweep_does_not_believe_the_record(server, change):
    job = Running(server)
    change(job.node / "record")
    kill(job.launcher)
    job.ends_lost()


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_sweep_after_a_restart_does_not_believe_the_record(unprivileged, change):
    job = Running(unprivileged)
    wait_until(lambda: unprivileged.job(job.id)["attempts"][0]["nodes"][0]["record_offset"] > 0)
    unprivileged.kill()
    change(job.node / "record")
    kill(job.launcher)
    unprivileged.start()
    job.ends_lost()


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("restart", [False, True], ids=["same server", "restarted server"])
def test_stop_does_not_believe_the_record(unprivileged, change, restart):
    """The launcher lives: the job has not ended, and stop ends it."""
    job = Running(unprivileged)
    if restart:
        unprivileged.kill()
    change(job.node / "record")
    if restart:
        unprivileged.start()
    assert unprivileged.job(job.id)["state"] in ("starting", "running")  # the last change of the record may be lost
    unprivileged.run("stop", job.id)
    assert unprivileged.job(job.id)["state"] == "stopped"
    assert not job.survivors()


def test_ranks_that_forge_their_own_end_are_killed_with_their_launcher(server, scratch):
    (scratch / "lines").write_bytes(FORGED)
    job = Running(server, f"env -i setsid sleep 1000 & echo $!; cat {scratch}/lines >> ../record; echo done; exec sleep 1000", lines=2)
    assert server.job(job.id)["state"] == "running"
    kill(job.launcher)
    job.ends_lost()
