"""kill -9 at any instant: what was acknowledged is there, runs once, and its log is whole."""
import random
import signal
import subprocess
import threading
import time

import os

from conftest import MUSTER, marked_processes, wait_until


def test_running_jobs_and_their_logs_survive_the_server(server):
    count = 2000
    job_id = server.submit("-N", "2", "-g", "npu:2", "--", "sh", "-c",
                           f"i=0; while [ $i -lt {count} ]; do echo line $i; i=$((i+1)); [ $((i % 200)) = 0 ] && sleep 0.05; done; true")
    server.wait_state(job_id, "running")
    for _ in range(3):
        server.kill()
        server.start()
    job = server.wait_end(job_id)
    assert job["state"] == "succeeded" and len(job["attempts"]) == 1
    expected = "".join(f"line {i}\n" for i in range(count)).encode()
    for rank in range(4):
        assert server.rank_log(job_id, rank) == expected


def test_log_follower_gets_every_byte_once_over_a_server_kill(server, scratch):
    job_id = server.submit("-g", "npu:2", "--", "sh", "-c",
                           "i=0; while [ $i -lt 300 ]; do echo line $i; i=$((i+1)); sleep 0.005; done")
    with open(scratch / "followed", "wb") as out:
        follower = subprocess.Popen([MUSTER, "logs", "-f", str(job_id)], env=server.env, stdout=out, stderr=subprocess.DEVNULL)
    for _ in range(3):
        wait_until(lambda: (scratch / "followed").stat().st_size > 0)
        server.kill()
        server.start()
    assert follower.wait(60) == 0
    lines = (scratch / "followed").read_text().splitlines()
    for rank in range(2):
        mine = [line.split("] ", 1)[1] for line in lines if line.startswith(f"[rank {rank}]")]
        assert mine == [f"line {i}" for i in range(300)]


def test_acknowledged_jobs_run_exactly_once_under_repeated_kills(server, scratch):
    """Clients submit while the server dies again and again; each job appends its number to a file."""
    ran = scratch / "ran"
    ran.touch()
    acknowledged, stop = [], threading.Event()

    def client(number):
        n = 0
        while not stop.is_set():
            n += 1
            result = server.run("run", "-d", "--", "sh", "-c", f"echo $MUSTER_JOB_ID >> {ran}", check=False, timeout=60)
            if result.returncode == 0:
                acknowledged.append(int(result.stdout.split()[0]))

    # Clients that find no server would start one of their own: they are told where ours is instead.
    server.flags = (*server.flags, "--listen", f"127.0.0.1:{server.endpoint()['url'].rsplit(':', 1)[1]}")
    server.env.update(MUSTER_SERVER=server.endpoint()["url"], MUSTER_TOKEN=server.endpoint()["token"])
    clients = [threading.Thread(target=client, args=(n,)) for n in range(3)]
    for thread in clients:
        thread.start()
    rng = random.Random(1)
    for _ in range(8):
        time.sleep(rng.uniform(0.05, 0.4))  # the instant of the kill is what is random here
        server.kill()
        server.start()
    stop.set()
    for thread in clients:
        thread.join()
    assert acknowledged
    for job_id in acknowledged:
        assert server.wait_end(job_id)["state"] == "succeeded"
    wait_until(lambda: not server.get("/jobs?state=queued,starting,running,stopping")["jobs"])
    numbers = [int(line) for line in ran.read_text().split()]
    assert len(numbers) == len(set(numbers)), "a job ran twice"
    assert set(acknowledged) <= set(numbers)
    assert len(set(acknowledged)) == len(acknowledged)


def test_killed_launcher_loses_its_node_without_remaining_processes(server):
    job_id = server.submit("-N", "2", "-g", "npu:2", "--", "sh", "-c", "setsid sleep 1000 & exec sleep 1000")
    server.wait_state(job_id, "running")
    launchers = [pid for pid, command in marked_processes(server.data) if " launch " in command]
    assert len(launchers) == 2
    os.kill(launchers[0], signal.SIGKILL)
    job = server.wait_end(job_id)
    assert job["state"] == "failed"
    assert job["attempts"][0]["exit"]["class"] == "lost"
    assert not marked_processes(server.data)


def test_launcher_and_server_killed_together_recover(server):
    job_id = server.submit("-g", "npu:2", "--", "sh", "-c", "setsid sleep 1000 & exec sleep 1000")
    server.wait_state(job_id, "running")
    server.kill()
    for pid, command in marked_processes(server.data):
        if " launch " in command:
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not marked_processes(server.data), what="the supervisor to kill the ranks without a server")
    server.start()
    job = server.wait_end(job_id)
    assert job["state"] == "failed" and job["attempts"][0]["exit"]["class"] == "lost"
    assert not marked_processes(server.data)


def test_job_that_ends_without_a_server_is_recorded_as_ended(server):
    job_id = server.submit("--", "sh", "-c", "while [ ! -e $MUSTER_JOB_DIR/go ]; do sleep 0.01; done; echo done; exit 6")
    server.wait_state(job_id, "running")
    server.kill()
    (server.data / f"jobs/{job_id}/go").touch()
    wait_until(lambda: not marked_processes(server.data))
    server.start()
    job = server.wait_end(job_id)
    assert job["attempts"][0]["exit"] == {**job["attempts"][0]["exit"], "class": "exit_code", "code": 6}
    assert server.rank_log(job_id) == b"done\n"


def test_failure_stops_other_nodes_without_a_server(server):
    script = "if [ $MUSTER_RANK = 0 ]; then while [ ! -e $MUSTER_JOB_DIR/go ]; do sleep 0.01; done; exit 1; fi; exec sleep 1000"
    job_id = server.submit("-N", "2", "-g", "npu:2", "--", "sh", "-c", script)
    server.wait_state(job_id, "running")
    server.kill()
    (server.data / f"jobs/{job_id}/go").touch()
    wait_until(lambda: not marked_processes(server.data), 10, "the ranks to go without a server")
    server.start()
    assert server.wait_end(job_id)["attempts"][0]["cause"]["rank"] == 0


def test_repeated_submit_creates_no_second_job(server):
    spec = {"spec": {"run": "true"}}
    first = server.post("/jobs", spec, headers={"Idempotency-Key": "one"}, expect=201)[1]
    again = server.post("/jobs", spec, headers={"Idempotency-Key": "one"}, expect=200)[1]
    server.kill()
    server.start()
    later = server.post("/jobs", spec, headers={"Idempotency-Key": "one"}, expect=200)[1]
    assert first["jobs"][0]["id"] == again["jobs"][0]["id"] == later["jobs"][0]["id"]
    assert again["repeated"] and later["repeated"] and not first["repeated"]


def test_second_server_on_the_same_data_is_refused(server):
    second = subprocess.run([MUSTER, "server", "--data", str(server.data)], capture_output=True, text=True, env=server.env, timeout=20)
    assert second.returncode != 0
    assert str(server.process.pid) in second.stderr
    assert server.endpoint()["url"] in second.stderr
