"""The NPU and GPU jobs of document 002, as printed, on the platform they were written for."""
import pytest
from documents import blocks
from runs import findings, job_file, succeeded
from stand_ins import TELL, programs, told, write  # noqa: F401

# What the printed loop starts: a rank that tells what it got.
TRAIN = TELL + "tell()\n"
# Reads its command line and the hosts as Horovod's does, and tells them.
HOROVODRUN = "#!/usr/bin/python3\n" + TELL + """
import argparse
parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("-np", type=int)
parser.add_argument("-hostfile", "--hostfile")
parser.add_argument("-p", type=int)
parser.add_argument("--network-interface")
parser.add_argument("command", nargs=argparse.REMAINDER)
args = parser.parse_args()
hosts = dict(line.split() for line in open(args.hostfile))
assert args.np == sum(int(slots.split("=")[1]) for slots in hosts.values()), hosts
assert 0 < args.p < 65536
tell(hosts=hosts, command=args.command)
"""


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x8npu+8gpu")


def script():
    """The start script that the document gives for two servers."""
    return next(block for block in blocks(2, "shell") if "RANK_SIZE=16" in block)


def printed(words):
    return next(block for block in blocks(2, "shell") if words in block).strip()


@pytest.fixture
def submit(cluster, scratch, programs):
    def submit_one(**fields):
        return cluster.submit(job_file(scratch, platform="apulis", env={"PATH": programs(horovodrun=HOROVODRUN)}, **fields))

    return submit_one


def test_npu_command_and_script_run_as_printed_on_both_servers(cluster, scratch, submit):
    """With the table of the document in the folder that the command names, and a rank that tells all it got."""
    folder = scratch / "data/code/mindspore/example/resnet50_cifar10"
    write(folder / "hccl.json", blocks(2, "json")[0])
    write(folder / "run_distribute_train.sh", script())
    write(folder / "train.py", TRAIN)
    (folder / "cifar").mkdir()
    # The document's two servers share the folder: it asks for a place of its own for each.
    write(folder / "run_8p.sh", "#!/bin/bash\nmkdir -p node$DLWS_ROLE_IDX && cp *.py *.sh node$DLWS_ROLE_IDX && cd node$DLWS_ROLE_IDX &&"
                                " bash run_distribute_train.sh ../hccl.json ../cifar\n", 0o755)
    job = succeeded(cluster, submit(run=printed("sudo -E bash -c"), inputs={"data": str(scratch / "data")},
                                        resources={"nodes": 2, "devices": "npu:8"}))
    for node in range(2):
        said = told(cluster, job, node)
        assert [s["env"]["DEVICE_ID"] for s in sorted(said, key=lambda s: int(s["env"]["DEVICE_ID"]))] == list("01234567")
        for one in said:
            env = one["env"]
            assert one["argv"] == ["--do_train=True", "--run_distribute=True", "--device_num=8",
                                   "--dataset_path=/data/code/mindspore/example/resnet50_cifar10/cifar"]
            assert one["cwd"].endswith(f"/node{node}/train_parallel{env['DEVICE_ID']}")
            assert env["MINDSPORE_HCCL_CONFIG_PATH"] == "/data/code/mindspore/example/resnet50_cifar10/hccl.json"
            assert (env["DLWS_NUM_WORKER"], env["DLWS_ROLE_IDX"], env["RANK_SIZE"]) == ("2", str(node), "16")
            assert env["RANK_ID"] == env["DEVICE_ID"], "as printed, both servers count from 0"


def test_duplicate_ranks_of_the_printed_script_are_reported(cluster, scratch):
    write(scratch / "run_distribute_train.sh", script())
    fault = findings(cluster, scratch, "run_distribute_train.sh")["duplicate-ranks"]
    assert fault["grade"] == "fail"
    assert fault["reason"] == ("of 16 ranks each node starts 8 and numbers them from 0, so every node has the ranks 0 to 7 and the rest "
                               "never comes")


def test_missing_rank_table_is_refused_by_the_script_and_reported(cluster, scratch, submit):
    code = scratch / "code"
    write(code / "run.sh", script())
    write(code / "train.py", TRAIN)
    job = cluster.wait_end(submit(code=str(code), run="bash run.sh absent.json .",
                                      resources={"nodes": 2, "devices": "npu:8"}))
    assert job["state"] == "failed" and "exited with code 1" in job["verdict"]["headline"]


@pytest.mark.parametrize("nodes, ranks", [(2, 16), (1, 8)])
def test_horovod_commands_run_as_printed(cluster, submit, nodes, ranks):
    job = succeeded(cluster, submit(framework="horovod", run=printed(f"horovodrun -np {ranks} "),
                                        resources={"nodes": nodes, "devices": "gpu:8"}))
    (said,) = told(cluster, job, 0)
    assert list(said["hosts"].values()) == ["slots=8"] * nodes
    home = f"/home/{said['env']['DLWS_USER_NAME']}"
    assert said["cwd"] == home == said["env"]["HOME"]
    assert said["command"] == ["python", "/examples/tensorflow2_keras_mnist.py", f"{home}/checkpoints/",
                               f"{home}/tensorboard/{said['env']['DLWS_JOB_ID']}/logs/"]
    assert said["env"]["DLWS_SD_worker0_SSH_PORT"] == said["argv"][said["argv"].index("-p") + 1]


def test_machine_specific_parts_of_the_horovod_command_are_reported(cluster, scratch):
    write(scratch / "command.sh", printed("horovodrun -np 16 ") + "\n")
    found = findings(cluster, scratch, "command.sh")
    assert {"fixed-world-size", "fixed-interface", "never-ends", "missing-path"} <= set(found)
