"""The key of the object store that the ranks of an attempt get: what it opens, and how long."""
import json
import os

import pytest
from botocore.exceptions import ClientError

from conftest import PYTHON, wait_until
from s3 import Raw, body, client, code_of, keys

NAMES = ["S3_ENDPOINT", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "OBS_ACCESS_KEY_ID", "OBS_SECRET_ACCESS_KEY"]
# Says what it has, and stays until it may go.
WAIT = ("import json, os, pathlib, time\nprint(json.dumps({n: os.environ.get(n) for n in %r}), flush=True)\n"
        "end = time.monotonic() + 120\nwhile not pathlib.Path(os.environ['GO']).exists() and time.monotonic() < end:\n    time.sleep(0.02)\n" % NAMES)


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x4cpu", "--store-sync", "none")


class Job:
    """A job that waits, and the store as its ranks see it."""

    def __init__(self, cluster, scratch, document, *words, script=WAIT):
        self.cluster, self.go = cluster, scratch / "go"
        self.go.unlink(missing_ok=True)
        folder = scratch / "code"
        folder.mkdir(exist_ok=True)
        (folder / "train.py").write_text(script)
        document = {"name": "keyed", "code": ".", "run": ["python", "train.py"], **document}
        document["run"][0] = str(PYTHON)
        document.setdefault("env", {})["GO"] = str(self.go)
        (folder / "job.json").write_text(json.dumps(document))
        self.id = cluster.submit("job.json", *words, cwd=folder)
        self.env = self.said()

    def said(self, rank=0, attempt=None):
        line = wait_until(lambda: self.cluster.rank_log(self.id, rank, attempt).decode().partition("\n")[0], 60, "the rank to say what it has")
        return json.loads(line)

    def client(self, env=None):
        env = env or self.env
        return client(self.cluster, env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"])

    def end(self):
        self.go.touch()
        return self.cluster.wait_end(self.id)


def code(call, **query):
    with pytest.raises(ClientError) as error:
        call(**query)
    return code_of(error)


@pytest.fixture
def filled(cluster):
    s3 = client(cluster)
    for name in "in", "out", "other", "named", "listed":
        s3.create_bucket(Bucket=name + "-bucket")
        s3.put_object(Bucket=name + "-bucket", Key="set/x", Body=name.encode())
        s3.put_object(Bucket=name + "-bucket", Key="elsewhere/x", Body=name.encode())
    return s3


def test_attempt_key_opens_only_the_places_of_the_job(cluster, filled, scratch):
    job = Job(cluster, scratch, {"inputs": {"data": "s3://in-bucket/set/"}, "outputs": {"model": {"to": "s3://out-bucket/set/", "when": "always"}},
                                 "parameters": {"extra": "obs://named-bucket/x"}})
    s3, owner = job.client(), cluster.endpoint()["s3"]
    assert job.env["AWS_ACCESS_KEY_ID"] != owner["access_key"] and owner["secret_key"] not in job.env.values()
    assert body(s3, "in-bucket", "set/x") == b"in" and keys(s3, "in-bucket", Prefix="set/") == ["set/x"]
    for call, query in ((s3.get_object, dict(Bucket="in-bucket", Key="elsewhere/x")), (s3.list_objects_v2, dict(Bucket="in-bucket")),
                        (s3.put_object, dict(Bucket="in-bucket", Key="set/y", Body=b"")), (s3.delete_object, dict(Bucket="in-bucket", Key="set/x")),
                        (s3.get_object, dict(Bucket="out-bucket", Key="elsewhere/x")), (s3.put_object, dict(Bucket="out-bucket", Key="y", Body=b"")),
                        (s3.get_object, dict(Bucket="other-bucket", Key="set/x")), (s3.list_objects_v2, dict(Bucket="other-bucket")),
                        (s3.put_object, dict(Bucket="other-bucket", Key="set/x", Body=b"")), (s3.get_bucket_versioning, dict(Bucket="other-bucket")),
                        (s3.create_bucket, dict(Bucket="fresh-bucket")), (s3.delete_bucket, dict(Bucket="other-bucket")),
                        (s3.copy_object, dict(Bucket="named-bucket", Key="stolen", CopySource="other-bucket/set/x"))):
        assert code(call, **query) == "AccessDenied", query
    s3.put_object(Bucket="out-bucket", Key="set/y", Body=b"mine")
    s3.put_object(Bucket="named-bucket", Key="y", Body=b"mine")
    assert body(s3, "named-bucket", "elsewhere/x") == b"named"
    assert sorted(one["Name"] for one in s3.list_buckets()["Buckets"]) == ["in-bucket", "named-bucket", "out-bucket"]
    with pytest.raises(ClientError) as error:
        s3.get_object(Bucket="other-bucket", Key="set/x")
    assert f"job {job.id}" in error.value.response["Error"]["Message"] and "store.read" in error.value.response["Error"]["Message"]
    assert body(filled, "other-bucket", "set/x") == b"other"
    assert job.end()["state"] == "succeeded"


@pytest.mark.parametrize("grant", [{}, {"read": ["*"], "write": ["*"]}])
def test_attempt_key_never_manages_keys(cluster, scratch, grant):
    job = Job(cluster, scratch, {"store": grant})
    raw = Raw(cluster)
    raw.s3 = {**raw.s3, "access_key": job.env["ACCESS_KEY_ID"], "secret_key": job.env["SECRET_ACCESS_KEY"]}
    wanted = b"<NewKey><User>thief</User><Grant><Bucket>*</Bucket><Prefix></Prefix><Write>true</Write></Grant></NewKey>"
    for method, data in (("GET", b""), ("POST", wanted), ("DELETE", b"")):
        status, answer, _ = raw.v4(method, "/?muster-keys", "UNSIGNED-PAYLOAD", {}, data)
        assert status == 403 and b"SecretKey" not in answer
    job.end()


def test_buckets_that_the_code_names_are_open_unless_the_job_has_store(cluster, filled, scratch):
    script = WAIT + "PLACE = 'obs://named-bucket/set/'\n"
    job = Job(cluster, scratch, {}, script=script)
    job.client().put_object(Bucket="named-bucket", Key="by-code", Body=b"1")
    assert code(job.client().get_object, Bucket="other-bucket", Key="set/x") == "AccessDenied"
    job.end()
    job = Job(cluster, scratch, {"store": {"read": "s3://listed-bucket/set/", "write": ["s3://out-bucket/set/"]}}, script=script)
    s3 = job.client()
    assert body(s3, "listed-bucket", "set/x") == b"listed" and code(s3.put_object, Bucket="listed-bucket", Key="set/x", Body=b"") == "AccessDenied"
    assert code(s3.get_object, Bucket="listed-bucket", Key="elsewhere/x") == code(s3.get_object, Bucket="named-bucket", Key="set/x") == "AccessDenied"
    s3.put_object(Bucket="out-bucket", Key="set/z", Body=b"")
    job.end()


def test_attempt_key_ends_with_the_attempt_and_survives_the_server(cluster, filled, scratch):
    job = Job(cluster, scratch, {"env": {"DATA": "s3://named-bucket/set/"}})
    (file,) = (cluster.data / "jobs" / str(job.id)).glob("attempts/1/store.json")
    assert file.stat().st_mode & 0o077 == 0
    cluster.kill()
    cluster.start()
    assert json.loads(file.read_text())["s3"]["secret_key"] == job.env["SECRET_ACCESS_KEY"]
    assert body(job.client(), "named-bucket", "set/x") == b"named"
    assert code(job.client().get_object, Bucket="other-bucket", Key="set/x") == "AccessDenied"
    assert job.end()["state"] == "succeeded"
    assert code(job.client().get_object, Bucket="named-bucket", Key="set/x") == "InvalidAccessKeyId"
    assert not file.exists()
    cluster.kill()
    cluster.start()
    assert code(job.client().get_object, Bucket="named-bucket", Key="set/x") == "InvalidAccessKeyId"


def test_stop_revokes_the_key_and_a_retry_has_another(cluster, filled, scratch):
    job = Job(cluster, scratch, {"env": {"DATA": "s3://named-bucket/"}})
    assert body(job.client(), "named-bucket", "set/x") == b"named"
    cluster.run("stop", job.id)
    assert cluster.wait_end(job.id)["state"] == "stopped"
    assert code(job.client().get_object, Bucket="named-bucket", Key="set/x") == "InvalidAccessKeyId"
    script = WAIT + "if os.environ['MUSTER_ATTEMPT'] == '1': raise SystemExit(3)\n"
    job = Job(cluster, scratch, {"env": {"DATA": "s3://named-bucket/"}, "retries": 1}, script=script)
    assert job.end()["state"] == "succeeded"
    second = job.said(attempt=2)
    assert second["ACCESS_KEY_ID"] != job.env["ACCESS_KEY_ID"] and second["SECRET_ACCESS_KEY"] != job.env["SECRET_ACCESS_KEY"]


def test_secrets_of_attempts_are_in_no_file_of_a_job_and_in_no_process_list(cluster, scratch):
    job = Job(cluster, scratch, {"store": {}})
    secret = job.env["SECRET_ACCESS_KEY"].encode()
    lists = [open(f"/proc/{pid}/cmdline", "rb").read() for pid in os.listdir("/proc") if pid.isdigit() and os.path.exists(f"/proc/{pid}/cmdline")]
    assert not [line for line in lists if secret in line]
    pages = [cluster.run(*words).stdout for words in (("describe", "--json", job.id), ("events", job.id), ("plan", "--json", "--", "true"))]
    assert not [page for page in pages if secret.decode() in page]
    found = [p for p in cluster.data.rglob("*") if p.is_file() and not p.is_symlink() and secret in p.read_bytes()]
    # The rank of this test prints its environment.
    assert sorted(p.name for p in found) == ["rank0.log", "store.json"]
    assert all(p.stat().st_mode & 0o077 == 0 or p.name == "rank0.log" for p in found)
    job.end()


def test_bad_places_of_store_are_refused_by_name(cluster, scratch):
    for store, path in (({"read": ["/data"]}, "store.read[0]"), ({"write": "s3://minio@b/x"}, "store.write"), ({"reed": "*"}, "store.reed"), ("*", "store")):
        (scratch / "job.json").write_text(json.dumps({"run": "true", "store": store}))
        result = cluster.run("run", "-d", "job.json", cwd=scratch, check=False)
        assert result.returncode == 2 and path in result.stderr, result.stderr


@pytest.mark.parametrize("existing", [False, True])
def test_other_users_cannot_read_what_a_data_folder_of_mode_755_holds(start_server, scratch, existing):
    data = scratch / "data"
    os.makedirs(data, 0o755)
    for name in ("objects", "code", "cache", "jobs") if existing else ():
        os.mkdir(data / name, 0o775)
        os.chmod(data / name, 0o775)
    os.chmod(data, 0o755)
    server = start_server()
    client(server).create_bucket(Bucket="bucket")
    client(server).put_object(Bucket="bucket", Key="k", Body=b"secret")
    modes = {name: (data / name).stat().st_mode & 0o777 for name in ("objects", "code", "cache", "jobs")}
    assert modes == dict.fromkeys(modes, 0o770 if existing else 0o700)
    assert data.stat().st_mode & 0o777 == 0o755
