"""Every example's job file is good, and those whose framework or stand-in is here run."""
import json
import pathlib
import subprocess
import sys

import pytest
from conftest import PYTHON, ROOT

EXAMPLES = ROOT / "examples"
JOBS = sorted(EXAMPLES.glob("*/*.yaml"))


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x8npu+8gpu+8cpu")


def name_of(path):
    return f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("path", JOBS, ids=name_of)
def test_example_can_be_planned_and_its_readme_names_requirements(cluster, path):
    plan = json.loads(cluster.run("plan", "--offline", "--json", path).stdout)
    ranks = [rank for node in plan["nodes"] for rank in node["ranks"]]
    assert ranks and len({rank["rank"] for rank in ranks}) == len(ranks)
    if path.parent.name != "fashion-mnist":
        assert "Needs" in (path.parent / "README.md").read_text()


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/*.py")), ids=name_of)
def test_doctor_has_no_findings_in_the_examples(cluster, path):
    result = cluster.run("doctor", "--json", path)
    (file,) = json.loads(result.stdout)["files"]
    assert file["findings"] == []


def run(cluster, path, *words):
    """Runs one to its end; the log of the first rank."""
    job = cluster.submit(path, "--python", PYTHON, *words)
    ended = cluster.wait_end(job, seconds=240)
    assert ended["state"] == "succeeded", cluster.rank_log(job, 0).decode()
    return ended, cluster.rank_log(job, 0).decode()


def losses(log):
    return [float(line.rpartition("loss")[2].replace("is", "").split()[0]) for line in log.splitlines() if "loss" in line]


def test_paddle_ranks_train_together(cluster):
    job, log = run(cluster, EXAMPLES / "paddle-collective/job.yaml", "-g", "gpu:2", "-p", "steps=40")
    assert len(job["ranks"]) == 4
    assert len(losses(log)) == 40 and losses(log)[-1] < losses(log)[0] / 2


def test_ranks_find_their_entry_in_the_rank_table(cluster):
    job, log = run(cluster, EXAMPLES / "rank-table/job.yaml", "-g", "npu:2")
    assert "rank 0 of 4 is device 0" in log and losses(log)[-1] < losses(log)[0]
    said = [cluster.rank_log(job["id"], rank).decode() for rank in range(4)]
    assert [f"rank {r} of 4 is device {r % 2}" in said[r] for r in range(4)] == [True] * 4


def test_horovod_ranks_train_on_real_images(cluster):
    if not pathlib.Path("/usr/share/datasets/fashion-mnist").is_dir():
        pytest.skip("dataset-fashion-mnist is not installed")
    _, log = run(cluster, EXAMPLES / "rank-table/horovod.yaml", "-g", "gpu:2", "-p", "limit=4000")
    assert losses(log)[-1] < losses(log)[0]


def test_a_boot_file_gets_data_and_train_url(cluster, scratch):
    subprocess.run([sys.executable, EXAMPLES / "modelarts-cifar10/make_data.py", scratch / "cifar"], check=True, timeout=60)
    job, log = run(cluster, EXAMPLES / "modelarts-cifar10/job.yaml", "-g", "npu:2", "-i", f"data_url={scratch / 'cifar'}")
    assert "epoch: 2 step: 8, loss is" in log and losses(log)[-1] < losses(log)[0]
    (folder,) = job["folders"]["outputs"].values()
    assert (pathlib.Path(folder) / "net.pt").exists() or (pathlib.Path(folder) / "net.ckpt").exists()
