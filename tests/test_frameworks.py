"""Frameworks as they come from Debian: PyTorch's env:// and torchrun, Open MPI and MPICH through the login stand-in. Where a
framework is not there, a program that does what it does with what it is given."""
import json
import os
import re
import shutil
import signal

import pytest
from conftest import PYTHON, ROOT, wait_until

ALL_REDUCE = """
import os, torch, torch.distributed as dist
dist.init_process_group("gloo")
t = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(t)
print("rank", dist.get_rank(), "of", dist.get_world_size(), "local", os.environ["LOCAL_RANK"], "sum", t.item(), flush=True)
dist.barrier()
dist.destroy_process_group()
"""


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2npu+2cpu")


def output(server, job):
    assert job["state"] == "succeeded", (job["reason"], [server.rank_log(job["id"], r["rank"])[-2000:] for r in job["ranks"]])
    return "".join(server.rank_log(job["id"], r["rank"]).decode() for r in job["ranks"])


def test_pytorch_ranks_connect_over_two_nodes(cluster, scratch):
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


def test_mpirun_of_the_user_finds_the_hosts(cluster):
    job = cluster.wait_end(cluster.submit("-f", "mpi", "-N", "2", "-g", "npu:2", "--", "mpirun", "-np", "4", "hostname"), 60)
    assert len(output(cluster, job).split()) >= 4


@pytest.mark.skipif(not shutil.which("mpiexec.hydra"), reason="MPICH is not installed (apt-get install mpich)")
def test_mpich_reaches_the_other_node_without_ssh(cluster):
    script = "echo rank $PMI_RANK of $PMI_SIZE on $(hostname)"
    flags = ("-f", "mpi", "--launch", "start=mpich", "-N", "2", "-g", "npu:2")
    text = output(cluster, cluster.wait_end(cluster.submit(*flags, "--", "sh", "-c", script), 60))
    assert sorted(re.findall(r"rank (\d) of 4", text)) == ["0", "1", "2", "3"], text


# What a rank of Horovod does at its meeting point, in one scope.
MEET = """
import os, time, urllib.error, urllib.request
address, port = os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"], os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"]
rank, size = int(os.environ["HOROVOD_RANK"]), int(os.environ["HOROVOD_SIZE"])
def ask(method, key, body=None):
    request = urllib.request.Request(f"http://{address}:{port}/global/{key}", data=body, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()
def get(key):
    while True:
        try:
            return ask("GET", key)
        except urllib.error.HTTPError as error:
            assert error.code == 404, error
            time.sleep(0.01)
ask("PUT", f"rank_{rank}", os.environ["HOROVOD_HOSTNAME"].encode())
ask("PUT", str(rank), bytes([rank]) * 136)
hosts = [get(f"rank_{other}").decode() for other in range(size)]
assert all(get(str(other)) == bytes([other]) * 136 for other in range(size))
ask("DELETE", str(rank))
print("rank", rank, "met", ",".join(hosts), flush=True)
"""


def test_horovod_ranks_use_the_rendezvous_of_the_launcher(cluster, scratch):
    (scratch / "meet.py").write_text(MEET)
    job = cluster.submit("-f", "horovod", "-N", "2", "-g", "npu:2", "--", PYTHON, "meet.py", cwd=scratch)
    text = output(cluster, cluster.wait_end(job, 60))
    met = re.findall(r"rank (\d) met (\S+)", text)
    assert sorted(rank for rank, _ in met) == ["0", "1", "2", "3"]
    assert len({hosts for _, hosts in met}) == 1 and len(set(met[0][1].split(","))) == 2


def test_horovodrun_stand_in_reaches_both_nodes_by_ssh(cluster, scratch):
    """horovodrun --gloo calls `ssh -o … HOST COMMAND` for every host of its hostfile."""
    (scratch / "horovodrun").write_text("#!/bin/sh\nwhile read host slots; do ssh -o StrictHostKeyChecking=no $host -p 22 "
                                        "'echo on $MUSTER_NODE_INDEX' </dev/null || exit 1; done < $MUSTER_HOSTFILE\n")
    (scratch / "horovodrun").chmod(0o755)
    job = cluster.submit("-f", "horovod", "-N", "2", "-g", "npu:2", "--", "./horovodrun", "train.py", cwd=scratch)
    assert sorted(re.findall(r"on (\d)", output(cluster, cluster.wait_end(job, 60)))) == ["0", "1"]


def test_mindspore_scheduler_ends_with_its_workers(cluster):
    script = 'test "$MS_ROLE" = MS_SCHED && exec sleep 1000; echo $MS_ROLE $MS_NODE_ID of $MS_WORKER_NUM at $MS_SCHED_HOST'
    job = cluster.wait_end(cluster.submit("-f", "mindspore", "-N", "2", "-g", "npu:2", "--", "sh", "-c", script), 60)
    text = output(cluster, job)
    assert sorted(re.findall(r"MS_WORKER (\d) of 4", text)) == ["0", "1", "2", "3"]
    assert [r["role"] for r in job["ranks"] if r["rank"] == 4] == ["scheduler"]


def test_all_nodes_have_the_same_valid_rank_table(cluster):
    flags = ("-f", "mindspore", "--launch", "start=rank_table", "-N", "2", "-g", "npu:2")
    job = cluster.wait_end(cluster.submit(*flags, "--", "sh", "-c", "cat $RANK_TABLE_FILE"), 60)
    tables = {cluster.rank_log(job["id"], r["rank"]) for r in job["ranks"]}
    assert len(tables) == 1 and len(job["ranks"]) == 4
    (cluster.data / "table.json").write_bytes(tables.pop())
    assert "good, 4 devices on 2 servers, form 1.0" in cluster.run("ranktable", "check", cluster.data / "table.json").stdout


def test_rank_table_of_a_real_node_has_the_addresses_of_its_cards(start_server, scratch):
    (scratch / "hccn.conf").write_text("".join(f"address_{d}=192.168.{d}.17\nnetmask_{d}=255.255.255.0\n" for d in range(4)))
    (scratch / "server.yaml").write_text(f"devices: {{npu: 4}}\nhccn_conf: {scratch}/hccn.conf\n")
    server = start_server("--config", str(scratch / "server.yaml"))
    flags = ("-f", "mindspore", "--launch", "start=rank_table", "-g", "npu:4")
    job = server.wait_end(server.submit(*flags, "--", "sh", "-c", "cat $RANK_TABLE_FILE"), 60)
    (one,) = json.loads(server.rank_log(job["id"], 3))["server_list"]
    assert [(d["device_id"], d["device_ip"]) for d in one["device"]] == [(str(d), f"192.168.{d}.17") for d in range(4)]


def test_dropped_paddle_flags_are_reported_once(cluster, scratch):
    """The launcher here only prints what it got."""
    (scratch / "fleetrun").write_text("#!/bin/sh\necho got $*; echo $PADDLE_RANK of $PADDLE_NNODES at $PADDLE_MASTER\n")
    (scratch / "fleetrun").chmod(0o755)
    job = cluster.submit("-f", "paddle", "-N", "2", "-g", "npu:2", "--", "./fleetrun", "--cluster_node_ips=a,b", "--selected_gpus=0,1", "t.py", cwd=scratch)
    ended = cluster.wait_end(job, 60)
    assert re.findall(r"got (.*)", output(cluster, ended)) == ["t.py"] * 2
    notes = [note for node in ended["attempts"][0]["nodes"] for note in node["notes"] if "Paddle" in note]
    assert len(notes) == 1 and "--cluster_node_ips --selected_gpus" in notes[0]


def test_failed_mpi_rank_fails_the_job_with_its_exit_code(cluster):
    job = cluster.wait_end(cluster.submit("-f", "mpi", "-N", "2", "-g", "npu:2", "--", "sh", "-c", "exit $((OMPI_COMM_WORLD_RANK * 7))"), 60)
    assert job["state"] == "failed"
    assert job["attempts"][0]["exit"]["class"] == "exit_code"


@pytest.mark.parametrize("start", ["auto", "mpich"])
def test_rank_killed_below_mpirun_is_the_cause(cluster, start):
    if start == "mpich" and not shutil.which("mpiexec.hydra"):
        pytest.skip("MPICH is not installed (apt-get install mpich)")
    script = "echo rank $OMPI_COMM_WORLD_RANK$PMI_RANK pid $$; exec sleep 1000"
    job_id = cluster.submit("-f", "mpi", "--launch", f"start={start}", "-N", "2", "-g", "npu:2", "--", "sh", "-c", script)
    def pids():
        return {int(rank): int(pid) for rank, pid in re.findall(r"rank (\d) pid (\d+)", cluster.rank_log(job_id).decode())}
    wait_until(lambda: len(pids()) == 4, 60, "all ranks to speak")
    os.kill(pids()[3], signal.SIGKILL)
    job = cluster.wait_end(job_id, 60)
    assert job["state"] == "failed"
    assert job["verdict"]["cause"] == "killed" and job["verdict"]["rank"] == 0, (job["verdict"], cluster.rank_log(job_id))
    assert job["verdict"]["headline"].endswith("of its launcher was killed by SIGKILL"), job["verdict"]
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids().values())


def test_ranks_below_mpirun_have_the_grace_period(cluster):
    """mpirun, asked to end, would give them a second at most."""
    script = "trap 'sleep 3; echo saved $OMPI_COMM_WORLD_RANK; exit 0' TERM; echo ready; while :; do sleep 0.1; done"
    job_id = cluster.submit("-f", "mpi", "-N", "2", "-g", "npu:2", "--", "sh", "-c", script)
    wait_until(lambda: cluster.rank_log(job_id).count(b"ready") == 4, 60, "all ranks to be ready")
    cluster.run("stop", str(job_id))
    assert cluster.job(job_id)["state"] == "stopped"
    assert sorted(re.findall(r"saved (\d)", cluster.rank_log(job_id).decode())) == list("0123")


def test_plan_equals_the_environment_of_the_running_rank(cluster):
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


SLOW_LAUNCHER = """
import os, subprocess, sys, time
if os.environ["RANK"] == "0":
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.02)
    sys.exit("ConnectionResetError: [Errno 104] Connection reset by peer")
child = subprocess.Popen(["sleep", "1000"])
os.kill(child.pid, 9)
os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, and not waited for
open(sys.argv[1], "w").close()
time.sleep(1000)
"""


def test_stopped_framework_launcher_does_not_hide_the_killed_rank(cluster, scratch):
    """As Paddle's does, which looks at its ranks now and then: the other node's rank has lost its peer and ends first."""
    (scratch / "slow.py").write_text(SLOW_LAUNCHER)
    job = cluster.submit("-f", "pytorch", "-N", "2", "-g", "npu:1", "--", PYTHON, "slow.py", scratch / "killed", cwd=scratch)
    ended = cluster.wait_end(job)
    assert ended["verdict"]["cause"] == "killed", ended["verdict"]
    assert ended["verdict"]["headline"].endswith("a process of its launcher was killed by SIGKILL"), ended["verdict"]
    assert ended["ranks"][1]["exit"]["killed_below"] == signal.SIGKILL
