"""Real training on real pictures: four ranks on two nodes, started by the framework's variables alone."""
import os
import re
import signal

import pytest

import real

ENVIRONMENTS = ["mindspore", "paddle", "tensorflow", "horovod", "pytorch", "pytorch2"]
STEPS = 40


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2cpu")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_four_ranks_train_the_same_model_and_save_it(cluster, environment):
    job = cluster.wait_end(real.submit_training(cluster, environment, steps=STEPS), real.PATIENCE)
    text = real.output(cluster, job)
    assert sorted(re.findall(r"rank (\d)/4 sum (\S+)", text)) == [(str(rank), "10.0") for rank in range(4)]
    for rank in range(4):
        losses = [float(loss) for loss in re.findall(rf"rank {rank} step \d+/{STEPS} loss: (\S+)", text)]
        assert len(losses) == STEPS
        assert sum(losses[-5:]) < 0.7 * sum(losses[:5]), losses
    digests = re.findall(r"rank \d weights (\w+)", text)
    assert len(digests) == 4 and len(set(digests)) == 1, digests
    # Of ten kinds of clothes; guessing finds a tenth.
    assert float(re.search(r"rank 0 checkpoint accuracy: (\S+)", text).group(1)) > 0.5
    assert any((cluster.data / f"jobs/{job['id']}/outputs/train_url").iterdir())


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_killed_rank_is_the_cause_and_others_are_stopped(cluster, environment, capsys):
    job_id = real.submit_training(cluster, environment, each=1, steps=100_000)
    job = real.wait_for_step(cluster, job_id, 3, range(2))
    os.kill(next(r["pid"] for r in job["ranks"] if r["rank"] == 1), signal.SIGKILL)
    job = cluster.wait_end(job_id, real.PATIENCE)
    assert job["state"] == "failed"
    assert re.match(r"rank 1 \(worker\) on \S+ failed( first)?: was killed by SIGKILL", job["verdict"]["headline"]), job["verdict"]
    assert job["verdict"]["cause"] == "killed" and job["verdict"]["retry_makes_sense"]
    ended = {r["rank"]: r["ended_ms"] for r in job["ranks"]}
    took = (max(ended.values()) - ended[1]) / 1000
    with capsys.disabled():
        print(f" {environment}: all ranks had ended {took:.2f} s after the killed one ", end="", flush=True)
    assert took < 10, ended  # 2 s on a machine that has nothing else to do


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_verdict_shows_the_exception_despite_framework_output(cluster, environment):
    job = cluster.wait_end(real.submit_training(cluster, environment, each=1, steps=100_000, fail_rank=1, fail_step=3), real.PATIENCE)
    assert job["state"] == "failed"
    # Its peers may lose it, and end, before it has ended itself.
    assert job["verdict"]["rank"] == 1 and job["verdict"]["headline"].startswith("rank 1 (worker) on "), job["verdict"]
    assert job["verdict"]["cause"] == "python_error", job["verdict"]
    assert job["verdict"]["evidence"][-1].endswith("ValueError: the label of picture 17 is out of range"), job["verdict"]
