"""The Paddle jobs of documents 000 and 001: their scripts as printed, on the platform they were written for."""
import re

import pytest
from documents import command, listing
from runs import ended, findings, job_file, notes, succeeded
from stand_ins import TELL, add_paddle, programs, told, write  # noqa: F401


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x8gpu+8npu")


@pytest.fixture
def submit(cluster, scratch, code, programs):
    def submit_one(run, **more):
        fields = {"platform": "modelarts-v1", "framework": "paddle", "code": str(code), "run": run,
                  "resources": {"nodes": 2, "devices": "gpu:8"}, "env": {"PATH": programs()}, **more}
        return cluster.submit(job_file(scratch, **{name: value for name, value in fields.items() if value is not None}))

    return submit_one


@pytest.fixture
def code(scratch):
    """The code folder of document 000: its two shell scripts, and Paddle's launcher as it then was."""
    folder = scratch / "code"
    for name in ("run_train.sh", "run.sh"):
        write(folder / name, listing(0, name))
    add_paddle(folder)
    return folder


def test_start_scripts_run_as_printed_and_trainers_have_distinct_ranks(cluster, scratch, code, submit):
    write(code / "train_with_fleet.py", TELL + "tell()\n")
    run = command(0, "bash /home/work/run_train.sh").replace(" python ", " bash ")
    job = succeeded(cluster, submit(run))
    assert len(job["ranks"]) == 2, "one command a node"
    trainers = {}
    for node in range(2):
        launcher, *others = told(cluster, job, node)
        env = launcher["env"]
        assert launcher["launcher"] and launcher["nodes"].index(env["BATCH_CURRENT_HOST"]) == node
        assert (env["DLS_TASK_NUMBER"], env["DLS_TASK_INDEX"]) == ("2", str(node))
        assert launcher["cwd"] == "/home/work/user-job-dir" == env["PYTHONPATH"].split(":")[0]
        assert len(others) == 8
        for said in others:
            trainers[int(said["env"]["PADDLE_TRAINER_ID"])] = said["env"]
    assert sorted(trainers) == list(range(16))
    for rank, env in trainers.items():
        ends = env["PADDLE_TRAINER_ENDPOINTS"].split(",")
        assert len(ends) == len(set(ends)) == 16 == int(env["PADDLE_TRAINERS_NUM"]) and ends[rank] == env["PADDLE_CURRENT_ENDPOINT"]
        assert env["FLAGS_selected_gpus"] == str(rank % 8)
    assert len({env["PADDLE_TRAINER_ENDPOINTS"] for env in trainers.values()}) == 1, "every node has the same list"


def test_without_the_framework_key_hosts_have_ports_and_the_old_launcher_refuses_them(cluster, scratch, code, submit):
    """As ModelArts documents BATCH_CUSTOM<i>_HOSTS for every other framework."""
    write(code / "train_with_fleet.py", TELL + "tell()\n")
    run = command(0, "bash /home/work/run_train.sh").replace(" python ", " bash ")
    job = ended(cluster, submit(run, framework="custom"))
    assert job["state"] == "failed"
    assert re.search(rb"ValueError: '127[.0-9]+' is not in list", cluster.rank_log(job["id"], job["verdict"]["rank"]))


def test_single_node_uses_the_other_branch_of_the_script(cluster, scratch, code, submit):
    """There the script gives the launcher the devices alone, so the stand-in of it is the one of a single machine."""
    write(code / "paddle/distributed/launch.py", TELL + "tell()\n")
    run = command(0, "bash /home/work/run_train.sh").replace(" python ", " bash ")
    job = succeeded(cluster, submit(run, resources={"nodes": 1, "devices": "gpu:8"}))
    (said,) = told(cluster, job, 0)
    assert said["argv"] == ["--selected_gpus=0,1,2,3,4,5,6,7", "--log_dir", "mylog", "train.py"]


def test_printed_start_command_that_runs_a_shell_script_with_python_is_reported(cluster, scratch, code, submit):
    printed = command(0, "bash /home/work/run_train.sh")
    write(scratch / "command.sh", printed + "\n")
    fault = findings(cluster, scratch, "command.sh")["wrong-interpreter"]
    assert fault["grade"] == "fail" and "/home/work/user-job-dir/run.sh is given to python" in fault["reason"]
    job = ended(cluster, submit(printed))
    assert job["state"] == "failed" and job["verdict"]["cause"] == "syntax", job["verdict"]


def test_failed_trainer_fails_the_job_through_all_scripts(cluster, scratch, code, submit):
    """The printed program needs paddle.fluid, which no Paddle of today has."""
    write(code / "train_with_fleet.py", listing(0, "train_with_fleet.py"))
    run = command(0, "bash /home/work/run_train.sh").replace(" python ", " bash ")
    job = ended(cluster, submit(run))
    assert job["state"] == "failed" and job["verdict"]["cause"] == "missing_module", job["verdict"]


@pytest.mark.parametrize("number", [0, 1])
def test_removed_interfaces_of_the_program_are_reported(cluster, scratch, number):
    write(scratch / "train_with_fleet.py", listing(number, "train_with_fleet.py"))
    fault = findings(cluster, scratch, "train_with_fleet.py")["gone-interface"]
    assert fault["grade"] == "fail" and fault["reason"].startswith("paddle.fluid is gone since Paddle 2.5")


@pytest.mark.parametrize("number", [0, 1])
def test_flags_that_a_current_launcher_drops_are_reported(cluster, scratch, number):
    write(scratch / "run.sh", listing(number, "run.sh"))
    fault = findings(cluster, scratch, "run.sh")["dropped-flags"]
    assert fault["grade"] == "fail" and "trains every node alone" in fault["reason"]


def test_constant_addresses_of_document_001_are_reported(cluster, scratch):
    write(scratch / "run.sh", listing(1, "run.sh"))
    found = findings(cluster, scratch, "run.sh")
    assert found["fixed-address"]["grade"] == "fail" and found["fixed-port"]["grade"] == "warn"


def launch_command_of_001():
    return " ".join(line.strip(" \\") for line in listing(1, "run.sh").split("else\n")[1].splitlines() if line.strip() != "fi")


def test_launch_command_of_document_001_is_translated(cluster, scratch):
    """Put into a job file, the command of the script starts with the nodes of the job in place of the printed ones."""
    plan = cluster.run("plan", "--json", "-f", "paddle", "-N", "2", "-g", "gpu:4", "--", launch_command_of_001()).stdout
    assert "192.168." not in plan and "would drop --cluster_node_ips --node_ip --started_port --selected_gpus" in plan


def test_launch_command_of_document_001_starts_every_rank_once(cluster, scratch, submit):
    code = scratch / "own"
    add_paddle(code)
    write(code / "train_with_fleet.py", TELL + "tell()\n")
    job = succeeded(cluster, submit(launch_command_of_001(), platform=None, code=str(code), launch={"version": "1.8.5"},
                                    resources={"nodes": 2, "devices": "gpu:4"}))
    ranks = [said["env"]["PADDLE_TRAINER_ID"] for node in range(2) for said in told(cluster, job, node) if "launcher" not in said]
    assert sorted(ranks) == list("01234567"), "each of the 8 ranks once"
    assert any("--node_ip=192.168.1.3" in note for note in notes(job))
