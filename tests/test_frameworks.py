"""Frameworks as they come from Debian: PyTorch's env:// and torchrun, Open MPI through the login stand-in."""
import json
import re

import pytest
from conftest import PYTHON, ROOT

ALL_REDUCE = """
import os, torch, torch.distributed as dist
dist.init_process_group("gloo")
t = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(t)
print("rank", dist.get_rank(), "of", dist.get_world_size(), "local", os.environ["LOCAL_RANK"], "sum", t.item(), flush=True)
"""


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2npu+2cpu")


def output(server, job):
    assert job["state"] == "succeeded", (job["reason"], [server.rank_log(job["id"], r["rank"])[-2000:] for r in job["ranks"]])
    return "".join(server.rank_log(job["id"], r["rank"]).decode() for r in job["ranks"])


def test_pytorch_ranks_meet_over_two_nodes(cluster, scratch):
    (scratch / "reduce.py").write_text(ALL_REDUCE)
    job = cluster.submit("-f", "pytorch", "-N", "2", "-g", "npu:2", "--python", PYTHON, "--", PYTHON, "reduce.py", cwd=scratch)
    text = output(cluster, cluster.wait_end(job, 120))
    assert sorted(re.findall(r"rank (\d) of 4 local (\d) sum (\S+)", text)) == [
        ("0", "0", "10.0"), ("1", "1", "10.0"), ("2", "0", "10.0"), ("3", "1", "10.0")]


def test_torchrun_inside_a_job_needs_no_flags(cluster, scratch):
    (scratch / "reduce.py").write_text(ALL_REDUCE)
    job = cluster.submit("-f", "pytorch", "-N", "2", "-g", "npu:2", "--", "torchrun", "reduce.py", cwd=scratch)
    text = output(cluster, cluster.wait_end(job, 180))
    assert len(re.findall(r"rank \d of 4 local \d sum 10.0", text)) == 4


def test_mpirun_reaches_the_other_node_without_ssh(cluster):
    script = "echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE on $(hostname)"
    job = cluster.wait_end(cluster.submit("-f", "mpi", "-N", "2", "-g", "npu:2", "--", "sh", "-c", script), 60)
    text = output(cluster, job)
    assert sorted(re.findall(r"rank (\d) of 4", text)) == ["0", "1", "2", "3"]
    if not any(n["notes"] for n in job["attempts"][0]["nodes"]):
        assert len(set(re.findall(r"on (\S+)", text))) == 2, text


def test_mpirun_given_by_the_user_finds_the_hosts_by_itself(cluster):
    job = cluster.wait_end(cluster.submit("-f", "mpi", "-N", "2", "-g", "npu:2", "--", "mpirun", "-np", "4", "hostname"), 60)
    assert len(output(cluster, job).split()) >= 4


def test_a_failing_mpi_rank_fails_the_job_with_its_code(cluster):
    job = cluster.wait_end(cluster.submit("-f", "mpi", "-N", "2", "-g", "npu:2", "--", "sh", "-c", "exit $((OMPI_COMM_WORLD_RANK * 7))"), 60)
    assert job["state"] == "failed"
    assert job["attempts"][0]["exit"]["class"] == "exit_code"


def test_plan_prints_what_a_rank_then_really_gets(cluster):
    flags = ("-f", "pytorch", "-N", "2", "-g", "npu:2", "--", "env")
    planned = json.loads(cluster.run("plan", "--json", *flags).stdout)["nodes"]
    job = cluster.wait_end(cluster.submit(*flags))
    for order in planned:
        for rank in order["ranks"]:
            real = dict(line.split("=", 1) for line in cluster.rank_log(job["id"], rank["rank"]).decode().splitlines() if "=" in line)
            wanted = {**order["env"], **rank["env"]}
            for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "ASCEND_RT_VISIBLE_DEVICES"):
                assert real[name] == wanted[name], name


def test_the_example_trains(cluster):
    """The demo, shortened: 6,000 pictures, one epoch."""
    job = cluster.submit(ROOT / "examples/fashion-mnist/job.yaml", "--param", "limit=6000", "--param", "epochs=1", "--param", "target=0.7")
    ended = cluster.wait_end(job, 120)
    assert "done: accuracy:" in output(cluster, ended)
    folder = cluster.data / f"jobs/{job}/outputs/train_url"
    last = json.loads((folder / "metrics.jsonl").read_text().splitlines()[-1])
    assert last["event"] == "end" and last["accuracy"] > 0.7
    assert ended["progress"]["values"]["accuracy"] == last["accuracy"]
    assert (folder / "checkpoint.pt").exists()
