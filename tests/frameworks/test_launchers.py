"""The frameworks' own launchers inside a job: called as their manuals say, told by Muster who and where they are."""
import os
import re
import signal
import time

import pytest

import real


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2cpu")


# Which environment it belongs to, and what the job runs.
LAUNCHERS = {
    "msrun": ("mindspore", "msrun train_mindspore.py"),
    "paddle": ("paddle", "python -m paddle.distributed.launch train_paddle.py"),
    "horovodrun": ("horovod", "horovodrun --gloo python train_horovod.py"),
    "horovodrun-mpi": ("horovod", "horovodrun --mpi python train_horovod.py"),
    "mpirun": ("horovod", "mpirun python train_horovod.py"),
    "torchrun": ("pytorch", "torchrun train_pytorch.py"),
    "torchrun2": ("pytorch2", "torchrun train_pytorch.py"),
}


def submit(cluster, launcher, **parameters):
    environment, run = LAUNCHERS[launcher]
    return real.submit_training(cluster, environment, run=run, **parameters)


def said_so_far(cluster, job):
    """The outputs of the job's own processes, and the files in which launchers keep those of the ranks."""
    folder = cluster.data / f"jobs/{job['id']}/attempts/1"
    kept = [path for name in ("msrun", "paddle", "torchrun") for path in folder.glob(f"node*/{name}/**/*") if path.is_file()]
    return "\n".join([real.log_of(cluster, job, r["rank"]) for r in job["ranks"]] + [path.read_text(errors="replace") for path in kept])


def everything_said(cluster, job):
    real.output(cluster, job)
    return said_so_far(cluster, job)


def assert_four_ranks_agree(text):
    assert {rank for rank, total in re.findall(r"rank (\d)/4 sum (\S+)", text) if total == "10.0"} == set("0123"), text[-6000:]
    digests = dict(re.findall(r"rank (\d) weights (\w+)", text))
    assert len(digests) == 4 and len(set(digests.values())) == 1, digests


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_framework_launcher_needs_no_flags(cluster, launcher):
    job = submit(cluster, launcher, steps=5)
    assert_four_ranks_agree(everything_said(cluster, cluster.wait_end(job, real.PATIENCE)))


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_exception_below_a_framework_launcher_is_found(cluster, launcher):
    """The second rank of a node: the one whose output some launchers keep to themselves."""
    job = cluster.wait_end(submit(cluster, launcher, nodes=1, steps=100_000, fail_rank=1, fail_step=3), real.PATIENCE)
    assert job["state"] == "failed"
    assert job["verdict"]["rank"] == 0, job["verdict"]  # the launcher of the first node
    assert job["verdict"]["cause"] == "python_error", job["verdict"]
    assert job["verdict"]["evidence"][-1].endswith("ValueError: the label of picture 17 is out of range"), job["verdict"]


def wait_for_training(cluster, job_id):
    """Until both ranks have made three steps; the process of each."""
    deadline = time.monotonic() + real.PATIENCE
    while True:
        job = cluster.job(job_id)
        text = said_so_far(cluster, job)
        if len(set(re.findall(r"rank (\d) step 3/", text))) == 2:
            return {int(rank): int(pid) for rank, pid in re.findall(r"rank (\d)/2 sum \S+ pid (\d+)", text)}
        assert job["state"] in ("queued", "starting", "running") and time.monotonic() < deadline, (job["verdict"], text[-6000:])
        time.sleep(0.1)


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_rank_killed_below_a_framework_launcher_is_the_cause(cluster, launcher, capsys):
    job_id = submit(cluster, launcher, each=1, steps=100_000)
    pids = wait_for_training(cluster, job_id)
    killed = time.time()
    os.kill(pids[1], signal.SIGKILL)  # on the second node
    job = cluster.wait_end(job_id, real.PATIENCE)
    took = max(r["ended_ms"] for r in job["ranks"]) / 1000 - killed
    with capsys.disabled():
        print(f" {launcher}: all had ended {took:.2f} s after the kill ", end="", flush=True)
    assert job["state"] == "failed"
    assert job["verdict"]["cause"] == "killed" and job["verdict"]["retry_makes_sense"], (job["verdict"], said_so_far(cluster, job)[-6000:])
    assert job["verdict"]["headline"].endswith("of its launcher was killed by SIGKILL"), job["verdict"]
    assert took < 10  # 2 s on a machine that has nothing else to do
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids.values())


def test_msrun_on_a_real_node_starts_no_scheduler(start_server):
    machine = start_server()
    job_id = real.submit_training(machine, "mindspore", run="msrun train_mindspore.py", nodes=1, each=2, steps=100_000)
    pids = wait_for_training(machine, job_id)
    killed = time.time()
    os.kill(pids[1], signal.SIGKILL)
    job = machine.wait_end(job_id, real.PATIENCE)
    assert job["verdict"]["cause"] == "killed", job["verdict"]
    assert max(r["ended_ms"] for r in job["ranks"]) / 1000 - killed < 20  # with one of its own it takes more than a minute


def test_host_discovery_script_lists_the_hosts(cluster):
    run = ("horovodrun --gloo -np 4 --min-np 4 --network-interface lo --host-discovery-script $MUSTER_HOST_DISCOVERY "
           "python train_horovod_elastic.py")
    job = real.submit_training(cluster, "horovod", run=run, launch={"start": "horovodrun"}, steps=5)
    assert_four_ranks_agree(everything_said(cluster, cluster.wait_end(job, real.PATIENCE)))
