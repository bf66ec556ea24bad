"""The frameworks' own launchers inside a job: called as their manuals say, told by Muster who and where they are."""
import re

import pytest

import real


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2cpu")


LAUNCHERS = {
    "mindspore": "msrun train_mindspore.py",
    "paddle": "python -m paddle.distributed.launch train_paddle.py",
    "horovod": "horovodrun python train_horovod.py",
    "pytorch": "torchrun train_pytorch.py",
    "pytorch2": "torchrun train_pytorch.py",
}


def everything_said(cluster, job):
    """The outputs of the job's own processes, and the files in which launchers keep those of the ranks."""
    text = real.output(cluster, job)
    folder = cluster.data / f"jobs/{job['id']}/attempts/1"
    kept = [path for name in ("msrun", "paddle", "torchrun") for path in folder.glob(f"node*/{name}/**/*") if path.is_file()]
    return text + "\n".join(path.read_text(errors="replace") for path in kept)


def assert_four_ranks_agree(text):
    assert {rank for rank, total in re.findall(r"rank (\d)/4 sum (\S+)", text) if total == "10.0"} == set("0123"), text[-6000:]
    digests = dict(re.findall(r"rank (\d) weights (\w+)", text))
    assert len(digests) == 4 and len(set(digests.values())) == 1, digests


@pytest.mark.parametrize("environment", LAUNCHERS)
def test_a_launcher_is_told_nothing_by_hand(cluster, environment):
    job = real.submit_training(cluster, environment, run=LAUNCHERS[environment], steps=5)
    assert_four_ranks_agree(everything_said(cluster, cluster.wait_end(job, real.PATIENCE)))


@pytest.mark.parametrize("environment", LAUNCHERS)
def test_an_error_is_found_behind_a_launcher(cluster, environment):
    """The second rank of a node: the one whose output some launchers keep to themselves."""
    job = real.submit_training(cluster, environment, run=LAUNCHERS[environment], steps=100_000, fail_rank=1, fail_step=3)
    job = cluster.wait_end(job, real.PATIENCE)
    assert job["state"] == "failed"
    assert job["verdict"]["rank"] == 0, job["verdict"]  # the launcher of the first node
    assert job["verdict"]["cause"] == "python_error", job["verdict"]
    assert job["verdict"]["evidence"][-1].endswith("ValueError: the label of picture 17 is out of range"), job["verdict"]
