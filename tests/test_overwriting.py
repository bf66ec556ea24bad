"""The complete result of a job at a place is not replaced by another job, unless that job says `overwrite: true`."""
import json

import pytest
from conftest import wait_until
from s3 import body, bucket, client, keys

MANIFEST = "muster-manifest.json"
WRITE = 'out=${1#*=}; mkdir -p "$out/deep"; echo "$MUSTER_JOB_ID" > "$out/net.ckpt"; echo "rank $MUSTER_RANK" > "$out/deep/$MUSTER_RANK"; '


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2npu+2cpu", "--store-sync", "none")


class Bucket:
    """A place in a bucket, and what lies there."""

    def __init__(self, server, scratch):
        self.s3 = client(server)
        self.name = bucket(self.s3)
        self.place = f"s3://{self.name}/out/"

    def content(self):
        return {key.removeprefix("out/"): body(self.s3, self.name, key) for key in keys(self.s3, self.name)}


class Folder:
    """The same for a folder."""

    def __init__(self, server, scratch):
        self.place = str(scratch / "results of it")

    def content(self):
        root = __import__("pathlib").Path(self.place)
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(params=[Bucket, Folder])
def there(request, cluster, scratch):
    return request.param(cluster, scratch)


def job_file(scratch, script, name="job", **document):
    (scratch / f"{name}.sh").write_text(script)
    path = scratch / f"{name}.json"
    path.write_text(json.dumps({"name": name, "run": ["/bin/sh", f"{scratch}/{name}.sh"], **document}))
    return path


def to(there, **members):
    return {"o": {"to": there.place, "mode": "publish", **members}}


def ended(server, job, state):
    found = server.wait_end(job, 90)
    assert found["state"] == state, json.dumps(found, indent=1)
    return found


def published(server, scratch, there, **document):
    """A complete result at the place, and everything that lies there."""
    job = server.submit(job_file(scratch, WRITE, "good", outputs=to(there), **document))
    ended(server, job, "succeeded")
    content = there.content()
    assert json.loads(content[MANIFEST])["job"] == job and content["net.ckpt"] == f"{job}\n".encode()
    return job, content


def refusal(server, there, *words):
    """What a user reads who submits a job that would replace a result: at submit, or for a bucket before its ranks start."""
    done = server.run(*words, check=False)
    if isinstance(there, Folder):
        assert done.returncode == 2, done
        return done.stderr
    return ended(server, int(done.stdout.split()[0]), "failed")["attempts"][-1]["cause"]["what"]


def test_a_result_is_refused_before_ranks_start_and_the_earlier_one_stays(cluster, scratch, there):
    first, content = published(cluster, scratch, there)
    file = job_file(scratch, f"touch {scratch}/ran; " + WRITE, outputs=to(there), resources={"nodes": 2})
    what = refusal(cluster, there, "run", "-d", file)
    assert f"the complete result of job {first} (good)" in what and "overwrite: true" in what and "${job_id}" in what, what
    assert not (scratch / "ran").exists(), "no rank may run for a result that cannot be published"
    assert there.content() == content
    if isinstance(there, Bucket):
        assert f"complete result of job {first}" in cluster.run("describe", first + 1).stdout
    else:
        assert len(cluster.get("/jobs")["jobs"]) == 1


def test_a_rerun_is_refused_and_overwrite_allows_it(cluster, scratch, there):
    first, content = published(cluster, scratch, there)
    assert f"complete result of job {first}" in refusal(cluster, there, "rerun", "-d", first)
    assert there.content() == content
    job = cluster.submit(job_file(scratch, WRITE, outputs=to(there)), "--overwrite")
    ended(cluster, job, "succeeded")
    assert there.content()["net.ckpt"] == f"{job}\n".encode() and json.loads(there.content()[MANIFEST])["job"] == job


def test_a_result_that_appears_before_the_start_is_kept(cluster, scratch, there):
    gate = cluster.submit("-N", "2", "-g", "cpu:2", "--", f"while [ ! -e {scratch}/go ]; do sleep 0.02; done")
    cluster.wait_state(gate, "running")
    queued = cluster.submit(job_file(scratch, f"touch {scratch}/ran; " + WRITE, outputs=to(there), resources={"devices": "cpu:2"}))
    first, content = published(cluster, scratch, there, resources={"devices": "npu:1"})
    (scratch / "go").touch()
    what = ended(cluster, queued, "failed")["attempts"][-1]["cause"]["what"]
    assert f"holds the complete result of job {first} (good)" in what, what
    assert there.content() == content and not (scratch / "ran").exists()


def test_a_result_that_appears_while_the_job_runs_is_kept(cluster, scratch, there):
    wait = f"touch {scratch}/ready; while [ ! -e {scratch}/go ]; do sleep 0.02; done; "
    late = cluster.submit(job_file(scratch, wait + WRITE, "late", outputs=to(there, sync="1s")))
    wait_until((scratch / "ready").exists, 60, "the job to run")
    first, content = published(cluster, scratch, there)
    (scratch / "go").touch()
    found = ended(cluster, late, "failed")
    cause = found["attempts"][-1]["cause"]
    assert cause["exit"]["class"] == "not_published" and f"complete result of job {first}" in cause["what"], cause
    assert there.content() == content
    # The results stay on the node, and the message says how to take them elsewhere.
    assert (cluster.data / f"jobs/{late}/outputs/o/net.ckpt").read_text() == f"{late}\n"
    assert f"{cluster.data}/jobs/{late}/outputs/o" in cause["what"], cause


@pytest.mark.parametrize("fault", ["setup", "program", "input", "stop"])
def test_a_job_of_which_nothing_ran_publishes_nothing(cluster, scratch, there, fault):
    first, content = published(cluster, scratch, there)
    document = {"outputs": to(there, when="always", overwrite=True)}
    if fault == "setup":
        document["hooks"] = {"setup": f"touch {scratch}/ready; exit 9"}
    elif fault == "program":
        document["run"] = ["/no/such/program"]
    elif fault == "input":
        document["inputs"] = {"data": "s3://no-such-bucket-here/x/"}
    else:
        document["hooks"] = {"setup": f"touch {scratch}/ready; sleep 100"}
    job = cluster.submit(job_file(scratch, WRITE, **document))
    if fault == "stop":
        wait_until((scratch / "ready").exists, 60, "the setup hook")
        cluster.run("stop", job)
    ended(cluster, job, "stopped" if fault == "stop" else "failed")
    assert there.content() == content
    kinds = [event["kind"] for event in cluster.get(f"/jobs/{job}/events")["events"]]
    assert "publishing" not in kinds and "published" not in kinds, kinds


def test_a_job_that_ran_publishes_when_its_last_attempt_did_not(cluster, scratch, there):
    script = WRITE + "exit 3"
    hooks = {"setup": '[ "$MUSTER_ATTEMPT" = 1 ]'}
    job = cluster.submit(job_file(scratch, script, outputs=to(there, when="always"), hooks=hooks, retries=1))
    assert len(ended(cluster, job, "failed")["attempts"]) == 2
    assert there.content()["net.ckpt"] == f"{job}\n".encode() and json.loads(there.content()[MANIFEST])["state"] == "failed"


def test_the_result_of_a_failed_job_may_be_replaced(cluster, scratch, there):
    bad = cluster.submit(job_file(scratch, WRITE + "exit 3", outputs=to(there, when="always")))
    ended(cluster, bad, "failed")
    assert json.loads(there.content()[MANIFEST])["state"] == "failed"
    published(cluster, scratch, there)


def test_every_job_has_its_place_by_its_id(cluster, scratch, there):
    place = there.place.rstrip("/")
    for _ in range(2):
        job = cluster.submit(job_file(scratch, WRITE, outputs={"o": {"to": place + "/run-${job_id}/", "mode": "publish"}}))
        ended(cluster, job, "succeeded")
        assert there.content()[f"run-{job}/net.ckpt"] == f"{job}\n".encode()
        assert json.loads(there.content()[f"run-{job}/{MANIFEST}"])["job"] == job


def test_a_sweep_into_one_place_is_refused_at_submit(cluster, scratch, there):
    refused = cluster.run("run", "-d", job_file(scratch, WRITE, outputs=to(there), sweep={"lr": [1, 2]}), check=False)
    assert refused.returncode == 2 and "outputs.o: found the same place in several jobs of the sweep" in refused.stderr, refused
    assert cluster.get("/jobs")["jobs"] == []
