"""The scripts of documents 003 and 004, as printed, as a ModelArts job."""
import pytest
from conftest import PYTHON
from documents import blocks
from runs import ended, findings, job_file, succeeded
from stand_ins import TELL, add_mindspore, programs, told, write  # noqa: F401


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x8npu")


@pytest.fixture
def code(scratch):
    folder = scratch / "code"
    add_mindspore(folder)
    write(scratch / "cifar-10/train/data_batch_1.bin", "x")
    return folder


def whole_scripts():
    """The program before and after it was fitted to the cloud."""
    before, after = (block for block in blocks(3, "python") if "__main__" in block)
    return before, after


@pytest.fixture
def submit(cluster, scratch, code, programs):
    def submit_one(nodes, **more):
        fields = {"platform": "modelarts-v1", "framework": "custom", "python": PYTHON, "code": str(code), "run": "resnet50_train.py",
                  "inputs": {"data_url": str(scratch / "cifar-10")}, "outputs": {"train_url": None}, "parameters": {"epoch_size": 90},
                  "resources": {"nodes": nodes, "devices": "npu:8"}, "env": {"PATH": programs()}, **more}
        return cluster.submit(job_file(scratch, **fields))

    return submit_one


def test_adapted_program_runs_as_printed_on_eight_devices(cluster, code, submit):
    write(code / "resnet50_train.py", whole_scripts()[1])
    job = succeeded(cluster, submit(1))
    assert len(job["ranks"]) == 8
    for rank in range(8):
        (said,) = told(cluster, job, rank)
        assert said["folder"] == f"/cache/data/{rank}" and said["files"] == ["train"]
        assert (said["given"]["num_shards"], said["given"]["shard_id"]) == (8, rank)
        assert (said["env"]["RANK_ID"], said["env"]["RANK_SIZE"], said["env"]["DEVICE_ID"]) == (str(rank), "8", str(rank))
        assert "--epoch_size=90" in said["argv"]
        assert [flag.split("=")[0] for flag in said["argv"][:2]] == ["--data_url", "--train_url"]


def test_duplicate_data_shards_on_two_servers_are_reported(cluster, code, submit):
    write(code / "resnet50_train.py", whole_scripts()[1])
    job = succeeded(cluster, submit(2))
    shards = [told(cluster, job, rank)[0]["given"]["shard_id"] for rank in range(16)]
    assert shards == [*range(8), *range(8)]
    assert "duplicate-shards" in findings(cluster, code, "resnet50_train.py")


def test_unadapted_program_fails_at_its_arguments(cluster, code, submit):
    write(code / "resnet50_train.py", whole_scripts()[0])
    job = ended(cluster, submit(1))
    assert job["state"] == "failed" and job["verdict"]["cause"] == "arguments", job["verdict"]


def test_all_parts_of_the_document_run_in_sequence(cluster, code, submit):
    """Its arguments, its path for each device, its data set and its strategy, as one program."""
    pieces = [block for block in blocks(3, "python") if "__main__" not in block and "copy_parallel" not in block]
    text = "".join(pieces).replace("dataset_path,", "str(args.data_url),")
    assert "parser" in text and "set_auto_parallel_context" in text and "Cifar10Dataset" in text
    parse = "args, _ = parser.parse_known_args()\n"
    at = text.index("import os")
    write(code / "resnet50_train.py", text[:at] + parse + text[at:])
    job = succeeded(cluster, submit(1))
    for rank in range(8):
        (said,) = told(cluster, job, rank)
        assert said["given"]["shard_id"] == rank and said["files"] == ["train"]


def test_pre_start_script_of_document_004_configures_the_ranks(cluster, code, submit, programs):
    printed = next(block for block in blocks(4, "BASH") if "GLOG_v" in block)
    write(code / "ma-pre-start.sh", printed)
    write(code / "train.py", TELL + "tell()\n")
    write(code / "run/Ascend-cann-nnae_1.run", '#!/bin/sh\necho "INSTALLED $*"\n', 0o755)
    pip = '#!/bin/sh\necho "PIP $*"\n'
    job = succeeded(cluster, submit(2, platform="modelarts", run="train.py",
                                env={"PATH": programs(pip=pip)}))
    for rank in range(16):
        (said,) = told(cluster, job, rank)
        assert (said["env"]["GLOG_v"], said["env"]["ASCEND_GLOBAL_LOG_LEVEL"]) == ("3", "3")
