"""A job from submit to result, as its user sees it."""
import json
import os
import pathlib
import re
import subprocess
import textwrap
import time

import pytest
from conftest import marked_processes, wait_until


def write_job(folder, text, name="job.yaml"):
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return path


def test_job_returns_its_output_and_exit_code(server):
    result = server.run("run", "-g", "npu:2", "--", "sh", "-c", "echo hello from $MUSTER_RANK of $MUSTER_WORLD_SIZE")
    assert "hello from 0 of 2" in result.stdout
    assert "hello from 1 of 2" in result.stdout
    failed = server.run("run", "--", "sh", "-c", "echo bye; exit 7", check=False)
    assert failed.returncode == 7
    assert "bye" in failed.stdout


def can_isolate():
    """Whether this machine gives a process its own host name and mounts, found out without Muster."""
    return subprocess.run(["unshare", "--uts", "--mount", "hostname", "probe"], capture_output=True).returncode == 0


def can_limit_memory():
    """Whether the kernel kills for memory in a group below "muster", where a server makes its own; found out without Muster."""
    for root, limit in (("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/unified", "memory.max"),
                        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")):
        root = pathlib.Path(root)
        if (root / "cgroup.procs").exists() and kills_for_memory(root, limit):
            return True
    return False


def kills_for_memory(root, limit):
    group = root / "muster" / f"probe-{os.getpid()}-{time.monotonic_ns()}"
    try:
        group.parent.mkdir(exist_ok=True)
        if limit == "memory.max":
            for above in (root, group.parent):
                (above / "cgroup.subtree_control").write_text("+memory")
        group.mkdir()
    except OSError:
        return False
    try:
        (group / limit).write_text(str(64 << 20))
        eat = f"echo $$ > {group}/cgroup.procs && exec /usr/bin/python3 -c 'x = bytearray(500 << 20)'"
        return subprocess.run(["sh", "-c", eat], capture_output=True, timeout=60).returncode == -9
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        remove_group(group)


def remove_group(group):
    """What just died may keep its group for a moment; a group that stays is empty and harms nobody."""
    for _ in range(100):
        try:
            return group.rmdir()
        except OSError:
            time.sleep(0.01)


def test_two_nodes_have_distinct_addresses_and_host_names(server):
    job_id = server.submit("-N", "2", "-g", "npu:1", "--", "sh", "-c", "hostname; cat /etc/hosts; sleep 0.1")
    job = server.wait_end(job_id)
    assert job["state"] == "succeeded"
    names = {n["name"] for n in job["attempts"][0]["nodes"]}
    assert len(names) == 2
    for rank, node in enumerate(job["attempts"][0]["nodes"]):
        lines = server.rank_log(job_id, rank).decode().splitlines()
        assert not (node["notes"] and can_isolate()), node["notes"]
        if not node["notes"]:  # what the kernel did not allow is noted
            assert lines[0] == node["name"]
            for other in names:
                assert any(other in line.split() for line in lines[1:])
    addresses = {s["address"] for s in job["attempts"][0]["allocation"]["nodes"]}
    assert len(addresses) == 2 and all(a.startswith("127.") for a in addresses)


def test_failed_job_names_the_first_failing_rank_and_its_last_lines(server):
    script = "if [ $MUSTER_RANK = 3 ]; then echo the real trouble; exit 9; fi; echo inno''cent; sleep 1000"
    result = server.run("run", "-N", "2", "-g", "npu:2", "--", "sh", "-c", script, check=False)
    assert result.returncode == 9
    job = server.get("/jobs?limit=1")["jobs"][0]
    described = server.run("describe", job["id"]).stdout
    headline = server.job(job["id"])["verdict"]["headline"]
    assert "rank 3" in headline and "code 9" in headline
    assert server.job(job["id"])["attempts"][0]["nodes"][1]["name"] in headline
    assert headline in described and "the real trouble" in described
    assert "innocent" not in described


def test_failure_stops_all_ranks_within_two_seconds(server):
    script = "if [ $MUSTER_RANK = 0 ]; then while [ ! -e $MUSTER_JOB_DIR/go ]; do sleep 0.01; done; exit 1; fi; exec sleep 1000"
    job_id = server.submit("-N", "4", "-g", "npu:4", "--", "sh", "-c", script)
    server.wait_state(job_id, "running")
    (server.data / f"jobs/{job_id}/go").touch()
    job = server.wait_end(job_id, seconds=2 + 1)
    attempt = job["attempts"][0]
    failed = next(r["ended_ms"] for r in attempt["ranks"] if r["rank"] == 0)
    assert max(r["ended_ms"] for r in attempt["ranks"]) - failed < 2000
    assert attempt["cause"]["rank"] == 0
    stopped = [r["exit"] for r in attempt["ranks"] if r["rank"] != 0]
    assert {e["class"] for e in stopped} == {"stopped"} and {e["stopped_by"] for e in stopped} == {"rank_failure"}


@pytest.mark.parametrize("script, expected", [
    ("exit 3", {"class": "exit_code", "code": 3}),
    ("kill -SEGV $$", {"class": "signal", "signal_name": "SIGSEGV"}),
    ("kill -KILL $$", {"class": "signal", "signal_name": "SIGKILL"}),
    ("exit 137", {"class": "exit_code", "code": 137}),
])
def test_exit_report_distinguishes_exit_classes(server, script, expected):
    job = server.wait_end(server.submit("--", "sh", "-c", script))
    exit_report = job["attempts"][0]["exit"]
    assert job["state"] == "failed"
    assert {k: exit_report[k] for k in expected} == expected


def test_program_that_cannot_be_executed_has_no_exit_code(server):
    result = server.run("run", "--", "/no/such/program", check=False)
    assert result.returncode == 127
    job = server.job(server.get("/jobs?limit=1")["jobs"][0]["id"])
    assert job["attempts"][0]["exit"]["class"] == "could_not_start"
    assert "/no/such/program" in job["attempts"][0]["exit"]["detail"]


def test_memory_limit_kill_differs_from_a_signal(server):
    job_id = server.submit("--memory", "64MiB", "--", "/usr/bin/python3", "-c", "x = bytearray(500 << 20); print(len(x))")
    job = server.wait_end(job_id)
    notes = job["attempts"][0]["nodes"][0]["notes"]
    if can_limit_memory():
        assert not any("memory limit" in note for note in notes), notes
        assert job["state"] == "failed"
        assert job["attempts"][0]["exit"]["class"] == "out_of_memory"
    else:
        assert "the memory limit is not enforced" in notes
        assert job["state"] == "succeeded"


def test_time_limit_warns_and_then_stops(server, scratch):
    job = write_job(scratch, """\
        run: [sh, -c, "trap 'echo warned' USR1; echo up; while :; do sleep 0.05; done"]
        limits: {time: 2s, warning: {signal: USR1, before: 1s}}
        stop: {grace: 1s}
        """)
    ended = server.wait_end(server.submit(job))
    assert ended["state"] == "failed"
    assert ended["attempts"][0]["exit"]["class"] == "timed_out"
    assert server.rank_log(ended["id"]).decode().split() == ["up", "warned"]
    assert server.run("wait", ended["id"], check=False).returncode == 124


def test_hooks_run_in_their_folder_at_their_time(server, scratch):
    job = write_job(scratch, """\
        run: [sh, -c, "cat prepared; exit 4"]
        hooks:
          setup: echo made by setup > prepared
          on_failure: echo failed > $MUSTER_JOB_DIR/on_failure
        """)
    ended = server.wait_end(server.submit(job))
    assert server.rank_log(ended["id"]) == b"made by setup\n"
    assert (server.data / f"jobs/{ended['id']}/on_failure").read_text() == "failed\n"
    job = write_job(scratch, """\
        run: sleep 1000
        hooks: {on_stop: "echo stopping > $MUSTER_JOB_DIR/on_stop"}
        """)
    job_id = server.submit(job)
    server.wait_state(job_id, "running")
    server.run("stop", job_id)
    assert (server.data / f"jobs/{job_id}/on_stop").read_text() == "stopping\n"


def test_failed_setup_hook_fails_the_job(server, scratch):
    job = write_job(scratch, "run: echo never\nhooks: {setup: 'echo no network; exit 5'}\n")
    ended = server.wait_end(server.submit(job))
    assert ended["state"] == "failed"
    assert ended["attempts"][0]["cause"]["rank"] == -1
    assert "setup" in ended["verdict"]["headline"]
    assert server.rank_log(ended["id"]) == b""


def test_retries_keep_a_history_of_attempts(server, scratch):
    job = write_job(scratch, """\
        run: [sh, -c, "echo attempt $MUSTER_ATTEMPT; test $MUSTER_ATTEMPT = 3"]
        retries: 4
        """)
    ended = server.wait_end(server.submit(job))
    assert ended["state"] == "succeeded"
    assert [a["exit"]["class"] for a in ended["attempts"]] == ["exit_code", "exit_code", "succeeded"]
    assert server.rank_log(ended["id"], attempt=2) == b"attempt 2\n"


def test_sweep_is_listed_stopped_and_compared_as_a_group(server, scratch):
    job = write_job(scratch, """\
        name: sweeping
        run: [sh, -c, "echo '{\\"loss\\": ${lr}}'; exec sleep 1000"]
        sweep: {lr: [0.1, 0.2, 0.3]}
        resources: {devices: npu:1}
        """)
    result = server.run("run", "-d", "--json", job)
    answer = json.loads(result.stdout)
    ids = [j["id"] for j in answer["jobs"]]
    assert len(ids) == 3
    for job_id in ids:
        server.wait_state(job_id, "running")
    rows = server.get(f"/jobs?group={answer['group']}")["jobs"]
    assert sorted(r["id"] for r in rows) == ids
    wait_until(lambda: all(str(v) in server.run("describe", answer["group"]).stdout for v in (0.1, 0.2, 0.3)))
    server.run("stop", "--group", answer["group"])
    assert {server.job(i)["state"] for i in ids} == {"stopped"}


def test_dependent_job_waits_and_reports_the_reason(server):
    first = server.submit("--", "sh", "-c", "while [ ! -e $MUSTER_JOB_DIR/go ]; do sleep 0.01; done")
    second = server.submit("--after", first, "--", "true")
    assert server.job(second)["state"] == "queued"
    assert f"job {first}" in server.run("why", second).stdout
    server.wait_state(first, "running")
    (server.data / f"jobs/{first}/go").touch()
    assert server.wait_end(second)["state"] == "succeeded"


def test_roles_have_commands_and_services_end_with_the_workers(server, scratch):
    job = write_job(scratch, """\
        roles:
          ps: {nodes: 1, devices: cpu:1, run: [sh, -c, "echo serving; exec sleep 1000"], service: true}
          worker: {nodes: 2, devices: npu:2, run: [sh, -c, "echo working as $MUSTER_RANK"]}
        """)
    ended = server.wait_end(server.submit(job))
    assert ended["state"] == "succeeded"
    ranks = {r["rank"]: r for r in ended["ranks"]}
    assert ranks[0]["role"] == "ps" and ranks[0]["exit"]["stopped_by"] == "role_end"
    assert [ranks[r]["exit"]["class"] for r in range(1, 5)] == ["succeeded"] * 4


def test_why_counts_devices_and_suggests_a_change(start_server):
    server = start_server("--nodes", "2x8npu")
    server.submit("-g", "npu:5", "--time", "1h", "--", "sleep", "1000")
    job_id = server.submit("-N", "2", "-g", "npu:8", "--", "true")
    text = server.run("why", job_id).stdout
    assert "needs 8 npu on each of 2 nodes" in text
    assert re.search(r"free now: (8 and 3|3 and 8)", text), text
    assert "job 1 holds 5" in text and "until about" in text
    assert "-N 1" in text
    answer = server.get(f"/jobs/{job_id}/why")
    assert answer["position"] == 1 and answer["can_ever_fit"]


def test_job_too_large_for_every_node_is_queued_with_the_reason(server):
    job_id = server.submit("-g", "npu:64", "--", "true")
    assert server.job(job_id)["state"] == "queued"
    assert server.get(f"/jobs/{job_id}/why")["can_ever_fit"] is False
    assert server.wait_end(server.submit("--", "true"))["state"] == "succeeded"  # nobody waits behind it


def test_higher_priority_preempts_and_the_preempted_job_returns(start_server):
    server = start_server("--nodes", "1x2npu")
    low = server.submit("-g", "npu:2", "--preemptible", "--", "sh", "-c",
                        "echo attempt $MUSTER_ATTEMPT; [ $MUSTER_ATTEMPT = 2 ] || exec sleep 1000")
    server.wait_state(low, "running")
    high = server.submit("-g", "npu:2", "--priority", "10", "--", "true")
    assert server.wait_end(high)["state"] == "succeeded"
    ended = server.wait_end(low)
    assert ended["state"] == "succeeded"
    assert ended["attempts"][0]["exit"]["stopped_by"] == "preemption"


def test_stop_shows_the_cleanup_proof(server):
    script = "trap '' TERM; setsid sleep 1000 & (setsid setsid sleep 1000 &) ; echo ready; sleep 1000"
    job_id = server.submit("-g", "npu:2", "--", "sh", "-c", script)
    wait_until(lambda: b"ready" in server.rank_log(job_id) and b"ready" in server.rank_log(job_id, 1))
    result = server.run("stop", job_id, timeout=60)
    assert not marked_processes(server.data)
    job = server.job(job_id)
    assert job["state"] == "stopped"
    clean = job["attempts"][0]["nodes"][0]["clean"]
    assert clean["left"] == 0 and clean["killed"] > 0 and "sleep" in clean["names"]
    assert str(clean["killed"]) in result.stdout + result.stderr


def test_code_folder_is_stored_once_and_respects_ignore_files(server, scratch):
    code = scratch / "code"
    (code / "lib").mkdir(parents=True)
    (code / "main.sh").write_text("cat lib/data; ls; echo $0 > written\n")
    (code / "lib/data").write_text("data\n")
    (code / "big.bin").write_bytes(b"x" * 100000)
    (code / ".gitignore").write_text("*.bin\n")
    (code / ".musterignore").write_text("notes/\n")
    (code / "notes").mkdir()
    (code / "notes/private").write_text("no\n")
    job = write_job(scratch, "code: ./code\nrun: main.sh\n")
    first = server.run("run", job)
    assert "data" in first.stdout and "big.bin" not in first.stdout and "notes" not in first.stdout
    (code / "lib/data").write_text("changed meanwhile\n")
    assert "written" not in [p.name for p in code.iterdir()]
    ids = [j["id"] for j in server.get("/jobs")["jobs"]]
    again = server.run("rerun", ids[0])
    assert server.wait_end(ids[0] + 1)["state"] == "succeeded", again.stdout
    assert server.rank_log(ids[0] + 1).decode().startswith("data\n")


def test_unused_code_is_removed_with_its_last_job(server, scratch):
    code = scratch / "code"
    code.mkdir()
    (code / "main.sh").write_text("true\n")
    first = server.submit("--code", code, "--", "sh", "main.sh")
    second = server.submit("--code", code, "--", "sh", "main.sh")
    for job_id in (first, second):
        assert server.wait_end(job_id)["state"] == "succeeded"
    store = server.data / "code"
    def kept():
        return sorted(path for path in store.glob("**/*") if path.is_file())
    assert len(kept()) == 2  # a blob, and the tree's link to it
    for path in [store, *store.glob("**/*")]:
        os.utime(path, (1000, 1000))  # what is young might be about to be used
    server.run("rm", first)
    wait_until(lambda: not (server.data / f"jobs/{first}").exists())
    server.run("rerun", second)  # its code is still there
    server.wait_end(second + 1)
    for job_id in (second, second + 1):
        assert len(kept()) == 2
        for path in [store, *store.glob("**/*")]:
            os.utime(path, (1000, 1000))
        server.run("rm", job_id)
    wait_until(lambda: not kept(), 30, "unused code to go")


def test_jobs_are_listed_newest_first_by_pages(server):
    ids = [server.submit("-J", f"job-{i}", "--", "true") for i in range(5)]
    for job_id in ids:
        server.wait_end(job_id)
    page = server.get("/jobs?limit=2")
    assert [j["id"] for j in page["jobs"]] == [ids[4], ids[3]]
    rest = server.get(f"/jobs?limit=10&before={page['next']}")
    assert [j["id"] for j in rest["jobs"]] == ids[2::-1] and rest["next"] is None
    assert [j["id"] for j in server.get("/jobs?name=job-2")["jobs"]] == [ids[2]]
    assert server.get("/jobs?state=running,queued")["jobs"] == []


def test_removed_job_and_its_folder_are_gone(server):
    job_id = server.submit("--", "true")
    server.wait_end(job_id)
    server.run("rm", job_id)
    assert server.run("describe", job_id, check=False).returncode != 0
    wait_until(lambda: not (server.data / f"jobs/{job_id}").exists())
    assert server.submit("--", "true") > job_id
