"""The process that publishes outputs is killed: it is started again, and when that does not help, the cause is named."""
import os
import pathlib
import signal
import threading

import pytest
from conftest import wait_until

SIZE = 256 << 20


def publisher_of(data):
    """The pid of `muster launch --stage-out` of a server's jobs, or None."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--stage-out" in words and any(word.startswith(f"{data}/jobs/".encode()) for word in words):
            return int(pid)
    return None


class Killer(threading.Thread):
    """Kills publishing processes as they appear, `most` of them."""

    def __init__(self, data, most):
        super().__init__()
        self.data, self.most, self.killed, self.over = data, most, [], threading.Event()
        self.start()

    def run(self):
        while not self.over.is_set() and len(self.killed) < self.most:
            pid = publisher_of(self.data)
            if pid is not None and pid not in self.killed:
                try:
                    os.kill(pid, signal.SIGKILL)
                    self.killed.append(pid)
                except ProcessLookupError:
                    pass
            self.over.wait(0.002)

    def end(self):
        self.over.set()
        self.join()


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "1x2cpu", "--store-sync", "none")


def submit(cluster, scratch):
    cluster.run("objects", "mb", "s3://results")
    path = scratch / "job.yaml"
    script = f'out=${{1#*=}}; mkdir -p "$out"; head -c {SIZE} /dev/zero > "$out/net.ckpt"'  # the folder comes as --x=FOLDER
    path.write_text(f"name: job\nrun: [sh, -c, '{script}', sh]\noutputs: {{x: 's3://results/run/'}}\n")
    return cluster.submit(path)


def notes(cluster, job_id):
    return [e["data"]["text"] for e in cluster.get(f"/jobs/{job_id}/events")["events"] if e["kind"] == "note"]


def test_publishing_goes_on_after_its_process_was_killed(cluster, scratch):
    killer = Killer(cluster.data, most=1)
    job_id = submit(cluster, scratch)
    ended = cluster.wait_end(job_id, seconds=120)
    killer.end()
    assert len(killer.killed) == 1
    assert ended["state"] == "succeeded", ended["reason"]
    assert any("was killed by SIGKILL" in note and "started again" in note for note in notes(cluster, job_id))
    listed = cluster.run("objects", "ls", "s3://results/run/").stdout
    assert "net.ckpt" in listed and "muster-manifest.json" in listed
    target = scratch / "back"
    cluster.run("cp", "s3://results/run/net.ckpt", target)
    assert target.stat().st_size == SIZE and not any(target.read_bytes()[:1 << 20])


def test_publishing_that_is_killed_again_and_again_names_the_signal(cluster, scratch):
    killer = Killer(cluster.data, most=100)
    job_id = submit(cluster, scratch)
    ended = cluster.wait_end(job_id, seconds=120)
    killer.end()
    assert ended["state"] == "failed" and len(killer.killed) >= 5
    assert "SIGKILL (5 times)" in ended["reason"], ended["reason"]
    assert ended["attempts"][0]["exit"]["class"] == "not_published"
    wait_until(lambda: publisher_of(cluster.data) is None)
