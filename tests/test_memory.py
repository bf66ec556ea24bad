"""Memory as a resource: jobs that say how much they need share what the machine has."""
import os
import subprocess

import pytest
from conftest import MUSTER, wait_until


@pytest.fixture
def server(start_server):
    return start_server("--nodes", "2x4npu+4cpu", "--memory", "2G")


def test_impossible_request_is_refused_with_the_limit(server):
    result = server.run("run", "-d", "-m", "100G", "--", "true", check=False)
    assert result.returncode == 2
    assert "resources.memory: found 100 GiB, expected at most 2 GiB for the node" in result.stderr
    result = server.run("run", "-d", "-N", "2", "-m", "1500M", "--", "true", check=False)
    assert result.returncode == 2 and "at most 2 GiB for all nodes of the job together" in result.stderr
    assert server.get("/jobs")["jobs"] == []


def test_jobs_wait_until_their_memory_is_free(server):
    first = server.submit("-m", "800M", "--", "sleep", "1000")
    server.wait_state(first, "running")
    second = server.submit("-m", "1700M", "--", "sh", "-c", "echo done")
    unlimited = server.submit("--", "true")
    assert server.wait_end(unlimited)["state"] == "succeeded"
    assert server.job(second)["state"] == "queued"
    why = server.run("why", second).stdout
    assert "with 1.6 GiB of memory" in why and "; 1.2 GiB of memory" in why
    assert f"job {first} holds 1 and 800 MiB of memory" in why and "with -m 1248M it would start now" in why
    nodes = server.get("/nodes")["nodes"]
    assert [node["memory"] for node in nodes] == [{"total": 2 << 30, "used": 800 << 20}] * 2
    assert len({node["machine"] for node in nodes}) == 1
    assert "800 MiB/2 GiB" in server.run("nodes").stdout
    delaying = server.submit("-m", "600M", "--", "true")
    beside = server.submit("-m", "300M", "--", "true")
    assert server.wait_end(beside)["state"] == "succeeded", "it fits beside the job in front"
    assert server.job(delaying)["state"] == "queued", "it would delay the job in front"
    server.run("stop", first)
    for job_id in (second, delaying):
        assert server.wait_end(job_id)["state"] == "succeeded"
    assert server.rank_log(second) == b"done\n"
    wait_until(lambda: server.get("/nodes")["nodes"][0]["memory"]["used"] == 0, what="the memory to be free")


def test_virtual_nodes_of_one_job_use_memory_of_one_machine(server):
    job_id = server.submit("-N", "2", "-m", "900M", "--", "sleep", "1000")
    server.wait_state(job_id, "running")
    assert server.get("/nodes")["nodes"][0]["memory"]["used"] == 1800 << 20
    waits = server.submit("-m", "300M", "--", "true")
    assert "holds" in server.run("why", waits).stdout
    server.run("stop", job_id)
    assert server.wait_end(waits)["state"] == "succeeded"


def test_memory_is_still_counted_after_a_restart(server):
    first = server.submit("-m", "1500M", "--", "sleep", "1000")
    server.wait_state(first, "running")
    server.kill()
    server.start()
    second = server.submit("-m", "1500M", "--", "true")
    assert server.get("/nodes")["nodes"][0]["memory"]["used"] == 1500 << 20
    assert server.job(second)["state"] == "queued"
    server.run("stop", first)
    assert server.wait_end(second)["state"] == "succeeded"


def test_machine_keeps_a_reserve_by_default(start_server):
    server = start_server(name="real")
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    memory = server.get("/nodes")["nodes"][0]["memory"]["total"]
    assert 0 < memory <= total - (512 << 20)
    refused = server.run("run", "-d", "-m", str(total), "--", "true", check=False)
    assert refused.returncode == 2 and "resources.memory" in refused.stderr


@pytest.mark.parametrize("value", ["much", "0", "-1G", "1K"])
def test_bad_size_of_the_servers_memory_is_refused(scratch, value):
    result = subprocess.run([MUSTER, "server", "--data", str(scratch / "d"), f"--memory={value}"], capture_output=True, text=True, timeout=20)
    assert result.returncode == 2 and "memory" in result.stderr and not (scratch / "d").exists()
