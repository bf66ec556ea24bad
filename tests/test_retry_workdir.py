"""What a retry starts from: the working folder of the attempt before it, or a new copy of the code."""
import json
import os
import signal

import pytest
from conftest import PYTHON, marked_processes, wait_until

# Like the multinode tutorial of torchrun: a snapshot in the current folder, read at the start, written after each epoch.
TRAIN = """
import os, pathlib, sys, time
snapshot = pathlib.Path("snapshot.pt")
first = int(snapshot.read_text()) if snapshot.exists() else 0
print(f"attempt {os.environ['MUSTER_ATTEMPT']} starts at epoch {first}", flush=True)
for epoch in range(first, 6):
    snapshot.write_text(str(epoch + 1))
    print(f"epoch {epoch}", flush=True)
    if epoch == 2 and os.environ["MUSTER_ATTEMPT"] == "1":
        HOW
"""
FAIL = "sys.exit(3)"
WAIT = "time.sleep(1000)"


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2npu+2cpu")


def job_file(scratch, how=FAIL, name="job", **document):
    code = scratch / f"code-{name}"
    code.mkdir(exist_ok=True)
    (code / "train.py").write_text(TRAIN.replace("HOW", how))
    path = scratch / f"{name}.json"
    path.write_text(json.dumps({"name": name, "code": str(code), "run": "train.py", "python": PYTHON, "retries": 1, **document}))
    return path


def succeeded(server, job, attempts=2):
    ended = server.wait_end(job, 90)
    assert ended["state"] == "succeeded", json.dumps(ended, indent=1)
    assert len(ended["attempts"]) == attempts
    return ended


def log(server, job, rank=0, attempt=2):
    return server.rank_log(job, rank, attempt).decode()


def notes(server, job):
    return [event["data"]["text"] for event in server.get(f"/jobs/{job}/events")["events"] if event["kind"] == "note"]


CONTINUED = "attempt 2 continues in the working folder of attempt 1"
RESUMED = "attempt 2 starts at epoch 3\nepoch 3\nepoch 4\nepoch 5\n"


@pytest.mark.parametrize("platform", ["", "modelarts", "modelarts-v1", "apulis"])
@pytest.mark.parametrize("nodes", ["2x2npu+2cpu", None], ids=["virtual", "real"])
def test_retry_resumes_from_a_snapshot_in_the_current_folder(start_server, scratch, platform, nodes):
    server = start_server(*(["--nodes", nodes] if nodes else []))
    document = {"platform": platform} if platform else {}
    job = server.submit(job_file(scratch, **document))
    succeeded(server, job)
    assert log(server, job) == RESUMED
    assert any(note.startswith(CONTINUED) for note in notes(server, job)), notes(server, job)
    assert CONTINUED in server.run("describe", job).stdout
    assert "which continues in its working folder" in json.dumps(server.get(f"/jobs/{job}/events"))


def test_retry_of_a_command_that_writes_below_the_platforms_home(cluster, scratch):
    script = '[ "$MUSTER_ATTEMPT" = 2 ] || { echo 3 > ~/snapshot.pt; exit 3; }; cat ~/snapshot.pt'
    for platform in ("modelarts", "apulis"):
        job = cluster.submit("--platform", platform, "--retries", "1", "--", script)
        succeeded(cluster, job)
        assert log(cluster, job) == "3\n", platform


def test_every_node_continues_in_its_own_folder(cluster, scratch):
    script = 'echo "$MUSTER_RANK" >> mine; [ "$MUSTER_ATTEMPT" = 2 ] || sleep 0.$((MUSTER_RANK * 3)); cat mine; [ "$MUSTER_ATTEMPT" = 2 ]'
    job = cluster.submit("-C", "none", "-N", "2", "--retries", "1", "--", script)
    succeeded(cluster, job)
    for rank in (0, 1):
        assert set(log(cluster, job, rank).split()) == {str(rank)}
    assert sum(note.startswith(CONTINUED) for note in notes(cluster, job)) == 1


def test_every_rank_continues_in_its_own_folder(cluster, scratch):
    script = 'echo "$MUSTER_RANK" >> mine; cat mine; [ "$MUSTER_ATTEMPT" = 2 ] || { sleep 1; exit 3; }'
    job = cluster.submit("-C", "none", "-g", "cpu:2", "--workdir", "rank", "--retries", "1", "--", script)
    succeeded(cluster, job)
    for rank in (0, 1):
        assert log(cluster, job, rank) == f"{rank}\n{rank}\n"


def test_nodes_share_one_working_folder_when_asked(cluster, scratch):
    script = ('touch "here-$MUSTER_RANK"; while [ ! -e here-0 ] || [ ! -e here-1 ]; do sleep 0.02; done; ls; '
              'if [ "$MUSTER_ATTEMPT" = 1 ]; then echo 3 > "snapshot-$MUSTER_RANK"; sleep 0.5; exit 3; fi')
    code = scratch / "code"
    code.mkdir()
    (code / "helper.py").write_text("x = 1\n")
    for platform in ((), ("--platform", "modelarts")):
        job = cluster.submit("-C", code, "-N", "2", *platform, "--workdir", "job", "--retries", "1", "--", script)
        succeeded(cluster, job)
        for rank in (0, 1):
            assert {"helper.py", "here-0", "here-1"} <= set(log(cluster, job, rank, 1).split()), platform
            assert {"helper.py", "here-0", "here-1"} <= set(log(cluster, job, rank).split()), platform
            assert {"snapshot-0", "snapshot-1"} & set(log(cluster, job, rank).split())


def test_changed_code_stays_changed_and_fresh_copies_it_again(cluster, scratch):
    code = scratch / "code"
    code.mkdir()
    (code / "settings").write_text("original\n")
    script = 'if [ "$MUSTER_ATTEMPT" = 1 ]; then echo changed > settings; echo new > other; exit 3; fi; cat settings; ls'
    job = cluster.submit("-C", code, "--retries", "1", "--", script)
    succeeded(cluster, job)
    assert log(cluster, job) == "changed\nother\nsettings\n"
    job = cluster.submit("-C", code, "--retries", "1", "--on-retry", "fresh", "--", script)
    succeeded(cluster, job)
    assert log(cluster, job) == "original\nsettings\n"
    assert any("attempt 2 starts in a new working folder, as on_retry: fresh says" in note for note in notes(cluster, job))
    assert "attempt 2 starts in a new working folder" in cluster.run("describe", job).stdout


def test_absolute_paths_of_the_earlier_attempt_stay_valid(cluster, scratch):
    script = 'if [ "$MUSTER_ATTEMPT" = 1 ]; then echo 3 > snapshot; echo "$PWD/snapshot" > latest; exit 3; fi; cat "$(cat latest)"'
    job = cluster.submit("-C", "none", "--retries", "1", "--", script)
    succeeded(cluster, job)
    assert log(cluster, job) == "3\n"


def test_a_lost_node_resumes(cluster, scratch):
    job = cluster.submit(job_file(scratch, WAIT))
    wait_until(lambda: b"epoch 2" in cluster.rank_log(job), 60, "three epochs")
    (launcher,) = [pid for pid, command in marked_processes(cluster.data) if "--order" in command]
    os.kill(launcher, signal.SIGKILL)
    ended = succeeded(cluster, job)
    assert ended["attempts"][0]["exit"]["class"] == "lost"
    assert log(cluster, job) == RESUMED


def test_a_preempted_job_resumes(start_server, scratch):
    server = start_server("--nodes", "1x1cpu")
    job = server.submit(job_file(scratch, WAIT, preemptible=True, retries=0))
    wait_until(lambda: b"epoch 2" in server.rank_log(job), 60, "three epochs")
    urgent = server.submit("--priority", "10", "--", "true")
    assert server.wait_end(urgent)["state"] == "succeeded"
    succeeded(server, job)
    assert log(server, job) == RESUMED


def test_a_third_attempt_continues_the_second(cluster, scratch):
    script = 'echo "$MUSTER_ATTEMPT" >> seen; cat seen; [ "$MUSTER_ATTEMPT" = 3 ]'
    job = cluster.submit("-C", "none", "--retries", "2", "--", script)
    succeeded(cluster, job, attempts=3)
    assert log(cluster, job, attempt=3) == "1\n2\n3\n"


def test_code_that_was_not_copied_completely_is_copied_again(cluster, scratch):
    """An attempt that ends before its working folder is ready leaves nothing to continue from."""
    hooks = {"setup": '[ "$MUSTER_ATTEMPT" = 2 ] || rm -f ../work.ready ../../work.ready'}
    job = cluster.submit(job_file(scratch, hooks=hooks))
    succeeded(cluster, job)
    assert log(cluster, job).startswith("attempt 2 starts at epoch 0\n")
    assert any(note.startswith("attempt 2 starts in a new working folder: no earlier attempt") for note in notes(cluster, job))


def test_a_rerun_starts_fresh(cluster, scratch):
    script = "echo x >> seen; cat seen"
    first = cluster.submit("-C", "none", "--", script)
    succeeded(cluster, first, attempts=1)
    again = int(cluster.run("rerun", "-d", first).stdout.split()[0])
    succeeded(cluster, again, attempts=1)
    assert log(cluster, again, attempt=1) == "x\n"


# ------------------------------------------------------------------------------------------------ inputs of the machine

def test_an_input_path_that_does_not_exist_is_refused_at_submit(cluster, scratch):
    missing = scratch / "no such dir"
    refused = cluster.run("run", "-d", "-i", f"data={missing}", "--", "true", check=False)
    assert refused.returncode == 2 and f"inputs.data: found {missing}: No such file or directory" in refused.stderr, refused.stderr
    status, answer = cluster.post("/jobs", {"spec": {"run": "true", "inputs": {"data": str(missing), "x": "/"}}})
    assert status == 400 and [fault["path"] for fault in answer["error"]["faults"]] == ["inputs.data"], (status, answer)
    assert cluster.get("/jobs")["jobs"] == []


@pytest.mark.parametrize("platform", ["", "modelarts", "apulis"])
def test_an_input_that_vanishes_before_the_job_starts_fails_it(cluster, scratch, platform):
    data = scratch / "inputs of the job"
    data.mkdir()
    (data / "x").write_text("1")
    gate = cluster.submit("-N", "2", "-g", "cpu:2", "--", f"while [ ! -e {scratch}/go ]; do sleep 0.02; done")
    cluster.wait_state(gate, "running")
    job = cluster.submit(*(["--platform", platform] if platform else []), "-i", f"data={data}", "-g", "cpu:2", "--", f"touch {scratch}/ran")
    (data / "x").unlink()
    data.rmdir()
    (scratch / "go").touch()
    ended = cluster.wait_end(job)
    cause = ended["attempts"][0]["cause"]
    assert ended["state"] == "failed" and cause["exit"]["class"] == "not_fetched", ended
    assert f"the input data: {data}: No such file or directory" in cause["what"], cause
    assert not (scratch / "ran").exists()
