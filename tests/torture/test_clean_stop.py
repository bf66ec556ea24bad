"""`stopped` is said only when nothing is left, whatever the program did to stay: looked at through /proc alone."""
import os
import shutil
import subprocess
import time

import pytest
from conftest import wait_until
from harness import PATIENCE, SCALE, FixedServer, check_nothing_left, kill_hard, say, scaled, touching

HERE = os.path.dirname(os.path.abspath(__file__))
STAYS = """ignores_term ignores_all setsid daemon hidden_daemon hidden hydra bomb no_first_thread no_first_thread_daemon memfd
           vfork vfork_daemon traced traced_daemon stopped_child guards respawns_on_term subreaper pid_namespace other_user
           out_of_its_groups memory writer burner reexec stops_its_launcher""".split()
LEAVES = "daemon_left hidden_daemon_left no_first_thread_left out_of_its_groups_left writer_left".split()


@pytest.fixture(scope="module")
def resist(tmp_path_factory):
    program = tmp_path_factory.mktemp("resist") / "resist"
    compiler = next(filter(shutil.which, ("clang-19", "cc")))
    subprocess.run([compiler, "-O1", "-Wall", "-Werror", "-static-pie", "-pthread", "-o", program, f"{HERE}/resist.c"], check=True)
    return program


def running(scratch, **more):
    server = FixedServer(scratch / "data", "--nodes", "8x8npu+8cpu", **more).start()
    yield server
    if server.process.poll() is None:
        server.kill()
    for pid in touching(scratch):  # only after a failure is there anything
        kill_hard(pid)


@pytest.fixture
def server(scratch):
    yield from running(scratch)


@pytest.fixture
def bare_server(scratch):
    """One that finds no control groups, as where nobody may make any."""
    words = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys/fs/cgroup && exec "$0" "$@"']
    if subprocess.run([*words, "true"], capture_output=True).returncode:
        pytest.skip("control groups cannot be hidden here")
    yield from running(scratch, before=words)


class Resister:
    """One program that runs as a job, and the processes it wrote down."""

    def __init__(self, server, program, kind, folder):
        self.server, self.kind, self.folder = server, kind, folder
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        spec = {"name": kind.replace("_", "-"), "run": [str(program), kind, str(folder)], "stop": {"grace": "300ms"}}
        self.id = server.post("/jobs", {"spec": spec}, expect=201)[1]["jobs"][0]["id"]

    def wait_ready(self):
        wait_until(lambda: (self.folder / "ready").exists() or self.state() in ("failed", "succeeded"), PATIENCE, f"{self.kind} to be up")
        assert (self.folder / "ready").exists(), self.server.job(self.id)

    def state(self):
        return self.server.job(self.id)["state"]

    def living(self):
        """What is left of it: of the processes that it wrote down, and of all that touch its folder."""
        found = {f"{pid} touches {self.folder}" for pid in touching(self.folder)}
        for line in (self.folder / "pids").read_text().splitlines():
            pid, began = line.split()
            try:
                with open(f"/proc/{pid}/stat") as stat:
                    fields = stat.read().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[19] == began and (fields[0] not in "ZX" or int(fields[17]) > 1):
                found.add(f"{pid} {fields[0]}")
        return found


def see_the_end(resisters, expected):
    """Looks at each resister in the instant in which its end is first seen."""
    waiting, began = list(resisters), time.monotonic()
    deadline = began + PATIENCE
    while waiting:
        for one in list(waiting):
            state = one.state()
            if state in ("stopped", "failed", "succeeded"):
                left = one.living()
                assert not left, f"{one.kind} is said to be {state}, and there is still: {left}"
                assert state == expected, f"{one.kind}: {one.server.job(one.id)['reason']}"
                waiting.remove(one)
                if SCALE == "long" or time.monotonic() - began > 5:
                    say(f"{one.kind} took {time.monotonic() - began:.1f} s")
        assert time.monotonic() < deadline, f"never ended: {[(one.kind, one.living()) for one in waiting]}\n" + waiting[0].server.log()[-2000:]
        time.sleep(0.01)


def rounds():
    return range(scaled(1, 2, 4))


def test_stopped_is_reported_only_without_remaining_processes(server, resist, scratch):
    for turn in rounds():
        resisters = [Resister(server, resist, kind, scratch / f"{kind}-{turn}") for kind in STAYS]
        for one in resisters:
            one.wait_ready()
            assert one.living(), f"{one.kind} does not even run"
        for one in resisters:
            server.post(f"/jobs/{one.id}/stop", {}, expect=202)
        see_the_end(resisters, "stopped")
        say(f"{len(resisters)} programs that resist were stopped")
    check_nothing_left(server)


def test_stopped_is_reported_correctly_without_control_groups(bare_server, resist, scratch):
    notes = bare_server.wait_end(bare_server.submit("--", "true"))["attempts"][0]["nodes"][0]["notes"]
    assert any(note.startswith("no control group") for note in notes), notes
    test_stopped_is_reported_only_without_remaining_processes(bare_server, resist, scratch)


def test_succeeded_is_reported_only_without_remaining_processes(server, resist, scratch):
    for turn in rounds():
        see_the_end([Resister(server, resist, kind, scratch / f"{kind}-{turn}") for kind in LEAVES], "succeeded")
    check_nothing_left(server)


def test_rank_that_kills_its_launcher_leaves_no_process(server, resist, scratch):
    one = Resister(server, resist, "kills_its_launcher", scratch / "killer")
    see_the_end([one], "failed")
    assert server.job(one.id)["attempts"][0]["exit"]["class"] == "lost"
    check_nothing_left(server)


@pytest.fixture
def freezing_disk(scratch):
    """A file system that can be frozen: whoever writes to it then waits where no signal reaches."""
    image, folder = scratch / "image", scratch / "frozen/disk"
    folder.mkdir(parents=True)
    with open(image, "wb") as file:
        file.truncate(16 << 20)
    subprocess.run(["/sbin/mkfs.ext4", "-q", image], check=True)
    if os.geteuid() != 0 or subprocess.run(["mount", "-o", "loop", image, folder], capture_output=True).returncode != 0:
        pytest.skip("this machine mounts no file")
    yield folder
    subprocess.run(["fsfreeze", "--unfreeze", folder], capture_output=True)
    for pid in touching(folder):  # only after a failure is there anything
        kill_hard(pid)
    wait_until(lambda: subprocess.run(["umount", folder], capture_output=True).returncode == 0, PATIENCE, "the disk to be let go")


def test_unkillable_process_prevents_the_stopped_state(server, resist, freezing_disk):
    one = Resister(server, resist, "frozen", freezing_disk.parent)
    one.wait_ready()
    subprocess.run(["fsfreeze", "--freeze", freezing_disk], check=True)
    wait_until(lambda: any(found.endswith(" D") for found in one.living()), PATIENCE, "uninterruptible waiting")
    server.post(f"/jobs/{one.id}/stop", {}, expect=202)

    def proof():
        return server.job(one.id)["attempts"][0]["nodes"][0].get("clean")
    wait_until(lambda: proof() and proof()["left"] == 1, PATIENCE, "what is left to be told")
    assert one.state() == "stopping" and one.living()
    server.kill()  # a new server knows no better
    server.start()
    assert one.state() == "stopping" and one.living()
    subprocess.run(["fsfreeze", "--unfreeze", freezing_disk], check=True)
    see_the_end([one], "stopped")
    check_nothing_left(server)
