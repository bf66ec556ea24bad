"""Jobs that find themselves on ModelArts or Apulis: scripts that look at their whole environment, folders and names on two
virtual nodes, and what is said where something is missing. What the machine has must stay as it was."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest
from conftest import MUSTER, PYTHON, Muster, marked_processes, need_view, wait_until

UUID = "00000000-0000-4000-8000-{:012}"
NO_MOUNTS = "this machine does not allow mounts"

# What a process tells of itself: variables, arguments, where it is, and what it finds at the names it was given.
TELL = """
import json, os, socket, sys
def look(path):
    if os.path.isdir(path):
        return sorted(os.listdir(path))
    return open(path).read() if os.path.isfile(path) else None
names = os.environ.get("LOOK", "").split()
print("TOLD " + json.dumps({
    "env": dict(os.environ), "argv": sys.argv, "cwd": os.getcwd(), "names": {name: look(name) for name in names},
    "resolved": {name: socket.gethostbyname(name) for name in os.environ.get("VC_WORKER_HOSTS", "").split(",") if name},
}), flush=True)
"""


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2npu+2gpu+2cpu")


@pytest.fixture
def code(scratch):
    """A code folder and some data; its name is part of the contract."""
    folder = scratch / "resnet"
    folder.mkdir()
    (folder / "train.py").write_text(TELL)
    (scratch / "set").mkdir()
    (scratch / "set" / "a.rec").write_text("record")
    return folder


def told(server, job, rank):
    text = server.rank_log(job["id"], rank).decode()
    return json.loads(re.search(r"^TOLD (.*)$", text, re.M).group(1))


def succeeded(server, job_id):
    job = server.wait_end(job_id, 90)
    logs = [server.rank_log(job_id, rank["rank"])[-2000:].decode() for rank in job["ranks"]]
    assert job["state"] == "succeeded", (job["reason"], notes(job), logs)
    return job


def notes(job):
    return [note for node in job["attempts"][-1]["nodes"] for note in node["notes"]]


def write(path, text, mode=0o644):
    path.write_text(text)
    path.chmod(mode)
    return path


def job_file(scratch, **fields):
    return write(scratch / "job.json", json.dumps(fields))


def test_modelarts_sets_folders_variables_and_arguments_of_every_card(cluster, scratch, code):
    mount = "/home/ma-user/modelarts"
    look = f"/cache /tmp {mount}/inputs/data_url_0 {mount}/user-job-dir /user/config {mount}/rank_table {mount}/log /etc/hosts"
    spec = job_file(scratch, platform="modelarts", code=str(code), run="train.py", python=PYTHON,
                    inputs={"data_url": str(scratch / "set")}, outputs={"train_url": None}, parameters={"epochs": 3},
                    resources={"nodes": 2, "devices": "npu:2"}, env={"LOOK": look})
    job = succeeded(cluster, cluster.submit(spec))
    need_view(notes(job))
    name = "modelarts-job-" + UUID.format(job["id"])
    for rank in range(4):
        node, device = divmod(rank, 2)
        said = told(cluster, job, rank)
        env = said["env"]
        assert said["argv"] == [f"{mount}/user-job-dir/resnet/train.py", f"--data_url={mount}/inputs/data_url_0",
                                f"--train_url={mount}/outputs/train_url_0", "--epochs=3"]
        assert said["cwd"] == f"{mount}/workspace/device{device}"
        assert (env["RANK_ID"], env["RANK_SIZE"], env["DEVICE_ID"], env["ASCEND_DEVICE_ID"]) == (str(rank), "4", str(device), str(device))
        assert (env["MA_NUM_HOSTS"], env["MA_NUM_GPUS"], env["VC_TASK_INDEX"], env["DLS_TASK_INDEX"]) == ("2", "2", str(node), str(node))
        assert (env["MA_VJ_NAME"], env["JOB_ID"], env["HOME"]) == (name, name, "/home/ma-user")
        ours, theirs = env["PYTHONPATH"].split(":")[:2]
        assert ours.startswith(f"{cluster.data}/python/") and theirs == f"{mount}/user-job-dir"
        assert list(said["resolved"]) == [f"{name}-worker-{i}.{name}" for i in range(2)]
        assert said["resolved"][f"{name}-worker-{node}.{name}"] == env["MA_CURRENT_IP"] == env["BATCH_CURRENT_HOST"]
        found = said["names"]
        assert found["/cache"] == [] and found[f"{mount}/inputs/data_url_0"] == ["a.rec"]
        assert set(found[f"{mount}/user-job-dir"]) == {"code", "resnet"}
        assert found["/user/config"] == found[f"{mount}/rank_table"] == ["jobstart_hccl.json"]
        assert f"{name}-worker-{node}.log" in found[f"{mount}/log"]
        assert f"{name}-proc-rank-{rank}-device-{device}.txt" in found[f"{mount}/log"]
    attempt = cluster.data / f"jobs/{job['id']}/attempts/1"
    closing = b"[ModelArts Service Log] Training end with return code: 0\n"
    assert (attempt / f"node1/log/{name}-worker-1.log").read_bytes().endswith(cluster.rank_log(job["id"], 2) + closing)
    assert (attempt / f"node1/log/{name}-proc-rank-2-device-0.txt").read_bytes() == cluster.rank_log(job["id"], 2)
    table = json.loads((attempt / "node1/home/modelarts/rank_table/jobstart_hccl.json").read_text())
    assert [d["rank_id"] for server in table["server_list"] for d in server["device"]] == ["0", "1", "2", "3"]


def task_log(cluster, job, node=0):
    (log,) = (cluster.data / f"jobs/{job['id']}/attempts/1/node{node}/log").glob("modelarts-job-*-worker-*.log")
    return log.read_text()


def test_volcano_folder_has_the_names_of_all_nodes(cluster, code):
    script = "cat /etc/volcano/worker.host; for name in $(cat /etc/volcano/worker.host); do getent hosts $name > /dev/null || exit 3; done"
    job = succeeded(cluster, cluster.submit("--platform", "modelarts", "-N", "2", "-g", "npu:2", "--", script, cwd=code))
    need_view(notes(job))
    name = "modelarts-job-" + UUID.format(job["id"])
    for rank in range(2):
        assert cluster.rank_log(job["id"], rank).decode() == "".join(f"{name}-worker-{i}.{name}\n" for i in range(2))


def test_etc_files_can_be_replaced_inside_the_view_only(cluster, code):
    """As ldconfig and useradd do it; with a script that does nothing else, so that a failure is seen."""
    before = set(os.listdir("/etc")), pathlib.Path("/etc/hostname").read_text()
    script = "cp -p /etc/hostname /etc/hostname.new && echo inside >> /etc/hostname.new && mv /etc/hostname.new /etc/hostname && tail -n 1 /etc/hostname"
    job = succeeded(cluster, cluster.submit("--platform", "modelarts", "-g", "npu:2", "--", script, cwd=code))
    need_view(notes(job))
    assert cluster.rank_log(job["id"]) == b"inside\n"
    assert (set(os.listdir("/etc")), pathlib.Path("/etc/hostname").read_text()) == before


def test_log_of_a_node_ends_with_its_return_code(cluster, code):
    write(code / "ma-pre-start.sh", "echo prepared\n")
    write(code / "train.py", "import os, sys\nprint('half a line', end='')\nsys.exit(7 if os.environ['RANK_ID'] == '1' else 0)\n")
    flags = ("--platform", "modelarts", "-g", "npu:2", "--python", PYTHON, "--", "train.py")
    job = cluster.wait_end(cluster.submit(*flags, cwd=code), 60)
    assert job["attempts"][0]["exit"]["code"] == 7
    assert cluster.rank_log(job["id"], 0) in (b"half a line", b""), "what a rank said stays its own"
    before, closing = task_log(cluster, job).rsplit("\n", 2)[:2]
    assert closing == "[ModelArts Service Log] Training end with return code: 7"
    assert "prepared" in before.splitlines()


def test_view_leaves_nothing_on_the_machine(cluster, scratch, code):
    before = set(os.listdir("/")), set(os.listdir("/home")), pathlib.Path("/proc/self/mountinfo").read_text()
    script = "echo x > /tmp/lock; mkdir -p /cache/data; echo y > /cache/data/file; echo z > $MA_HOME/kept; ls -d /cache /tmp/lock"
    job = succeeded(cluster, cluster.submit("--platform", "modelarts", "-C", ".", "-N", "2", "-g", "npu:2", "--", script, cwd=code))
    need_view(notes(job))
    assert (set(os.listdir("/")), set(os.listdir("/home")), pathlib.Path("/proc/self/mountinfo").read_text()) == before
    assert not os.path.exists("/tmp/lock")
    for node in (cluster.data / f"jobs/{job['id']}/attempts/1/node{i}" for i in range(2)):
        assert not (node / "cache").exists() and not (node / "tmp/lock").exists() and not (node / "root").exists()
        assert (node / "home/kept").read_text() == "z\n"
        assert (node / "work/code/train.py").exists(), "what is kept through a view is not scratch"


def test_tmp_and_cache_are_shared_inside_a_node_only(cluster, scratch):
    """The idiom of many scripts: one card copies and leaves a lock, the others wait for it."""
    code = scratch / "code"
    code.mkdir()
    (code / "train.py").write_text("""
import os, socket, time
lock = "/tmp/copy_sync.lock"
if int(os.environ["DEVICE_ID"]) == 0:
    assert not os.path.exists("/cache/data")
    os.mkdir("/cache/data"); open("/cache/data/node", "w").write(os.environ["VC_TASK_INDEX"]); open(lock, "w").close()
while not os.path.exists(lock):
    time.sleep(0.01)
assert open("/cache/data/node").read() == os.environ["VC_TASK_INDEX"]
""")
    flags = ("--platform", "modelarts", "-N", "2", "-g", "npu:2", "--python", PYTHON, "--", "train.py")
    job = cluster.wait_end(cluster.submit(*flags, cwd=code), 90)
    need_view(notes(job))
    assert job["state"] == "succeeded", job["reason"]


def test_pre_start_script_runs_once_per_node_before_the_ranks(cluster, scratch, code):
    write(code / "ma-pre-start.sh", "echo once >> $MA_LOG_DIR/count; pwd; export SINGLESERVER_MODE=True GLOG_v=\"3 x\"\n")
    flags = ("--platform", "modelarts", "-N", "1", "-g", "npu:2", "--python", PYTHON, "--", "train.py")
    job = succeeded(cluster, cluster.submit(*flags, cwd=code))
    for rank in range(2):
        env = told(cluster, job, rank)["env"]
        assert (env["SINGLESERVER_MODE"], env["GLOG_v"], env["RANK_ID"]) == ("True", "3 x", str(rank))
    node = cluster.data / f"jobs/{job['id']}/attempts/1/node0"
    assert (node / "log/count").read_text() == "once\n"
    assert "[ModelArts Service Log] ma-pre-start.sh begins\n" in (node / "hooks.log").read_text()


def test_failed_pre_start_script_fails_the_job(cluster, scratch, code):
    write(code / "ma-pre-start.sh", "echo no such driver >&2\nexit 9\n")
    job = cluster.wait_end(cluster.submit("--platform", "modelarts", "-g", "npu:2", "--", "train.py", cwd=code), 60)
    assert job["state"] == "failed" and "ma-pre-start.sh" in job["reason"] and "code 9" in job["reason"], job["reason"]
    node = cluster.data / f"jobs/{job['id']}/attempts/1/node0"
    assert "no such driver" in (node / "hooks.log").read_text() and not list(node.glob("rank*.log"))
    assert task_log(cluster, job).endswith("no such driver\n[ModelArts Service Log] Training end with return code: 9\n")


def test_missing_boot_file_is_reported_in_one_sentence(cluster, scratch, code):
    result = cluster.run("run", "--platform", "modelarts", "-g", "npu:2", "-C", code, "--", "tarin.py", check=False, cwd=code)
    assert result.returncode == 127
    assert "the boot file /home/ma-user/modelarts/user-job-dir/resnet/tarin.py is missing" in result.stdout + result.stderr
    assert task_log(cluster, {"id": 1}) == "[ModelArts Service Log] Training end with return code: 127\n"


def test_first_generation_runs_a_command_with_the_image_script(cluster, scratch, code):
    """As an image of that time does it: run_train.sh sources utils.sh, fetches, logs, uploads its log, keeps the code."""
    write(code / "run_train.sh", """#!/bin/bash
cd "$(dirname "$0")"
source utils.sh
dls_fix_dns
unset_job_env_except_self "$DLS_JOB_ID"
decrypt_dls_aes_env
log=/tmp/dls-task-$DLS_TASK_INDEX.log
dls_create_log "$log"
cd user-job-dir
dls_get_app "$DLS_APP_URL" || exit 127
"$@" 2>&1 | dls_logger "$log"
code=${PIPESTATUS[0]}
dls_upload_log "$log" "$DLS_UPLOAD_LOG_OBS_DIR"
cat "$log"
exit $code
""", 0o755)
    write(code / "run.sh", f"pwd; {PYTHON} /home/work/user-job-dir/resnet/train.py; exit $((DLS_TASK_INDEX * 0))\n")
    spec = job_file(scratch, platform="modelarts-v1", code=str(code), inputs={"data_url": str(scratch / "set")},
                    outputs={"train_url": None}, parameters={"epochs": 3}, resources={"nodes": 2, "devices": "gpu:2"},
                    run="bash /home/work/run_train.sh bash /home/work/user-job-dir/run.sh", env={"LOOK": "/home/work /cache"})
    job = succeeded(cluster, cluster.submit(spec))
    need_view(notes(job))
    assert len(job["ranks"]) == 2
    ports = set()
    for node in range(2):
        said = told(cluster, job, node)
        env = said["env"]
        assert (env["DLS_TASK_INDEX"], env["DLS_TASK_NUMBER"], env["epochs"]) == (str(node), "2", "3")
        assert env["DLS_DATA_URL"] == str(scratch / "set") and said["argv"] == ["/home/work/user-job-dir/resnet/train.py"]
        host, port = env[f"BATCH_CUSTOM{node}_HOSTS"].split(":")
        assert (host, port) == (env["BATCH_CURRENT_HOST"], env["BATCH_CURRENT_PORT"])
        ports.add((env["BATCH_CUSTOM0_HOSTS"], env["BATCH_CUSTOM1_HOSTS"]))
        assert "MA_VJ_NAME" not in env and env["HOME"] == "/home/work"
        assert {"run_train.sh", "user-job-dir", "utils.sh"} <= set(said["names"]["/home/work"])
        log = cluster.data / f"jobs/{job['id']}/attempts/1/node{node}/log"
        assert "TOLD" in (log / f"dls-task-{node}.log").read_text()
    assert len(ports) == 1
    assert len({entry.split(":")[1] for pair in ports for entry in pair}) == 1, "launchers count up from one first port"


def test_first_generation_provides_a_default_script(cluster, scratch, code):
    write(code / "run.sh", "echo at $PWD; exit 6\n")
    job = cluster.wait_end(cluster.submit("--platform", "modelarts-v1", "-g", "gpu:2", "--",
                                          "bash /home/work/run_train.sh bash run.sh", cwd=code), 60)
    need_view(notes(job))
    assert "at /home/work/user-job-dir\n" in cluster.rank_log(job["id"]).decode()
    assert job["attempts"][0]["exit"]["code"] == 6


def test_apulis_runs_on_the_first_node_and_reaches_others_by_name(cluster, scratch, code):
    script = ("cd ~ && sudo -E bash -c 'echo as $DLWS_USER_NAME' && mkdir -p ~/checkpoints && echo done > ~/checkpoints/one && while read host slots; do ssh -o X=y $host -p "
              "$DLWS_SD_worker0_SSH_PORT 'echo on $DLWS_ROLE_NAME-$DLWS_ROLE_IDX $(cat ~/checkpoints/one)' </dev/null || exit 1; done "
              "< /home/${DLWS_USER_NAME}/ib_config; cat /pod.env /job/hostfile && touch ~/tensorboard/${DLWS_JOB_ID}/logs/events && sleep infinity")
    spec = job_file(scratch, platform="apulis", code=str(code), run=script, resources={"nodes": 2, "devices": "gpu:2"},
                    env={"DLWS_USER_NAME": "li"})
    job = succeeded(cluster, cluster.submit(spec))
    need_view(notes(job))
    text = cluster.rank_log(job["id"]).decode()
    assert re.findall(r"^on (\S+) done$", text, re.M) == ["worker-0", "worker-1"], text
    assert "as li\n" in text
    assert "worker-0 slots=2\nworker-1 slots=2\n" in text and "export DLWS_NUM_WORKER=2\n" in text
    assert "MUSTER_ATTEMPT_TOKEN" not in text
    assert any("sleep infinity" in note for note in notes(job))
    home = cluster.data / f"jobs/{job['id']}/outputs/home"
    assert (home / "ib_config").read_text() == "ib-worker-0 slots=2\nib-worker-1 slots=2\n"
    shared = cluster.data / f"jobs/{job['id']}/attempts/1/job"
    assert (shared / "ib_config").read_text() == (home / "ib_config").read_text()
    assert [(shared / f"ib_config-worker-{i}").read_text() for i in range(2)] == [f"ib-worker-{i} slots=2\n" for i in range(2)]
    assert (home / f"tensorboard/{UUID.format(job['id'])}/logs/events").exists()


def test_apulis_runs_on_every_node_with_npus_and_has_a_rank_table(cluster, scratch, code):
    npu = "/home/apulis/.npu"
    spec = job_file(scratch, platform="apulis", framework="mindspore", code=str(code), run=f"{PYTHON} train.py",
                    resources={"nodes": 2, "devices": "npu:2"}, env={"LOOK": "/job /home/apulis /data"})
    job = succeeded(cluster, cluster.submit(spec))
    need_view(notes(job))
    for node in range(2):
        env = told(cluster, job, node)["env"]
        assert (env["DLWS_ROLE_NAME"], env["DLWS_ROLE_IDX"], env["VISIBLE_IDS"]) == ("worker", str(node), "0,1")
        assert env["DLWS_IS_NPU_JOB"] == "true" and "MS_ROLE" not in env
    folder = cluster.data / f"jobs/{job['id']}/outputs/home/.npu/{UUID.format(job['id'])}"
    table = json.loads((folder / "hccl_ms.json").read_text())
    assert [one["rank_id"] for one in table["group_list"][0]["instance_list"]] == ["0", "1", "2", "3"]
    assert (folder / "npu_1.info").read_text().startswith("ip=0:")
    assert {"hccl_tf.json", "npu_0.info", "setup_environment_done"} <= set(os.listdir(folder))


def test_stop_leaves_no_process_of_a_job_in_a_view(cluster, scratch, code):
    resist = "setsid sleep 1000 & trap '' TERM; while :; do sleep 1; done"
    job = cluster.submit("--platform", "apulis", "-N", "2", "-g", "npu:2", "--grace", "1s", "--", resist, cwd=code)
    cluster.wait_state(job, "running")
    cluster.run("stop", job, timeout=60)
    assert cluster.wait_end(job)["state"] == "stopped"


def test_job_in_a_view_survives_its_server(cluster, scratch, code):
    go = scratch / "go"
    spec = job_file(scratch, platform="modelarts", code=str(code), inputs={"gate": str(scratch)},
                    run="until [ -e /home/ma-user/modelarts/inputs/gate_0/go ]; do sleep 0.05; done; ls -d /cache; cat /home/ma-user/mark; :",
                    resources={"nodes": 2, "devices": "npu:2"}, hooks={"setup": "echo marked > /home/ma-user/mark"})
    job = cluster.submit(spec)
    need_view(notes(cluster.wait_state(job, "running")))
    cluster.kill()
    cluster.start()
    go.touch()
    assert cluster.wait_end(job, 60)["state"] == "succeeded"
    assert cluster.rank_log(job).decode().endswith("/cache\nmarked\n")


def test_scratch_folders_are_removed_after_a_launcher_kill(cluster, scratch, code):
    job = cluster.submit("--platform", "modelarts", "-g", "npu:2", "--", "mkdir -p /cache/deep; echo x > /tmp/x; echo ready; sleep 1000")
    wait_until(lambda: b"ready" in cluster.rank_log(job), 60, "the rank to be ready")
    (launcher,) = [pid for pid, command in marked_processes(cluster.data) if "--order" in command]
    os.kill(launcher, signal.SIGKILL)
    assert cluster.wait_end(job)["state"] == "failed"
    node = cluster.data / f"jobs/{job}/attempts/1/node0"
    assert not (node / "cache").exists() and not (node / "tmp").exists() and (node / "order.json").exists()


def without_mounts():
    """Words that take the right to mount, and to make user namespaces that could, from what follows; nothing where
    that cannot be had."""
    words = ["setpriv", "--bounding-set", "-sys_admin,-setfcap", "--inh-caps", "-all"]
    if not shutil.which("setpriv") or subprocess.run([*words, "true"], capture_output=True).returncode:
        return []
    left = [flags for flags in ("-m", "-Urm") if not subprocess.run([*words, "unshare", flags, "true"], capture_output=True).returncode]
    return [] if left else words


def test_job_without_the_right_to_mount_runs_and_names_missing_paths(scratch, code):
    words = without_mounts()
    if not words:
        pytest.skip("the right to mount cannot be taken away here")
    write(code / "ma-pre-start.sh", "export FROM_PRE_START=1\n")
    wrapper = write(scratch / "muster", f"#!/bin/sh\nexec {' '.join(words)} {MUSTER} \"$@\"\n", 0o755)
    server = Muster(scratch / "my data", "--nodes", "2x2npu+2cpu")
    log = open(scratch / "server.log", "ab")
    server.process = subprocess.Popen([wrapper, "server", "--data", str(server.data), *server.flags], stdin=subprocess.DEVNULL,
                                      stdout=log, stderr=log, env=server.env)
    log.close()
    try:
        wait_until(server.endpoint, what="the server to answer")
        node = server.data / "jobs/1/attempts/1/node0"
        spec = job_file(scratch, platform="modelarts", code=str(code), run="train.py", python=PYTHON,
                        inputs={"data_url": str(scratch / "set")}, outputs={"train_url": None},
                        resources={"nodes": 2, "devices": "npu:2"}, env={"LOOK": "/cache"})
        job = succeeded(server, server.submit(spec))
        said = told(server, job, 0)
        (note,) = [note for note in job["attempts"][0]["nodes"][0]["notes"] if NO_MOUNTS in note]
        assert "/cache, /home/ma-user" in note and "are missing" in note
        said_as_event = [event["data"]["text"] for event in server.get(f"/jobs/{job['id']}/events")["events"] if event["kind"] == "note"]
        assert note in said_as_event and note in server.run("describe", job["id"]).stdout
        assert said["env"]["LOOK"] == str(node / "cache"), "a variable of the user leads there too"
        assert not os.path.exists("/cache") and said["env"]["FROM_PRE_START"] == "1"
        assert said["argv"][1] == f"--data_url={scratch / 'set'}"
        assert said["env"]["MA_HOME"] == str(node / "home")
        assert said["env"]["RANK_TABLE_FILE"] == str(node / "home/modelarts/rank_table/jobstart_hccl.json")
        assert said["cwd"] == str(node / "workspace/device0")
        assert list(said["resolved"]) == list(said["resolved"].values()), "names of nodes became their addresses"
        before = set(os.listdir("/"))
        job = server.wait_end(server.submit("--platform", "apulis", "-N", "2", "-g", "npu:2", "--", "cat ~/ib_config; exit 4"), 60)
        first = job["attempts"][0]["cause"]["rank"]  # the other one may have been stopped before it said a word
        assert server.rank_log(job["id"], first).decode() == "ib-worker-0 slots=2\nib-worker-1 slots=2\n", notes(job)
        assert job["attempts"][0]["exit"]["code"] == 4 and set(os.listdir("/")) == before
    finally:
        server.stop()


def test_apulis_runs_the_text_in_a_login_shell_and_adds_nothing_to_it(cluster, scratch, code):
    spec = job_file(scratch, platform="apulis", run="shopt -q login_shell && echo login; echo path $PATH; echo from $FROM_PROFILE; echo last",
                    inputs={"data": str(scratch / "set")}, outputs={"model": None}, resources={"devices": "gpu:2"},
                    hooks={"setup": "echo 'export FROM_PROFILE=yes' > ~/.profile"}, env={"PATH": "/opt/mine:/usr/bin:/bin"})
    job = succeeded(cluster, cluster.submit(spec))
    lines = cluster.rank_log(job["id"]).decode().splitlines()
    assert lines[0] == "login" and lines[1].endswith(":/opt/mine:/usr/bin:/bin"), lines
    assert lines[-1] == "last", "no --data=… and no --model=… behind the text"
    assert lines[2] == "from yes"


@pytest.mark.parametrize("run", ["(echo done && sleep infinity)", "echo done; sleep infinity;", "echo done && sleep infinity # keep it",
                                 "bash -c \"echo done && (sleep infinity)\""])
def test_apulis_ends_a_command_that_keeps_its_container(cluster, scratch, run):
    job = succeeded(cluster, cluster.submit(job_file(scratch, platform="apulis", run=run, resources={"devices": "gpu:2"})))
    assert cluster.rank_log(job["id"]) == b"done\n" and any("sleep infinity" in note for note in notes(job))


@pytest.mark.parametrize("nodes", [1, 2])
def test_apulis_logins_and_copies_work_without_a_framework(cluster, scratch, nodes):
    script = f"""set -e
echo one > ~/one; cd /
ssh ib-worker-{nodes - 1} pwd
echo 'echo read from standard input on $DLWS_ROLE_IDX' | ssh worker-{nodes - 1}
scp -P 22 ~/one worker-{nodes - 1}:/tmp/two
ssh worker-{nodes - 1} cat /tmp/two
mkdir -p ~/tree/deep; echo three > ~/tree/deep/file
scp -r ~/tree worker-{nodes - 1}:/tmp
scp worker-{nodes - 1}:/tmp/tree/deep/file ~/back; cat ~/back
"""
    job = succeeded(cluster, cluster.submit(job_file(scratch, platform="apulis", run=script, resources={"nodes": nodes, "devices": "gpu:2"})))
    assert cluster.rank_log(job["id"]).decode().splitlines() == ["/home/apulis", f"read from standard input on {nodes - 1}", "one", "three"]


def test_apulis_pods_of_the_table_are_the_names_of_the_nodes(cluster, scratch):
    job = succeeded(cluster, cluster.submit(job_file(scratch, platform="apulis", run="echo pod $POD_NAME", resources={"nodes": 2, "devices": "npu:2"})))
    folder = cluster.data / f"jobs/{job['id']}/outputs/home/.npu/{UUID.format(job['id'])}"
    table = json.loads((folder / "hccl_tf.json").read_text())
    assert [f"pod {one['pod_name']}\n" for one in table["group_list"][0]["instance_list"]] == [
        cluster.rank_log(job["id"], rank).decode() for rank in range(2)]


def test_modelarts_has_sudo_and_bash_for_commands_and_pre_start(cluster, scratch, code):
    write(code / "ma-pre-start.sh", "sudo -E sh -c 'echo upgraded as $(id -u)' > ~/cann || exit 1\n")
    spec = job_file(scratch, name="demo", platform="modelarts-v1", code=str(code), resources={"devices": "gpu:2"},
                    run="env | grep '^BATCH_demo.0_HOSTS=' | cut -d= -f1; sudo FOO=bar sh -c 'echo $FOO'")
    job = succeeded(cluster, cluster.submit(spec))
    assert cluster.rank_log(job["id"]).decode() == "BATCH_demo.0_HOSTS\nbar\n"
    log = cluster.data / f"jobs/{job['id']}/attempts/1/node0/home/cann"
    assert log.read_text() == f"upgraded as {os.getuid()}\n"


def test_apulis_home_and_examples_stay_between_jobs(cluster, scratch):
    (scratch / "li").mkdir()
    (scratch / "set").mkdir()
    (scratch / "set" / "mnist.py").write_text("the example\n")
    for _ in range(2):
        job = succeeded(cluster, cluster.submit(job_file(scratch, platform="apulis", run="cat ~/kept; cat /examples/mnist.py; echo kept > ~/kept; :",
                                                         inputs={"home": str(scratch / "li"), "examples": str(scratch / "set")},
                                                         resources={"devices": "gpu:2"})))
    assert (scratch / "li" / "kept").read_text() == "kept\n"
    assert cluster.rank_log(job["id"]).decode() == "kept\nthe example\n"
