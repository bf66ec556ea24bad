"""Outputs and logs in buckets: published whole or not at all, also over kills, and what is said when it cannot be."""
import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time

import botocore.exceptions
import pytest
from conftest import PYTHON, ROOT, marked_processes, wait_until
from s3 import body, bucket, client, keys

MANIFEST = "muster-manifest.json"


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2npu+2cpu", "--store-sync", "none")


def job_file(scratch, script, text, name="job"):
    (scratch / f"{name}.sh").write_text(script)
    path = scratch / f"{name}.yaml"
    path.write_text(f"name: {name}\nrun: [/bin/sh, {scratch}/{name}.sh]\n{text}\n")
    return path


def verdict(server, job):
    return json.dumps(server.job(job), indent=1)


def events(server, job, kind):
    return [event["data"] for event in server.get(f"/jobs/{job}/events")["events"] if event["kind"] == kind]


def notes(server, job):
    return [data["text"] for data in events(server, job, "note")]


def manifest(s3, name, prefix="out/"):
    """The manifest of an output, after holding every file against it; None where there is none."""
    try:
        found = json.loads(body(s3, name, prefix + MANIFEST))
    except botocore.exceptions.ClientError:
        return None
    for file in found["files"]:
        data = body(s3, name, prefix + file["name"])
        assert len(data) == file["size"] and hashlib.sha256(data).hexdigest() == file["sha256"], file
    assert found["bytes"] == sum(file["size"] for file in found["files"])
    return found


WRITE = 'out=${1#*=}; mkdir -p "$out/deep"; echo model > "$out/net.ckpt"; echo "rank $MUSTER_RANK" > "$out/deep/$MUSTER_RANK"; echo done; '


def test_output_is_published_with_a_manifest(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    text = f"outputs: {{train_url: 's3://{b}/out', local: }}\nresources: {{nodes: 2}}"
    job = cluster.submit(job_file(scratch, WRITE, text))
    ended = cluster.wait_end(job)
    assert ended["state"] == "succeeded", verdict(cluster, job)
    found = manifest(s3, b)
    assert sorted(file["name"] for file in found["files"]) == ["deep/0", "deep/1", "net.ckpt"]
    assert (found["job"], found["attempt"], found["state"], found["output"], found["job_name"]) == (job, 1, "succeeded", "train_url", "job")
    assert sorted(keys(s3, b)) == sorted(["out/net.ckpt", "out/deep/0", "out/deep/1", "out/" + MANIFEST])
    assert events(cluster, job, "publishing") and events(cluster, job, "published") == [{"whole": True}]
    assert any(f"published to s3://{b}/out/" in note for note in notes(cluster, job)), notes(cluster, job)
    # What was published is also where it was written.
    assert (cluster.data / f"jobs/{job}/outputs/train_url/net.ckpt").read_text() == "model\n"


def test_destination_may_be_a_folder(cluster, scratch):
    there = scratch / "results of it"
    there.mkdir()
    (there / MANIFEST).write_text("of an earlier job")
    text = f"outputs: {{train_url: {{to: '{there}', mode: publish, overwrite: true}}}}"
    job = cluster.submit(job_file(scratch, WRITE, text))
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    assert (there / "net.ckpt").read_text() == "model\n"
    assert json.loads((there / MANIFEST).read_text())["job"] == job


def test_empty_output_is_complete(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    job = cluster.submit(job_file(scratch, "echo nothing", f"outputs: {{train_url: 'obs://{b}'}}"))
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    assert manifest(s3, b, "")["files"] == []


def test_awkward_names_and_a_manifest_written_by_the_job(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    names = ["with blank", "100%", "ünï/数据", "a+b&c", "deep/" + MANIFEST, MANIFEST]
    script = 'out=${1#*=}; mkdir -p "$out/ünï" "$out/deep"; ' + "".join(f'echo x > "$out/{name}"; ' for name in names) + 'ln -s /nowhere "$out/broken"'
    job = cluster.submit(job_file(scratch, script, f"outputs: {{train_url: 's3://{b}/out/'}}"))
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    assert sorted(file["name"] for file in manifest(s3, b)["files"]) == sorted(names[:-1])
    assert any("left out" in note and "a link that leads to no file" in note for note in notes(cluster, job)), notes(cluster, job)


@pytest.mark.parametrize("when", ["success", "always"])
def test_failed_job_publishes_only_with_when_always(cluster, scratch, when):
    s3 = client(cluster)
    b = bucket(s3)
    job = cluster.submit(job_file(scratch, WRITE + "exit 3", f"outputs: {{train_url: {{to: 's3://{b}/out/', when: {when}}}}}"))
    ended = cluster.wait_end(job)
    assert ended["state"] == "failed" and ended["attempts"][0]["exit"]["code"] == 3, verdict(cluster, job)
    found = manifest(s3, b)
    if when == "success":
        assert found is None and keys(s3, b) == []
    else:
        assert found["state"] == "failed" and len(found["files"]) == 2


def test_overwrite_replaces_the_result_of_another_job(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    first = cluster.submit(job_file(scratch, WRITE, f"outputs: {{o: 's3://{b}/out/'}}", "one"))
    assert cluster.wait_end(first)["state"] == "succeeded", verdict(cluster, first)
    second = cluster.submit(job_file(scratch, 'echo other > "${1#*=}/net.ckpt"', f"outputs: {{o: {{to: 's3://{b}/out/', overwrite: true}}}}", "two"))
    assert cluster.wait_end(second)["state"] == "succeeded", verdict(cluster, second)
    found = manifest(s3, b)
    assert found["job"] == second and [file["name"] for file in found["files"]] == ["net.ckpt"]


# ------------------------------------------------------------------------------------------------ what goes wrong

def failed_to_publish(server, job, url, *words):
    ended = server.wait_end(job, 120)
    assert ended["state"] == "failed", ended
    attempt = ended["attempts"][-1]
    assert attempt["exit"]["class"] == "not_published", attempt
    what = attempt["cause"]["what"]
    assert attempt["cause"]["node_name"] in what and url in what, what
    for word in words:
        assert word in what, what
    folder = server.data / f"jobs/{job}/outputs/train_url"
    assert f"muster cp -r {folder} {url}" in what, what
    assert (folder / "net.ckpt").read_text() == "model\n"
    assert ended["verdict"]["cause"] == "not_published"
    assert url in server.run("describe", job).stdout
    return ended


def test_missing_bucket_is_reported_before_the_ranks_start(cluster, scratch):
    url = "s3://no-such-bucket-here/out/"
    job = cluster.submit(job_file(scratch, f"touch {scratch}/ran", f"outputs: {{train_url: '{url}'}}\nresources: {{nodes: 2}}"))
    ended = cluster.wait_end(job)
    assert ended["state"] == "failed" and not (scratch / "ran").exists()
    what = ended["attempts"][-1]["cause"]["what"]
    assert f"the output train_url to {url}" in what and "muster objects mb s3://no-such-bucket-here" in what, what
    # The next step that it names works.
    cluster.run("objects", "mb", "s3://no-such-bucket-here")
    again = cluster.submit(job_file(scratch, WRITE, f"outputs: {{train_url: '{url}'}}"))
    assert cluster.wait_end(again)["state"] == "succeeded", verdict(cluster, again)


def test_removed_bucket_fails_the_job(cluster, scratch):
    cluster.run("objects", "mb", "s3://soon-gone")
    url = "s3://soon-gone/out/"
    wait = f"while [ ! -e {scratch}/go ]; do sleep 0.05; done; touch {scratch}/ran; "
    job = cluster.submit(job_file(scratch, wait + WRITE, f"outputs: {{train_url: '{url}'}}\nretries: 2"))
    wait_until(lambda: cluster.job(job)["state"] == "running", 60, "the job to run")
    cluster.run("objects", "rb", "s3://soon-gone")
    (scratch / "go").touch()
    ended = failed_to_publish(cluster, job, url, "bucket")
    assert len(ended["attempts"]) == 1
    # The next step that it names works once the cause is gone.
    cluster.run("objects", "mb", "s3://soon-gone")
    cluster.run("cp", "-r", cluster.data / f"jobs/{job}/outputs/train_url", url)
    assert body(client(cluster), "soon-gone", "out/net.ckpt") == b"model\n"


def test_wrong_keys_fail_the_job_and_are_not_shown(cluster, scratch):
    b = bucket(client(cluster))
    env = f"env: {{AWS_ENDPOINT_URL: '{cluster.endpoint()['s3']['endpoint']}', AWS_ACCESS_KEY_ID: nobody, AWS_SECRET_ACCESS_KEY: wr0ng-s3cret}}"
    job = cluster.submit(job_file(scratch, WRITE, f"outputs: {{train_url: 's3://{b}/out/'}}\n{env}"))
    ended = failed_to_publish(cluster, job, f"s3://{b}/out/")
    assert "wr0ng-s3cret" not in json.dumps(ended["attempts"])
    for verb in (["describe", job], ["events", job]):
        assert "wr0ng-s3cret" not in cluster.run(*verb).stdout


def test_unreachable_endpoint_fails_the_job(cluster, scratch):
    env = "env: {AWS_ENDPOINT_URL: 'http://127.0.0.1:9', AWS_ACCESS_KEY_ID: a, AWS_SECRET_ACCESS_KEY: b}"
    job = cluster.submit(job_file(scratch, WRITE, f"outputs: {{train_url: 's3://bkt-far/out/'}}\n{env}"))
    failed_to_publish(cluster, job, "s3://bkt-far/out/", "127.0.0.1:9")


def test_full_disk_at_the_destination_fails_the_job(cluster, scratch):
    """/dev/full has no folders: a file where the folder should be, and a place that takes nothing."""
    job = cluster.submit(job_file(scratch, WRITE, "outputs: {train_url: {to: /dev/full/x, mode: publish}}"))
    failed_to_publish(cluster, job, "/dev/full/x")


def test_keys_appear_in_no_file_or_page(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    file = job_file(scratch, WRITE, f"outputs: {{train_url: {{to: 's3://{b}/out/', sync: 1s}}}}\nlogs: 's3://{b}/log/'")
    job = cluster.submit(file)
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    secret = cluster.endpoint()["s3"]["secret_key"]
    for verb in (["describe", job, "--json"], ["plan", file, "--json"], ["events", job]):
        assert secret not in cluster.run(*verb).stdout, verb
    for path in (cluster.data / "jobs").rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


# ------------------------------------------------------------------------------------------------ while it runs

def test_checkpoints_are_copied_while_the_job_runs(cluster, scratch):
    """What is finished is copied, what is being written waits, and the manifest comes with the end."""
    s3 = client(cluster)
    b = bucket(s3)
    s3.put_object(Bucket=b, Key="out/" + MANIFEST, Body=b'{"version": 1, "job": 99, "state": "failed"}')
    script = f"""out=${{1#*=}}
    mkdir "$out/ckpt"; echo one > "$out/ckpt/1"; exec 3> "$out/ckpt/open"; echo half >&3
    while [ ! -e {scratch}/second ]; do sleep 0.02; done
    echo two > "$out/.2.tmp" && mv "$out/.2.tmp" "$out/ckpt/2"; echo changed > "$out/ckpt/1"
    while [ ! -e {scratch}/last ]; do sleep 0.02; done
    echo half >&3; exec 3>&-; echo three > "$out/ckpt/3"
    """
    job = cluster.submit(job_file(scratch, script, f"outputs: {{o: {{to: 's3://{b}/out/', sync: 1s}}}}"))
    wait_until(lambda: "out/ckpt/1" in keys(s3, b), 60, "the first checkpoint")
    assert keys(s3, b) == ["out/ckpt/1"]
    (scratch / "second").touch()
    wait_until(lambda: "out/ckpt/2" in keys(s3, b) and body(s3, b, "out/ckpt/1") == b"changed\n", 60, "the second one")
    assert cluster.job(job)["state"] == "running" and "out/ckpt/open" not in keys(s3, b)
    (scratch / "last").touch()
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    found = manifest(s3, b)
    assert sorted(file["name"] for file in found["files"]) == ["ckpt/1", "ckpt/2", "ckpt/3", "ckpt/open"]
    assert body(s3, b, "out/ckpt/open") == b"half\nhalf\n"
    proof = cluster.job(job)["attempts"][0]["nodes"][0]["clean"]
    assert proof["found"] == 0, proof


def test_killed_sync_process_is_restarted(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    script = f'while [ ! -e {scratch}/go ]; do sleep 0.02; done; echo x > "${{1#*=}}/x"; while [ ! -e {scratch}/end ]; do sleep 0.02; done'
    job = cluster.submit(job_file(scratch, script, f"outputs: {{o: {{to: 's3://{b}/out/', sync: 1s}}}}"))
    copier = lambda: [pid for pid, command in marked_processes(cluster.data) if "--meanwhile" in command]
    first = wait_until(copier, 60, "the copier")
    os.kill(first[0], signal.SIGKILL)
    wait_until(lambda: copier() and copier() != first, 60, "another copier")
    (scratch / "go").touch()
    wait_until(lambda: "out/x" in keys(s3, b), 60, "the file")
    (scratch / "end").touch()
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)


def test_logs_are_copied_while_the_job_runs_and_complete_at_the_end(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    script = f"echo first; while [ ! -e {scratch}/go ]; do sleep 0.02; done; echo last; exit $MUSTER_RANK"
    job = cluster.submit(job_file(scratch, script, f"logs: 'obs://{b}/log'\nresources: {{nodes: 2}}"))
    names = [f"log/modelarts-job-00000000-0000-4000-8000-{job:012}-worker-{node}.log" for node in (0, 1)]
    wait_until(lambda: keys(s3, b) == names, 60, "both logs")
    assert body(s3, b, names[1]) == b"first\n"
    (scratch / "go").touch()
    assert cluster.wait_end(job)["state"] == "failed"
    for rank, name in enumerate(names):
        assert body(s3, b, name) == cluster.rank_log(job, rank)
    assert body(s3, b, names[1]) == b"first\nlast\n"  # the other may have been stopped before it said so


def test_failed_log_copy_does_not_fail_the_job(cluster, scratch):
    job = cluster.submit(job_file(scratch, "echo fine", "logs: 's3://no-such-bucket-here/log'"))
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    told = notes(cluster, job)
    assert any("logs cannot be copied to s3://no-such-bucket-here/log" in note for note in told), told  # before it began
    assert any("logs could not be copied to s3://no-such-bucket-here/log" in note for note in told), told
    assert "note: logs could not be copied to s3://no-such-bucket-here/log" in cluster.run("describe", job).stdout


def test_wait_shows_the_destinations_of_results(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    ran = cluster.run("run", job_file(scratch, WRITE, f"outputs: {{train_url: 's3://{b}/out/'}}\nlogs: 's3://{b}/log/'"))
    assert f"published to s3://{b}/out/" in ran.stderr and f"logs: 1 file in s3://{b}/log/" in ran.stderr, ran.stderr


# ------------------------------------------------------------------------------------------------ kills

MANY = 'out=${1#*=}; i=0; while [ $i -lt 200 ]; do head -c 20000 /dev/urandom > "$out/$i"; i=$((i+1)); done; head -c 30000000 /dev/urandom > "$out/large"'


def publishers(server):
    return [pid for pid, command in marked_processes(server.data) if "/publish/" in command]


def publish_under_kills(cluster, scratch, rng, most):
    """One job whose server or publisher is killed up to `most` times; whole at the end, and not before. How often it was."""
    b = bucket(client(cluster))
    job = cluster.submit(job_file(scratch, MANY, f"outputs: {{o: 's3://{b}/out/'}}"))
    kills = 0
    while kills < most:
        state = cluster.job(job)["state"]
        if state in ("succeeded", "failed", "stopped"):
            break
        alive = publishers(cluster)
        if not alive:
            time.sleep(0.002)
            continue
        assert whole_if_manifest(cluster, b, 201)
        time.sleep(rng.random() * 0.05)
        if rng.random() < 0.15:
            cluster.kill()
            cluster.start()
        else:
            for pid in alive:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        kills += 1
    ended = cluster.wait_end(job, 120)
    assert ended["state"] == "succeeded", verdict(cluster, job)
    found = manifest(client(cluster), b)
    assert len(found["files"]) == 201
    folder = cluster.data / f"jobs/{job}/outputs/o"
    for file in found["files"]:
        assert hashlib.sha256((folder / file["name"]).read_bytes()).hexdigest() == file["sha256"], file
    return kills


def test_publication_resumes_after_kills_at_any_instant(cluster, scratch):
    """Server or publisher, twenty-two times, in as many jobs as that takes: on a busy machine one may be through between two looks."""
    rng = random.Random(7)
    kills, jobs = 0, 0
    while kills < 22:
        assert jobs < 40, f"{kills} kills in {jobs} jobs"
        kills += publish_under_kills(cluster, scratch, rng, 22 - kills)
        jobs += 1


def whole_if_manifest(server, b, count):
    """By the files of the store: no request can come in between."""
    files = [path for path in (server.data / "objects" / b).rglob("*") if path.is_file()]
    return not any(path.name == MANIFEST for path in files) or len(files) > count


def test_stop_interrupts_the_publication(cluster, scratch):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and never answers
        env = f"env: {{AWS_ENDPOINT_URL: 'http://127.0.0.1:{silent.getsockname()[1]}', AWS_ACCESS_KEY_ID: a, AWS_SECRET_ACCESS_KEY: b}}"
        job = cluster.submit(job_file(scratch, WRITE, f"outputs: {{train_url: 's3://bkt-far/out/'}}\n{env}"))
        wait_until(lambda: publishers(cluster), 60, "the publisher")
        assert cluster.job(job)["state"] == "running"
        cluster.run("stop", job)
        assert cluster.wait_end(job)["state"] == "stopped"
        assert not marked_processes(cluster.data)


# ------------------------------------------------------------------------------------------------ code in a bucket

def put_code(s3, b, prefix="demo-code/"):
    s3.put_object(Bucket=b, Key=prefix + "train.py", Body=b"import os, sys, pathlib, helper\nprint(helper.word, sys.argv[1:], os.getcwd())\n"
                                                          b"pathlib.Path('helper.py').write_text('word = 2')\n")
    s3.put_object(Bucket=b, Key=prefix + "helper.py", Body=b"word = 1")


def test_code_in_a_bucket_is_fetched_and_copied_to_each_node(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    put_code(s3, b)
    path = scratch / "job.yaml"
    path.write_text(f"code: obs://{b}/demo-code/\nrun: train.py\npython: {PYTHON}\nparameters: {{n: 3}}\nresources: {{nodes: 2}}\n")
    job = cluster.submit(path)
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    for rank in (0, 1):
        assert cluster.rank_log(job, rank).decode() == f"1 ['--n=3'] {cluster.data}/jobs/{job}/attempts/1/node{rank}/work/code\n"
    again = cluster.submit(path)
    assert cluster.wait_end(again)["state"] == "succeeded", verdict(cluster, again)
    assert cluster.rank_log(again).startswith(b"1 "), "the first job wrote into the cache"
    rerun = int(cluster.run("rerun", "-d", job).stdout.split()[0])
    assert cluster.wait_end(rerun)["state"] == "succeeded", verdict(cluster, rerun)


def test_boot_file_in_a_bucket_fetches_its_folder(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    put_code(s3, b)
    s3.put_object(Bucket=b, Key="set/x", Body=b"data")
    job = cluster.submit("--platform", "modelarts", "--python", PYTHON, "-i", f"data_url=s3://{b}/set/", "--", f"obs://{b}/demo-code/train.py")
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    assert b"'--data_url=/home/ma-user/modelarts/inputs/data_url_0'" in cluster.rank_log(job), cluster.rank_log(job)


@pytest.mark.parametrize("platform", ["", "--platform=modelarts"])
def test_failed_code_fetch_fails_the_job(cluster, scratch, platform):
    url = "s3://no-such-bucket-here/demo-code/"
    job = cluster.submit(*([platform] if platform else []), "--code", url, "--", "train.py")
    ended = cluster.wait_end(job)
    cause = ended["attempts"][-1]["cause"]
    assert ended["state"] == "failed" and cause["exit"]["class"] == "not_fetched", cause
    assert f"cannot fetch the code from {url}" in cause["what"] and cause["node_name"] in cause["what"], cause
    if platform:
        assert cause["exit"]["code"] == 127


def test_upload_shows_how_to_use_the_folder(cluster, scratch):
    folder = scratch / "my code"
    folder.mkdir()
    (folder / "go.py").write_text("print('went')\n")
    said = cluster.run("upload", folder).stdout
    url = said.splitlines()[-3].strip() if "next:" in said.splitlines()[-2] else said
    assert "s3://uploads/my code/" in said and "next: muster run --code" in said, said
    job = cluster.submit("--code", "s3://uploads/my code/", "--python", PYTHON, "--", "go.py")
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    assert cluster.rank_log(job) == b"went\n"
    there = cluster.run("upload", folder, "s3://my-own-bucket/x").stdout
    assert "s3://my-own-bucket/x/" in there
    assert body(client(cluster), "my-own-bucket", "x/go.py") == b"print('went')\n"
    refused = cluster.run("upload", folder / "go.py", check=False)
    assert refused.returncode != 0 and "is no folder" in refused.stderr


# ------------------------------------------------------------------------------------------------ a whole flow

def test_training_with_code_data_results_and_logs_in_buckets(cluster, scratch):
    """As a tutorial of ModelArts has it: folders are uploaded, the script copies with moxing, the bucket has the model and the log."""
    example = ROOT / "examples/modelarts-cifar10"
    subprocess.run([sys.executable, example / "make_data.py", scratch / "cifar"], check=True, timeout=60)
    cluster.run("upload", example, "obs://resnet50-train/resnet50_cifar10_train")
    cluster.run("upload", scratch / "cifar", "obs://ms-dataset/cifar-10")
    job = cluster.submit(example / "modelarts.yaml", "-g", "npu:2", "--python", PYTHON)
    ended = cluster.wait_end(job, seconds=240)
    assert ended["state"] == "succeeded", cluster.rank_log(job).decode() + verdict(cluster, job)
    s3 = client(cluster)
    found = manifest(s3, "resnet50-train", "output/")
    (model,) = [file for file in found["files"] if file["name"].startswith("net.")]
    assert model["size"] > 100_000 and found["state"] == "succeeded"
    log = body(s3, "resnet50-train", f"log/modelarts-job-00000000-0000-4000-8000-{job:012}-worker-0.log")
    assert b"epoch: 2 step: 8, loss is" in log
