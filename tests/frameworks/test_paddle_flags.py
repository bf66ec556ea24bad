"""The three generations of flags of Paddle's launcher: old ones under a current Paddle, and under the Paddle that had them."""
import json
import re
import shutil

import pytest

import real
from test_launchers import assert_four_ranks_agree, everything_said

OLD_FLAGS = "--cluster_node_ips=192.168.0.16,192.168.0.17 --node_ip=192.168.0.16 --started_port=6170 --selected_gpus=0,1"


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2cpu")


def train(cluster, run, launch=None):
    job = real.submit_training(cluster, "paddle", run=run, launch=launch or {}, steps=5)
    return cluster.wait_end(job, real.PATIENCE)


def test_old_flags_train_one_job_of_four_ranks(cluster):
    job = train(cluster, f"python -m paddle.distributed.launch {OLD_FLAGS} train_paddle.py")
    assert_four_ranks_agree(everything_said(cluster, job))
    said = [note for note in real.notes_of(job) if "--cluster_node_ips" in note]
    assert len(said) == 1 and "--node_ip --started_port --selected_gpus" in said[0]


TEXT = f"true && python -m paddle.distributed.launch {OLD_FLAGS} train_paddle.py"


@pytest.mark.parametrize("run", [TEXT, "launch_paddle.sh"], ids=["text", "script"])
def test_old_flags_inside_a_script_train_one_job(cluster, run):
    """Muster does not see flags in a shell's text or script; the variables, which win over flags, must do."""
    assert_four_ranks_agree(everything_said(cluster, train(cluster, run, launch={"start": "launch"})))


def told(text):
    """What each process was told, by rank; endpoints by their place in the list, for ports differ from job to job."""
    found = {}
    for line in re.findall(r"told (\{.*\})", text):
        env = json.loads(line)
        endpoints = env["PADDLE_TRAINER_ENDPOINTS"].split(",")
        assert len(set(endpoints)) == len(endpoints)
        env["PADDLE_CURRENT_ENDPOINT"] = endpoints.index(env["PADDLE_CURRENT_ENDPOINT"])
        env["PADDLE_TRAINER_ENDPOINTS"] = [endpoint.split(":")[0] for endpoint in endpoints]
        found[env["PADDLE_TRAINER_ID"]] = env
    return found


def test_variables_of_ranks_equal_those_of_the_1_8_5_launcher(start_server):
    cluster = start_server("--nodes", "2x2gpu")
    seen = {}
    for start, run in ("launch", "python -m paddle.distributed.launch show_paddle.py"), ("env", "show_paddle.py"):
        job = real.submit(cluster, "paddle18", run, launch={"version": "1.8.5", "start": start},
                          resources={"nodes": 2, "devices": "gpu:2"})
        seen[start] = told(everything_said(cluster, cluster.wait_end(job, real.PATIENCE)))
    assert sorted(seen["launch"]) == ["0", "1", "2", "3"]
    assert seen["launch"] == seen["env"]


# A script of the first generation of ModelArts: the flags of the launcher from the variables of the platform.
BATCH_SCRIPT = """
for i in $(seq 0 $((DLS_TASK_NUMBER - 1))); do eval "hosts=\\$hosts,\\$BATCH_CUSTOM${i}_HOSTS"; done
exec python -m paddle.distributed.launch --cluster_node_ips=${hosts#,} --node_ip=$BATCH_CURRENT_HOST \\
    --started_port=$BATCH_CURRENT_PORT --selected_gpus=0,1 show_paddle.py
"""


def test_variables_of_modelarts_v1_are_flags_of_the_launcher_of_1_8_5(start_server, tmp_path):
    cluster = start_server("--nodes", "2x2gpu")
    shutil.copy(real.SCRIPTS / "show_paddle.py", tmp_path)
    (tmp_path / "run.sh").write_text(BATCH_SCRIPT)
    job = real.submit(cluster, "paddle18", "bash run.sh", platform="modelarts-v1", code=str(tmp_path),
                      resources={"nodes": 2, "devices": "gpu:2"})
    ended = cluster.wait_end(job, real.PATIENCE)
    found = told(everything_said(cluster, ended))
    assert sorted(found) == ["0", "1", "2", "3"]
    lists = {line for line in re.findall(r'"PADDLE_TRAINER_ENDPOINTS": "([^"]+)"', everything_said(cluster, ended))}
    assert len(lists) == 1, "every node has the same endpoints"


def test_parameter_servers_of_1_8_5_end_after_the_last_trainer(start_server):
    cluster = start_server("--nodes", "2x2cpu")
    job = real.submit(cluster, "paddle18", "train_paddle18.py", launch={"version": "1.8.5"},
                      parameters={"steps": 40}, inputs={"data_url": str(real.DATA)}, outputs={"train_url": None}, resources=None,
                      roles={"ps": {"nodes": 1, "devices": "cpu:1", "service": True}, "worker": {"nodes": 1, "devices": "cpu:2"}})
    job = cluster.wait_end(job, real.PATIENCE)
    text = real.output(cluster, job)
    for rank in range(2):
        losses = [float(loss) for loss in re.findall(rf"rank {rank} step \d+/40 loss: (\S+)", text)]
        assert len(losses) == 40 and sum(losses[-5:]) < 0.8 * sum(losses[:5]), losses
    assert [r["exit"]["stopped_by"] for r in job["ranks"] if r["role"] == "ps"] == ["role_end"]
