"""Changing queued jobs, repeating jobs with other parameters, and standard input of `muster run`."""
import json
import os
import subprocess

import pytest

from conftest import MUSTER, wait_until


@pytest.fixture
def busy(start_server):
    """A server with one cpu, and the id of a job that occupies it until its file `go` is there."""
    server = start_server("--nodes", "1x1cpu")
    job = server.submit("-g", "cpu:1", "--", "sh -c 'while [ ! -e $MUSTER_JOB_DIR/go ]; do sleep 0.02; done'")
    server.wait_state(job, "running")
    return server, job


def let_go(server, job):
    (server.data / f"jobs/{job}/go").touch()
    server.wait_end(job)


def started(server, job):
    return server.job(job)["attempts"][0]["started_ms"]


def test_priority_and_time_limit_of_a_queued_job_change_for_good(busy):
    server, first = busy
    one, two = (server.submit("-g", "cpu:1", "--", "true") for _ in range(2))
    assert server.run("update", two, "--priority", "10", "--time", "2h").stdout == f"job {two} is changed\n"
    job = server.job(two)
    assert job["priority"] == 10 and job["spec"]["priority"] == 10
    assert job["spec"]["limits"]["time"] == "7200s"
    assert [row["priority"] for row in json.loads(server.run("ps", "-a", "--json").stdout)["jobs"] if row["id"] == two] == [10]
    server.kill()
    server.start()
    assert server.job(two)["spec"]["priority"] == 10
    let_go(server, first)
    server.wait_end(one), server.wait_end(two)
    assert started(server, two) <= started(server, one)


def test_a_held_job_starts_when_it_is_released(busy):
    server, first = busy
    one, two = (server.submit("-g", "cpu:1", "--", "true") for _ in range(2))
    assert server.run("hold", one).stdout == f"job {one} is held\n"
    assert server.job(one)["reason"].startswith("held by ")
    assert f"muster release {one}" in server.run("why", one).stdout
    server.kill()
    server.start()
    let_go(server, first)
    server.wait_end(two)
    assert server.job(one)["state"] == "queued", "a restart of the server does not release it"
    server.run("release", one)
    assert server.wait_end(one)["state"] == "succeeded"
    events = json.loads(server.run("events", one, "--json").stdout)["events"]
    assert [event["data"]["held"] for event in events if event["kind"] == "updated"] == [True, False]


def test_only_queued_jobs_can_be_changed(busy):
    server, first = busy
    for verb in (["update", first, "--priority", "1"], ["hold", first], ["release", first]):
        failed = server.run(*verb, check=False)
        assert failed.returncode == 1 and f"job {first} is running: only queued jobs can be changed" in failed.stderr
    assert "needs --priority or --time" in server.run("update", first, check=False).stderr
    assert "--time" in server.run("update", first, "--time", "soon", check=False).stderr
    for body in ({"time_limit": "1ms"}, {"priority": 1001}, {"priority": -10**12}, {"time": "2h"}):
        assert server.request("POST", f"/jobs/{first}/update", body)[0] == 400
    queued = server.submit("-g", "cpu:1", "--", "true")
    assert server.run("hold", queued).returncode == 0
    assert server.run("stop", queued).returncode == 0, "a held job can be stopped"
    assert server.job(queued)["state"] == "stopped"


def test_rerun_with_other_parameters_names_the_job_that_it_repeats(server, scratch):
    (scratch / "job.yaml").write_text("run: echo\nparameters: {lr: 0.5, epochs: 3}\n")
    first = server.submit("job.yaml", cwd=scratch)
    server.wait_end(first)
    second = int(server.run("rerun", "-d", first, "lr=0.1").stdout)
    job = server.wait_end(second)
    assert job["derived_from"] == first and job["changed_parameters"] == {"lr": "0.1"}
    assert job["spec"]["parameters"]["epochs"] in (3, "3")
    assert server.rank_log(second).decode().split() == ["--lr=0.1", "--epochs=3"]
    assert f"job {first} with lr=0.1" in server.run("describe", second).stdout
    plain = int(server.run("rerun", "-d", first).stdout)
    assert server.wait_end(plain)["derived_from"] == first
    assert server.rank_log(plain).decode().split() == ["--lr=0.5", "--epochs=3"]
    for words, message in (([first, "=1"], "expected a parameter"), (["lr=1"], "needs the id"), ([first, "l r=1"], "l r")):
        failed = server.run("rerun", "-d", *words, check=False)
        assert failed.returncode != 0 and message in failed.stderr, failed.stderr


def test_rerun_of_a_group_submits_each_job(server, scratch):
    swept = [int(word) for word in server.run("run", "-d", "--sweep", "x=1,2", "--", "echo", cwd=scratch).stdout.split()]
    made = [int(word) for word in server.run("rerun", server.job(swept[0])["group"], "y=3").stdout.split()]
    assert [server.wait_end(job)["derived_from"] for job in made] == swept
    assert [server.rank_log(job).decode().split() for job in made] == [["--x=1", "--y=3"], ["--x=2", "--y=3"]]


def run_with_input(server, source, *flags):
    return subprocess.run([MUSTER, "run", *flags, "--", "true"], env=server.env, stdin=source, capture_output=True, text=True, timeout=60)


def test_data_on_standard_input_is_refused(server, scratch):
    (scratch / "numbers").write_text("1 2 3\n")
    (scratch / "empty").touch()
    reader, writer = os.pipe()
    os.write(writer, b"x")
    with open(scratch / "numbers") as data:
        for source in (data, reader):
            refused = run_with_input(server, source)
            assert refused.returncode == 2 and "standard input has data" in refused.stderr and "/dev/null" in refused.stderr
        assert run_with_input(server, data, "-d").returncode == 0, "a detached job has no standard input"
    os.read(reader, 1)
    with open(scratch / "empty") as empty:
        for source in (subprocess.DEVNULL, empty, reader):
            assert run_with_input(server, source).returncode == 0
    os.close(reader), os.close(writer)
    assert json.loads(server.run("ps", "-a", "--json").stdout)["jobs"][-1]["id"] == 1, "nothing was submitted before"
