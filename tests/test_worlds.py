"""Ranks that do not form one world: what the launcher sees of their connections, and where it says so."""
import pytest
from conftest import PYTHON

APART = "have not connected to each other"
# Trains without a word to the other ranks, as a script does that starts no distributed training.
ALONE = """
import sys, time
for step in range(int(sys.argv[1])):
    print(f"step {step} loss {1 / (step + 1):.4f}", flush=True)
    time.sleep(0.1)
"""
# Connects to all others for an instant, and works on alone.
BRIEFLY = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
dist.all_reduce(torch.ones(1))
dist.destroy_process_group()
""" + ALONE
# A launcher of a framework that takes no notice of the other nodes: its ranks are 0 and 1 of 2 everywhere.
EVERY_NODE = """
import os, subprocess, sys
ranks = [subprocess.Popen([sys.executable, "alone.py", "30"], env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"}) for rank in range(2)]
sys.exit(max(rank.wait() for rank in ranks))
"""


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2cpu")


@pytest.fixture
def code(scratch):
    for name, text in (("alone.py", ALONE), ("briefly.py", BRIEFLY), ("every_node.py", EVERY_NODE)):
        (scratch / name).write_text(text)
    return scratch


def run(cluster, code, *words):
    job = cluster.wait_end(cluster.submit(*words, cwd=code), 120)
    assert job["state"] == "succeeded", (job["reason"], cluster.rank_log(job["id"])[-2000:])
    return job


def notes_of(cluster, job):
    """The notes about connections: those of the job, of its page and of its events, which are the same."""
    on_job = [note for node in job["attempts"][-1]["nodes"] for note in node["notes"] if "control group" not in note]
    in_events = [event["data"]["text"] for event in cluster.get(f"/jobs/{job['id']}/events")["events"] if event["kind"] == "note"]
    page = cluster.run("describe", job["id"]).stdout
    assert on_job == in_events and all(note in page for note in on_job)
    return on_job


@pytest.mark.parametrize("command", [(PYTHON, "alone.py", "40"), ("torchrun", "alone.py", "40")], ids=["env", "torchrun"])
def test_ranks_that_train_without_a_connection_are_noted_in_job_events_and_verdict(cluster, code, command):
    job = run(cluster, code, "-f", "pytorch", "-g", "cpu:2", "--", *command)
    (note,) = notes_of(cluster, job)
    assert note.startswith(f"the 2 ranks of this job {APART}") and "`framework:`" in note
    assert job["verdict"]["cause"] == "separate_worlds" and job["verdict"]["evidence"] == [note]
    assert job["verdict"]["headline"] == "the job succeeded, but its ranks did not form one world"


def test_run_prints_the_note_of_a_job_that_succeeded(cluster, code):
    result = cluster.run("run", "-f", "pytorch", "-g", "cpu:2", "--", PYTHON, "alone.py", "40", cwd=code)
    assert APART in result.stdout + result.stderr and "succeeded" in result.stdout + result.stderr


@pytest.mark.parametrize("command", [(PYTHON, "briefly.py", "30"), ("torchrun", "briefly.py", "1")], ids=["env", "torchrun"])
def test_ranks_that_connect_are_not_noted(cluster, code, command):
    job = run(cluster, code, "-f", "pytorch", "-N", "2", "-g", "cpu:2", "--", *command)
    assert notes_of(cluster, job) == [] and job["verdict"] is None


def test_independent_ranks_without_a_framework_get_a_note_and_no_verdict(cluster, code):
    job = run(cluster, code, "-N", "2", "-g", "cpu:2", "--", PYTHON, "alone.py", "40")
    (note,) = notes_of(cluster, job)
    assert note.startswith(f"the 4 ranks of this job {APART}") and job["verdict"] is None


def test_one_rank_gets_no_note(cluster, code):
    job = run(cluster, code, "-g", "cpu:1", "-f", "pytorch", "--", PYTHON, "alone.py", "30")
    assert notes_of(cluster, job) == [] and job["verdict"] is None


def test_nodes_that_start_the_same_ranks_are_noted_while_they_run(cluster, code):
    job = run(cluster, code, "-N", "2", "-g", "cpu:2", "--", PYTHON, "every_node.py")
    (note,) = [note for note in notes_of(cluster, job) if "started the same ranks" in note]
    assert note.startswith("nodes 0, 1 started the same ranks of the framework (0, 1)")
    assert job["verdict"]["cause"] == "separate_worlds"


@pytest.mark.parametrize("words, found", [
    (("torchrun", "--standalone", "--nproc_per_node=2", "alone.py"), "--standalone of torchrun, expected a launcher that meets on 2 nodes"),
    (("torchrun", "--nnodes=1", "alone.py"), "--nnodes=1 of torchrun, expected 2, the nodes of the job"),
    (("torchrun", "--nproc_per_node=4", "alone.py"), "--nproc_per_node=4 of torchrun, expected at most 2, the ranks on each node")])
def test_flags_that_contradict_the_shape_are_refused_at_submit(cluster, code, words, found):
    result = cluster.run("run", "-d", "-f", "pytorch", "-N", "2", "-g", "cpu:2", "--", *words, cwd=code, check=False)
    assert result.returncode == 2 and found in result.stderr, result.stderr
    assert cluster.get("/jobs")["jobs"] == []


def test_standalone_on_one_node_is_taken(cluster, code):
    run(cluster, code, "-f", "pytorch", "-g", "cpu:2", "--", "torchrun", "--standalone", "--nproc_per_node=2", "alone.py", "1")
