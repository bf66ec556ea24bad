"""The idempotency key of POST /jobs: the same request again gets the same jobs, another request with the key is refused."""
import concurrent.futures

import pytest


@pytest.fixture
def server(start_server):
    return start_server("--nodes", "1x2cpu")


def submit(server, path, body, key="one"):
    status, answer, _ = server.request("POST", path, body, {"Idempotency-Key": key})
    return status, answer.decode()


def ids(server):
    return sorted(job["id"] for job in server.get("/jobs")["jobs"])


def test_key_with_another_body_is_a_conflict(server):
    spec = {"spec": {"name": "n", "run": "true", "parameters": {"lr": 1}}}
    assert submit(server, "/jobs", spec)[0] == 201
    for _ in "ab":
        status, answer = submit(server, "/jobs", spec)
        assert status == 200 and '"repeated":true' in answer.replace(" ", "")
        for other in ({"name": "n", "run": "false", "parameters": {"lr": 1}}, {"name": "n", "run": "true", "parameters": {"lr": 2}}, {"run": "true"}):
            status, answer = submit(server, "/jobs", {"spec": other})
            assert status == 409 and "idempotency key" in answer
        server.kill()
        server.start()
    assert len(ids(server)) == 1
    assert submit(server, "/jobs", {"spec": {"run": "false"}}, "two")[0] == 201


def test_key_of_a_sweep_is_compared_as_a_whole(server):
    spec = {"spec": {"name": "n", "run": "true", "sweep": {"lr": [1, 2]}}}
    assert submit(server, "/jobs", spec)[0] == 201
    made = ids(server)
    assert submit(server, "/jobs", spec)[0] == 200
    assert submit(server, "/jobs", {"spec": {"name": "n", "run": "true", "sweep": {"lr": [1, 3]}}})[0] == 409
    assert ids(server) == made and len(made) == 2


def test_key_of_a_rerun_is_no_key_of_another_job(server):
    first = int(server.run("run", "-d", "-C", "none", "-J", "a", "--", "true").stdout.split()[0])
    other = int(server.run("run", "-d", "-C", "none", "-J", "b", "--", "true").stdout.split()[0])
    for job in first, other:
        server.wait_end(job)
    assert submit(server, f"/jobs/{first}/rerun", {})[0] == 201
    assert submit(server, f"/jobs/{first}/rerun", {})[0] == 200
    assert submit(server, f"/jobs/{other}/rerun", {})[0] == 409
    assert len(ids(server)) == 3


def test_requests_at_the_same_time_make_one_job(server):
    bodies = [{"spec": {"name": "n", "run": "true", "parameters": {"lr": i % 2}}} for i in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = [status for status, _ in pool.map(lambda body: submit(server, "/jobs", body), bodies)]
    assert sorted(answers) == [200] * 3 + [201] + [409] * 4 and len(ids(server)) == 1
