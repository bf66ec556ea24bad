"""A journal that has lost its end, or everything, is never taken for a whole one; and nothing is acknowledged into lost files."""
import os
import shutil
import subprocess

import pytest
from conftest import MUSTER, Muster, marked_processes, wait_until


def start_refused(server, *flags):
    """What a server that does not start says; it must end by itself, with an exit code."""
    ended = subprocess.run([MUSTER, "server", "--data", str(server.data), *server.flags, *flags], capture_output=True, text=True,
                           env=server.env, timeout=60)
    assert ended.returncode == 1, ended
    assert "--accept-journal-loss" in ended.stderr
    return ended.stderr


def run_jobs(server, count):
    ids = [server.submit("--", "true") for _ in range(count)]
    for job_id in ids:
        server.wait_end(job_id)
    return ids


def accept(server):
    server.flags = (*server.flags, "--accept-journal-loss")
    return server.start()


def test_truncated_journal_is_refused_until_the_loss_is_accepted(server):
    last = run_jobs(server, 3)[-1]
    server.kill()
    os.truncate(server.data / "journal.db", 0)
    words = start_refused(server)
    assert "ends at job 0" in words and f"job {last} and event" in words and "jobs/ has 3 folders" in words
    assert start_refused(server) == words, "a refusal changes nothing"
    accept(server)
    assert server.get("/jobs")["jobs"] == []
    assert run_jobs(server, 1) == [last + 1], "numbers of lost jobs are not given again"


def test_damage_in_the_log_is_refused_and_the_log_kept(server):
    last = run_jobs(server, 10)[-1]
    server.kill()
    log = server.data / "journal.db-wal"
    with open(log, "r+b") as file:
        file.seek(log.stat().st_size // 3)
        file.write(b"########")
    damaged = log.read_bytes()
    assert f"but job {last} and event" in start_refused(server)
    assert log.read_bytes() == damaged
    accept(server)
    known = {job["id"] for job in server.get("/jobs")["jobs"]}
    assert known < set(range(1, last + 1))
    assert run_jobs(server, 1) == [last + 1]


def test_journal_removed_under_a_running_job(server):
    job_id = server.submit("-g", "npu:2", "--", "sh", "-c", "setsid sleep 1000 & exec sleep 1000")
    server.wait_state(job_id, "running")
    server.kill()
    for file in server.data.glob("journal.*"):  # the mark too: the folders of jobs remain
        file.unlink()
    assert f"jobs/ has 1 folder that it does not know ({job_id})" in start_refused(server)
    assert marked_processes(server.data), "a refusal stops nothing"
    accept(server)
    wait_until(lambda: not marked_processes(server.data), what="the lost job to be stopped")
    assert f"jobs/{job_id}/attempts/1 still runs" in server.log()
    assert (server.data / f"jobs/{job_id}/attempts/1/node0/rank0.log").exists()
    assert run_jobs(server, 1) == [job_id + 1]


def test_journal_restored_from_a_copy_is_older_than_its_mark(server):
    run_jobs(server, 1)
    server.stop()
    shutil.copy(server.data / "journal.db", server.data / "copy")
    server.start()
    run_jobs(server, 2)
    server.stop()
    shutil.move(server.data / "copy", server.data / "journal.db")
    assert "ends at job 1" in start_refused(server)


@pytest.mark.parametrize("name", ["journal.db", "journal.db-wal", "lock"])
def test_nothing_is_acknowledged_while_a_file_is_away(server, name):
    job_id = server.submit("--", "sleep", "1000")
    server.wait_state(job_id, "running")
    os.rename(server.data / name, server.data / "aside")
    status, answer = server.post("/jobs", {"spec": {"run": "true"}})
    assert status == 500 and f"{server.data}/{name} was removed" in answer["error"]["message"]
    os.rename(server.data / "aside", server.data / name)
    assert server.wait_end(server.submit("--", "true"))["state"] == "succeeded"
    server.run("stop", job_id)
    lines = [line for line in server.log().splitlines() if "was removed" in line]
    assert len(lines) <= 2, "one fault, one line"


def test_data_folder_removed_under_a_running_server(start_server, scratch):
    first = start_server("--nodes", "1x4npu")
    assert first.wait_end(first.submit("--", "true"))["state"] == "succeeded"
    endpoint = first.endpoint()
    shutil.rmtree(first.data)
    first.endpoint = lambda: endpoint
    status, answer = first.post("/jobs", {"spec": {"run": "true"}})
    assert status == 500 and "was removed" in answer["error"]["message"]

    second = Muster(first.data, "--nodes", "1x4npu").start()
    assert second.wait_end(second.submit("--", "echo", "here"))["state"] == "succeeded"
    status, answer = first.post("/jobs", {"spec": {"run": "true"}})
    assert status == 500 and "was replaced" in answer["error"]["message"]
    assert [job["id"] for job in second.get("/jobs")["jobs"]] == [1]
    first.stop()
    assert second.endpoint(), "the first leaves the files of the second alone"
    second.stop()
