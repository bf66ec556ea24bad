"""What runs on a node before its ranks, fetches, ma-pre-start.sh and hooks, can be read by users and goes into published logs."""
import json

import pytest
from conftest import PYTHON
from s3 import body, bucket, client, keys


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2npu+2cpu", "--store-sync", "none")


@pytest.fixture
def code(scratch):
    folder = scratch / "resnet"
    folder.mkdir()
    (folder / "train.py").write_text("print('trained', flush=True)\n")
    (folder / "ma-pre-start.sh").write_text("echo prepared by the script\n")
    return folder


def task_name(job, node=0):
    return f"modelarts-job-00000000-0000-4000-8000-{job:012}-worker-{node}.log"


def modelarts(cluster, *more, cwd):
    return cluster.submit("--platform", "modelarts", "--python", PYTHON, *more, "--", "train.py", cwd=cwd)


def test_hooks_shows_pre_start_and_setup_output(cluster, scratch, code):
    path = scratch / "job.json"
    path.write_text(json.dumps({"platform": "modelarts", "code": str(code), "run": "train.py", "python": PYTHON,
                                "hooks": {"setup": "echo set up; echo and this >&2"}, "resources": {"nodes": 2}}))
    job = cluster.submit(path)
    assert cluster.wait_end(job)["state"] == "succeeded"
    said = cluster.run("logs", "--hooks", job).stdout
    first, second = said.removeprefix("==> node-0 <==\n").split("==> node-1 <==\n")
    for part in (first, second):
        lines = part.splitlines()
        assert [line for line in lines if line in ("prepared by the script", "--- setup", "set up", "and this")] == [
            "prepared by the script", "--- setup", "set up", "and this"], said
    assert "trained" not in said and "prepared" not in cluster.run("logs", job).stdout
    assert cluster.run("logs", "--hooks", job, "-n", "1").stdout == "==> node-0 <==\nand this\n==> node-1 <==\nand this\n"
    assert cluster.raw(f"/jobs/{job}/nodes/1/hooks").decode() == second
    status, answer, _ = cluster.request("GET", f"/jobs/{job}/nodes/2/hooks")
    assert status == 404 and b"no node 2; it has 2" in answer, answer
    refused = cluster.run("logs", "--hooks", "-r", "0", job, check=False)
    assert refused.returncode == 2 and "--hooks" in refused.stderr, refused.stderr


def test_hooks_of_an_earlier_attempt(cluster):
    job = cluster.submit("-C", "none", "--retries", "1", "--", '[ "$MUSTER_ATTEMPT" = 2 ]')
    assert cluster.wait_end(job)["state"] == "succeeded"
    assert cluster.run("logs", "--hooks", job).stdout == ""
    assert cluster.run("logs", "--hooks", "--attempt", "1", job).stdout == ""
    assert cluster.run("logs", "--hooks", "--attempt", "3", job, check=False).returncode != 0


@pytest.mark.parametrize("which", ["setup", "pre_start"])
def test_last_lines_of_a_failed_hook_are_in_the_verdict(cluster, scratch, code, which):
    script = "for i in $(seq 200); do echo line $i; done; echo no such driver 81.3 >&2; exit 9"
    if which == "setup":
        path = scratch / "job.json"
        path.write_text(json.dumps({"run": "true", "hooks": {"setup": script}}))
        job = cluster.submit(path)
    else:
        (code / "ma-pre-start.sh").write_text(script)
        job = modelarts(cluster, cwd=code)
    ended = cluster.wait_end(job)
    assert ended["state"] == "failed"
    assert "no such driver 81.3" in ended["verdict"]["evidence"], ended["verdict"]
    shown = cluster.run("describe", job).stdout
    assert "no such driver 81.3" in shown and "exited with code 9" in shown, shown
    assert f"muster logs --hooks {job}" in shown, shown


def test_log_object_is_the_log_file_of_the_node(cluster, code):
    s3 = client(cluster)
    b = bucket(s3)
    s3.put_object(Bucket=b, Key="set/x", Body=b"data")
    path = code.parent / "job.json"
    path.write_text(json.dumps({"platform": "modelarts", "code": str(code), "run": "train.py", "python": PYTHON, "logs": f"obs://{b}/log/",
                                "inputs": {"data_url": f"obs://{b}/set/"}, "resources": {"nodes": 2}}))
    job = cluster.submit(path)
    assert cluster.wait_end(job)["state"] == "succeeded"
    whole = ""
    for node in (0, 1):
        found = body(s3, b, "log/" + task_name(job, node))
        assert found == (cluster.data / f"jobs/{job}/attempts/1/node{node}/log" / task_name(job, node)).read_bytes()
        text = found.decode()
        whole += text
        assert "prepared by the script\n" in text and "trained\n" in text and "--- fetch\n" in text, text
        assert text.endswith("[ModelArts Service Log] Training end with return code: 0\n"), text
    assert f"data_url: 1 file, 4 B, fetched from s3://{b}/set/" in whole, whole


@pytest.mark.parametrize("generation", ["modelarts", "modelarts-v1"])
def test_a_job_that_cannot_fetch_its_code_leaves_a_log_object(cluster, generation):
    s3 = client(cluster)
    b = bucket(s3)
    path = cluster.data.parent / "job.json"
    path.write_text(json.dumps({"name": "n", "platform": generation, "code": "obs://no-such-bucket-here/code/", "run": "train.py", "logs": f"obs://{b}/log/"}))
    job = cluster.submit(path)
    ended = cluster.wait_end(job)
    assert ended["state"] == "failed" and ended["attempts"][0]["exit"]["code"] == 127
    (key,) = keys(s3, b)
    assert key == ("log/" + task_name(job) if generation == "modelarts" else f"log/job{job:08x}-job-n-0.log")
    text = body(s3, b, key).decode()
    assert "cannot fetch the code from obs://no-such-bucket-here/code/" in text or "no-such-bucket-here" in text, text
    assert text.endswith("[ModelArts Service Log] Training end with return code: 127\n"), text


def test_failed_pre_start_script_is_in_the_log_object(cluster, code):
    s3 = client(cluster)
    b = bucket(s3)
    (code / "ma-pre-start.sh").write_text("echo no such driver; exit 9\n")
    path = code.parent / "job.json"
    path.write_text(json.dumps({"platform": "modelarts", "code": str(code), "run": "train.py", "logs": f"obs://{b}/log/"}))
    job = cluster.submit(path)
    assert cluster.wait_end(job)["state"] == "failed"
    text = body(s3, b, "log/" + task_name(job)).decode()
    assert text.endswith("no such driver\n[ModelArts Service Log] Training end with return code: 9\n"), text


@pytest.mark.parametrize("platform", ["modelarts", "modelarts-v1"])
def test_upload_variable_names_the_bucket_of_the_logs(cluster, platform):
    s3 = client(cluster)
    b = bucket(s3)
    path = cluster.data.parent / "job.json"
    for logs, expected in ((f"obs://{b}/log-${{job_id}}/", f"obs://{b}/log-{{}}/"), (None, None)):
        path.write_text(json.dumps({"platform": platform, "run": ["/bin/sh", "-c", "echo $DLS_UPLOAD_LOG_OBS_DIR"], **({"logs": logs} if logs else {})}))
        job = cluster.submit(path)
        assert cluster.wait_end(job)["state"] == "succeeded"
        printed = cluster.rank_log(job).decode().strip()
        assert printed == (expected.format(job) if expected else printed) and (expected or printed.startswith("/")), printed
