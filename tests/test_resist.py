"""Ranks that misbehave: each ends in one truthful state, and nothing of it is left."""
import os

import pytest
from conftest import marked_processes, wait_until

PYTHON = "/usr/bin/python3"


@pytest.mark.parametrize("name, script", [
    ("ignores TERM", "import signal,time; signal.signal(15, signal.SIG_IGN); print('ready', flush=True); time.sleep(1000)"),
    ("runs away", "import os,time\nfor _ in range(3):\n  if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    time.sleep(1000)\nprint('ready', flush=True); time.sleep(1000)"),
    ("clears its environment", "import os\nif os.fork() == 0:\n  os.setsid(); os.execve('/bin/sleep', ['sleep', '1000'], {})\nprint('ready', flush=True)\nos.execve('/bin/sleep', ['sleep', '1000'], {})"),
    ("is stopped", "import os,signal; print('ready', flush=True); os.kill(os.getpid(), signal.SIGSTOP)"),
    ("forks fast", "import os,time\nprint('ready', flush=True)\nfor _ in range(200):\n  if os.fork() == 0:\n    os.setsid(); time.sleep(1000)\ntime.sleep(1000)"),
])
def test_stop_ends_a_rank(server, scratch, name, script):
    job_id = server.submit("--grace", "300ms", "--", PYTHON, "-c", script)
    wait_until(lambda: b"ready" in server.rank_log(job_id), what=name)
    server.run("stop", job_id)
    assert server.job(job_id)["state"] == "stopped"
    assert not marked_processes(server.data)
    assert not orphans_of(server, job_id), "processes without our mark are left"


def orphans_of(server, job_id):
    """Living processes whose working folder is the job's: nothing a program can forget by itself."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd").startswith(f"{server.data}/jobs/{job_id}/"):
                found.append(pid)
        except OSError:
            pass
    return found


def test_remaining_processes_are_gone_when_the_job_has_succeeded(server):
    job = server.wait_end(server.submit("--", "sh", "-c", "setsid sleep 1000 & setsid setsid sleep 1000 & exit 0"))
    assert job["state"] == "succeeded"
    clean = job["attempts"][0]["nodes"][0]["clean"]
    assert clean["found"] >= 1 and clean["left"] == 0
    assert not orphans_of(server, job["id"])


def test_rank_that_closes_its_output_keeps_running(server):
    job = server.wait_end(server.submit("--", "sh", "-c", "echo before; exec >&- 2>&-; exit 5"))
    assert job["attempts"][0]["exit"]["code"] == 5
    assert server.rank_log(job["id"]) == b"before\n"


def test_gigabyte_without_newline_is_kept(server):
    script = "import os\nb = b'x' * (1 << 20)\nfor _ in range(1024): os.write(1, b)\n"
    job = server.wait_end(server.submit("--", PYTHON, "-c", script), seconds=120)
    assert job["state"] == "succeeded"
    log = server.data / f"jobs/{job['id']}/attempts/1/node0/rank0.log"
    assert log.stat().st_size == 1 << 30
    status, body, headers = server.request("GET", f"/jobs/{job['id']}/ranks/0/log?offset={(1 << 30) - 10}")
    assert status == 200 and body == b"x" * 10 and headers["X-Muster-Size"] == str(1 << 30)
    tail = server.run("logs", "-n", "5", job["id"], timeout=120).stdout
    assert tail and set(tail.strip()) <= set("x")


def test_binary_output_is_returned_unchanged(server):
    payload = bytes(range(256)) * 10
    job = server.wait_end(server.submit("--", PYTHON, "-c", f"import os; os.write(1, bytes(range(256)) * 10)"))
    assert server.rank_log(job["id"]) == payload
    result = server.run("logs", job["id"], check=False)
    assert result.returncode == 0


def test_rank_that_exits_immediately_is_a_complete_job(server):
    for _ in range(5):
        job = server.wait_end(server.submit("-g", "npu:4", "--", "true"))
        assert job["state"] == "succeeded" and all(r["exit"]["class"] == "succeeded" for r in job["ranks"])


@pytest.mark.parametrize("command, word", [
    (["/no/such/program"], "/no/such/program"), (["no-such-program-anywhere"], "PATH"), (["/etc/passwd"], "/etc/passwd"), (["/tmp"], "/tmp"),
])
def test_start_failure_has_a_reason(server, command, word):
    job = server.wait_end(server.submit("--code", "none", "--", *command))
    assert job["state"] == "failed"
    assert job["attempts"][0]["exit"]["class"] == "could_not_start"
    assert word in job["reason"]
