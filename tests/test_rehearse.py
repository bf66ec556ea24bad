"""`muster run --rehearse`: a cluster's layout on this machine, and the answer whether it starts there."""
import json
import os
import pathlib
import signal
import subprocess

import pytest
from conftest import MUSTER, PYTHON, wait_until

TORCH = """
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
value = torch.ones(8)
step = 0
while True:
    step += 1
    dist.all_reduce(value)
    value /= dist.get_world_size()
    if dist.get_rank() == 0 and step % 50 == 1:
        print(f"step {step} loss {1 / step:.4f}", flush=True)
"""
# Ranks that meet over plain sockets: all others come to the first, and nobody says a word.
MEETING = """
import os, socket, time

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
place = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
if rank == 0:
    listener = socket.create_server(place)
    others = [listener.accept()[0] for _ in range(world - 1)]
else:
    while True:
        try:
            mine = socket.create_connection(place)
            break
        except OSError:
            time.sleep(0.05)
time.sleep(1000)
"""


@pytest.fixture
def rehearse(scratch):
    """Runs one rehearsal; its exit code and its answer. What it leaves behind must be nothing."""
    home = scratch / "tmp"
    home.mkdir()
    env = {**{k: v for k, v in os.environ.items() if not k.startswith("MUSTER_")}, "TMPDIR": str(home), "NO_COLOR": "1",
           "MUSTER_DATA": str(scratch / "data")}

    def run(script, *words, timeout=300):
        (scratch / "train.py").write_text(script)
        result = subprocess.run([MUSTER, "run", "--rehearse", "--json", *words, "--", PYTHON, "train.py"], env=env, cwd=scratch,
                                capture_output=True, text=True, timeout=timeout)
        assert result.stdout, result.stderr
        return result.returncode, json.loads(result.stdout)

    run.env, run.home = env, home
    yield run
    assert not processes_of(home)


def processes_of(folder):
    """Servers, launchers and ranks that work below a folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes() if entry.name.isdigit() else b""
        except OSError:
            continue
        if f"{folder}/muster-rehearsal".encode() in words:
            found.append(int(entry.name))
    return found


def test_real_pytorch_ranks_start_connect_and_train(rehearse):
    code, answer = rehearse(TORCH, "-N", "2", "-g", "npu:2", "-f", "pytorch")
    assert (code, answer["answer"]) == (0, "yes"), answer
    assert "4 ranks started and trained" in answer["headline"]
    assert "ranks: 4 of 4 started" in answer["seen"]
    assert any("npu devices" in line for line in answer["unknown"])
    assert answer["folder"] == "" and not list(rehearse.home.iterdir())


def test_connected_ranks_without_a_step_are_not_known_to_train(rehearse):
    code, answer = rehearse(MEETING, "-N", "2", "-g", "gpu:2", "-f", "pytorch", "--rehearse-time", "1m")
    assert (code, answer["answer"]) == (3, "not known"), answer
    assert "all 4 ranks started and connected, but no training step was seen" in answer["headline"]


def test_deadlock_before_the_first_barrier_is_not_known(rehearse):
    """Rank 0 never comes to the barrier."""
    script = ("import time, torch.distributed as dist\ndist.init_process_group('gloo')\nif dist.get_rank() == 0:\n    time.sleep(1000)\n"
              "dist.barrier()\nprint('step 1 loss 0.5', flush=True)\n")
    code, answer = rehearse(script, "-g", "cpu:2", "-f", "pytorch", "--rehearse-time", "40s")
    assert (code, answer["answer"]) == (3, "not known"), answer


def test_faulty_job_is_reported_with_cause_and_logs(rehearse):
    code, answer = rehearse("import os, sys\nif os.environ['RANK'] == '3':\n    sys.exit('the fourth rank has no data')\n"
                            "import time\ntime.sleep(1000)\n", "-N", "2", "-g", "npu:2", "-f", "pytorch")
    assert (code, answer["answer"]) == (1, "no"), answer
    assert "rank 3" in answer["headline"]
    (log,) = pathlib.Path(answer["folder"]).glob("*/attempts/*/node*/rank3.log")
    assert "the fourth rank has no data" in log.read_text()


def test_missing_software_on_this_machine_is_not_a_no(rehearse):
    code, answer = rehearse("import a_framework_that_is_not_here\n", "-N", "2", "-g", "npu:8")
    assert (code, answer["answer"]) == (3, "not known"), answer
    assert "this machine cannot rehearse it" in answer["headline"] and "a_framework_that_is_not_here" in answer["headline"]


def test_job_that_succeeds_by_itself_is_a_yes(rehearse):
    code, answer = rehearse("print('done')\n", "-N", "2", "-g", "npu:8")
    assert code == 0 and "16 ranks ran to the end" in answer["headline"]
    assert "end: the whole job ran to its end with code 0" in answer["seen"]


def test_rehearsal_does_not_write_the_jobs_outputs(rehearse, scratch):
    results = scratch / "results"
    results.mkdir()
    script = "import sys\nopen(sys.argv[-1].split('=')[1] + '/model', 'w').write('x')\n"
    code, _ = rehearse(script, "-o", f"train_url={results}")
    assert code == 0 and not list(results.iterdir())


def test_no_observation_in_time_is_not_a_yes(rehearse):
    code, answer = rehearse("import time\ntime.sleep(1000)\n", "-g", "npu:2", "--rehearse-time", "3s")
    assert (code, answer["answer"]) == (3, "not known"), answer
    assert "of 2 ranks started, but neither a meeting nor" in answer["headline"]


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt_leaves_nothing(rehearse, scratch, way):
    (scratch / "train.py").write_text("import time\nprint('here', flush=True)\ntime.sleep(1000)\n")
    process = subprocess.Popen([MUSTER, "run", "--rehearse", "-g", "npu:2", "--", PYTHON, "train.py"], env=rehearse.env, cwd=scratch,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "here" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(way)
    process.communicate(timeout=120)
    assert process.returncode == 130
    wait_until(lambda: not processes_of(rehearse.home), 60, "the rehearsal to be gone")
    assert not list(rehearse.home.iterdir())


def test_killed_client_leaves_no_server_and_no_rank(rehearse, scratch):
    (scratch / "train.py").write_text("import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('here', flush=True)\ntime.sleep(1000)\n")
    process = subprocess.Popen([MUSTER, "run", "--rehearse", "-g", "npu:2", "--", PYTHON, "train.py"], env=rehearse.env, cwd=scratch,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    while "here" not in process.stdout.readline():
        assert process.poll() is None
    assert processes_of(rehearse.home)
    process.kill()
    process.communicate(timeout=60)
    wait_until(lambda: not processes_of(rehearse.home), 60, "the rehearsal to be gone")


@pytest.mark.parametrize("words, hint", [(["-d"], "-d"), (["-N", "1000", "-g", "npu:8"], "fewer nodes"),
                                         (["--rehearse-steps", "0"], "rehearse-steps"), (["--rehearse-time", "soon"], "rehearse-time")])
def test_jobs_that_cannot_be_rehearsed_are_refused(rehearse, scratch, words, hint):
    result = subprocess.run([MUSTER, "run", "--rehearse", *words, "--", "true"], env=rehearse.env, cwd=scratch, capture_output=True,
                            text=True, timeout=60)
    assert result.returncode == 2 and hint in result.stderr, result.stderr
