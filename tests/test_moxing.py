"""`import moxing as mox` in jobs: the embedded store behind it, real ranks in front."""
import http.client
import http.server
import os
import socket
import subprocess
import sys
import threading

import pytest
from conftest import MUSTER, PYTHON, ROOT, wait_until

sys.path.insert(0, str(ROOT / "python"))
AWKWARD = ["a", "a-b", "a.b", "with blank", "plus+plus", "100%", "%2F", "a&b=c?d", "hash#tag", "semi;colon", "quote\"'", "back\\slash",
           "less<more>&amp;", "star*", "[bracket]", "dollar$(id)", "ünïcödé", "数据/训练集.csv", "🎉/🚀", "e\u0301", "deep/" + "l" * 255,
           ".hidden", "...", "-dash", "tab\there", "line\nbreak", "trailing blank ", "\x01\x7f"]


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x8npu+8cpu")


class Store:
    """The store as this process sees it, through the package itself."""

    def __init__(self, server, monkeypatch):
        import moxing
        from moxing.framework.file import connection
        s3 = server.endpoint()["s3"]
        for name in [n for n in os.environ if n.startswith(("AWS_", "S3_", "OBS_"))]:
            monkeypatch.delenv(name)
        for name, value in (("S3_ENDPOINT", s3["endpoint"]), ("ACCESS_KEY_ID", s3["access_key"]), ("SECRET_ACCESS_KEY", s3["secret_key"]),
                            ("MUSTER_EXECUTABLE", MUSTER), ("TMPDIR", str(server.data.parent))):
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("tempfile.tempdir", None)
        self.file, self.make = moxing.file, lambda bucket: connection.request("PUT", bucket)


@pytest.fixture
def store(cluster, monkeypatch):
    return Store(cluster, monkeypatch)


@pytest.fixture
def b(store):
    store.make("bucket")
    return "obs://bucket"


class Counting:
    """A proxy before a store that counts the requests that go through it."""

    def __init__(self, endpoint):
        host = endpoint.rpartition("/")[2]
        counts = self.counts = []
        gate = self.gate = threading.Event()  # while it is closed, no content passes
        gate.set()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                counts.append((self.command, self.path))
                if self.command == "GET" and "?" not in self.path:
                    gate.wait(120)
                back = http.client.HTTPConnection(host, timeout=60)
                back.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    back.putheader(name, value)
                back.endheaders(body)
                answer = back.getresponse()
                data = answer.read()
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                        self.send_header(name, value)
                self.send_header("content-length", answer.getheader("content-length") if self.command == "HEAD" else str(len(data)))
                self.end_headers()
                self.wfile.write(data)
                back.close()

            do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = forward

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # clients that leave a connection are no news
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def bodies(self):
        """Requests for the content of objects; listings have a query."""
        return [path for method, path in self.counts if method == "GET" and "?" not in path]

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def run(cluster, scratch, script, *words, **env):
    """Runs a script as a job; the job and the log of each rank."""
    folder = scratch / "code"
    folder.mkdir(exist_ok=True)
    (folder / "train.py").write_text(script)
    flags = [word for name, value in env.items() for word in ("-e", f"{name}={value}")]
    job = cluster.submit(*flags, *words, "--", PYTHON, "train.py", cwd=folder)
    ended = cluster.wait_end(job, seconds=240)
    logs = [cluster.rank_log(job, rank["rank"]).decode() for rank in ended["ranks"]]
    assert ended["state"] == "succeeded", "\n".join(logs)
    return ended, logs


# ---------------------------------------------------------------------------------------------------- jobs

EVERYTHING = '''
import os
import moxing as mox
rank = os.environ["MUSTER_RANK"]
mine = "obs://bucket/ranks/%s" % rank
mox.file.make_dirs(mine)
assert mox.file.is_directory(mine) and mox.file.list_directory(mine) == []
mox.file.write(mine + "/a.txt", "rank " + rank)
mox.file.append(mine + "/a.txt", "!")
assert mox.file.read(mine + "/a.txt") == "rank %s!" % rank
with mox.file.File(mine + "/lines", "w") as file:
    file.write("1\\n2\\n")
assert [line for line in mox.file.File(mine + "/lines")] == ["1\\n", "2\\n"]
mox.file.copy(mine + "/a.txt", "local.txt")
mox.file.copy_parallel(mine, "tree")
mox.file.copy_parallel("tree", mine + "/again")
assert mox.file.list_directory(mine, recursive=True) == ["a.txt", "again", "again/a.txt", "again/lines", "lines"]
mox.file.rename(mine + "/again", mine + "/moved")
assert mox.file.get_size(mine, recursive=True) == 2 * (len("rank %s!" % rank) + 4)
mox.file.remove(mine + "/moved", recursive=True)
assert sorted(mox.file.glob("obs://bucket/ranks/%s/*" % rank)) == [mine + "/a.txt", mine + "/lines"]
try:
    mox.file.read(mine + "/none")
except mox.file.MoxFileNotExistsException as error:
    assert isinstance(error, FileNotFoundError)
else:
    raise SystemExit("a missing object was read")
print("fine with", mox.__file__)
'''


def test_ranks_on_two_nodes_use_buckets_without_configuration(cluster, store, b, scratch):
    _, logs = run(cluster, scratch, EVERYTHING, "-N", "2", "-g", "cpu:2")
    assert len(logs) == 4 and all(f"fine with {cluster.data}/python/" in log for log in logs)
    assert store.file.read("obs://bucket/ranks/3/a.txt") == "rank 3!"


def test_store_configured_by_the_user_is_kept(cluster, scratch):
    script = "import os\nprint({n: os.environ.get(n) for n in ('S3_ENDPOINT', 'ACCESS_KEY_ID', 'AWS_ACCESS_KEY_ID')})"
    _, logs = run(cluster, scratch, script, S3_ENDPOINT="http://obs.example", AWS_ACCESS_KEY_ID="mine")
    assert "{'S3_ENDPOINT': 'http://obs.example', 'ACCESS_KEY_ID': None, 'AWS_ACCESS_KEY_ID': 'mine'}" in logs[0]


def test_other_clients_find_the_store(cluster, store, b, scratch):
    store.file.write(f"{b}/seen", "x")
    script = "import os, subprocess\nsubprocess.run([os.environ['MUSTER_EXECUTABLE'], 'objects', 'ls', 's3://bucket'], check=True)"
    _, logs = run(cluster, scratch, script)
    assert "seen" in logs[0]


def test_store_key_appears_in_no_page_or_file_of_a_job(cluster, scratch):
    secret = cluster.endpoint()["s3"]["secret_key"]
    job, _ = run(cluster, scratch, "import os\nassert os.environ['SECRET_ACCESS_KEY']\nassert os.environ['AWS_SECRET_ACCESS_KEY']")
    pages = [cluster.run(*words).stdout for words in (("describe", job["id"]), ("describe", "--json", job["id"]), ("events", job["id"]),
                                                      ("logs", job["id"]), ("plan", "--json", "--", "true"))]
    files = [p.read_bytes() for p in (cluster.data / "jobs").rglob("*") if p.is_file()]
    files += [p.read_bytes() for p in cluster.data.glob("journal.db*")] + [cluster.log().encode()]
    assert files and not [1 for text in pages if secret in text] and not [1 for text in files if secret.encode() in text]


def test_installed_package_of_the_same_name_does_not_shadow_moxing(cluster, store, b, scratch):
    other = scratch / "site/moxing"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("raise SystemExit('the wrong one')\n")
    _, logs = run(cluster, scratch, "import moxing as mox\nprint(mox.file.exists('obs://bucket'))", "-g", "cpu:2", PYTHONPATH=str(scratch / "site"))
    assert all("True" in log for log in logs)
    assert sum(log.count("is another package of this name") for log in logs) == 1


def test_restarted_server_is_found_again(cluster, store, b, scratch):
    """Its port is another one, and the job has the old one in its variables."""
    script = ("import moxing as mox, pathlib, time\nmox.file.write('obs://bucket/before', '1')\nprint('ready', flush=True)\n"
              "end = time.monotonic() + 120\nwhile not pathlib.Path(%r).exists() and time.monotonic() < end:\n    time.sleep(0.05)\n"
              "mox.file.write('obs://bucket/after', mox.file.read('obs://bucket/before') + '2')\n" % str(scratch / "go"))
    (scratch / "code").mkdir()
    (scratch / "code/train.py").write_text(script)
    job = cluster.submit("--", PYTHON, "train.py", cwd=scratch / "code")
    wait_until(lambda: b"ready" in cluster.rank_log(job), 60, "the job to have written")
    before = cluster.endpoint()["s3"]["endpoint"]
    with socket.create_server(("127.0.0.1", 0)) as free:
        other = free.getsockname()[1]
    cluster.kill()
    cluster.flags += ("--s3-listen", f"127.0.0.1:{other}")
    cluster.start()
    assert cluster.endpoint()["s3"]["endpoint"] != before
    (scratch / "go").touch()
    assert cluster.wait_end(job)["state"] == "succeeded", cluster.rank_log(job).decode()
    assert (cluster.data / "objects/bucket/after").read_text() == "12"


# ---------------------------------------------------------------------------------------------------- once a node

FETCH = '''
import os
import moxing as mox
target = os.environ["TARGET"].replace("RANK", os.environ["MUSTER_LOCAL_RANK"])
mox.file.copy_parallel("obs://bucket/data", target)
assert mox.file.get_size(target, recursive=True) == 4000
'''


@pytest.mark.parametrize("target", ["fetched", "fetched/RANK"], ids=["one folder", "a folder a rank"])
def test_eight_ranks_fetch_a_file_once(cluster, store, b, scratch, target):
    for number in range(40):
        store.file.write(f"{b}/data/d{number % 4}/{number}", "x" * 100)
    proxy = Counting(cluster.endpoint()["s3"]["endpoint"])
    s3 = cluster.endpoint()["s3"]
    try:
        run(cluster, scratch, FETCH, "-g", "npu:8", S3_ENDPOINT=proxy.url, ACCESS_KEY_ID=s3["access_key"],
            SECRET_ACCESS_KEY=s3["secret_key"], TARGET=str(scratch / target), TMPDIR=str(scratch))
    finally:
        proxy.close()
    assert len(proxy.bodies()) == len(set(proxy.bodies())) == 40


def test_killed_rank_does_not_prevent_the_fetch_of_others(cluster, store, b, scratch, monkeypatch):
    for number in range(40):
        store.file.write(f"{b}/data/d{number % 4}/{number}", "x" * 100)
    proxy = Counting(cluster.endpoint()["s3"]["endpoint"])
    monkeypatch.setenv("S3_ENDPOINT", proxy.url)
    proxy.gate.clear()
    ranks = []
    try:
        for _ in range(2):
            env = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "TARGET": str(scratch / "fetched"), "MUSTER_LOCAL_RANK": "0"}
            ranks.append(subprocess.Popen([PYTHON, "-B", "-c", FETCH], env=env))
            wait_until(proxy.bodies, 60, "the first to fetch")
        ranks[0].kill()
        ranks[0].wait()
        proxy.gate.set()
        assert ranks[1].wait(120) == 0
    finally:
        proxy.gate.set()
        for rank in ranks:
            rank.kill()
            rank.wait()
        proxy.close()


def test_changed_object_is_fetched_again(store, b, scratch):
    store.file.write(f"{b}/data/a", "old")
    store.file.copy_parallel(f"{b}/data", str(scratch / "to"))
    store.file.write(f"{b}/data/a", "new")
    store.file.copy_parallel(f"{b}/data", str(scratch / "to"))
    assert (scratch / "to/a").read_text() == "new"


# ---------------------------------------------------------------------------------------------------- the functions

def test_awkward_keys_are_kept_listed_read_and_removed(store, b):
    for key in AWKWARD:
        store.file.write(f"{b}/k/{key}", key)
    listed = store.file.list_directory(f"{b}/k", recursive=True, skip_dir=True)
    assert listed == sorted(AWKWARD)
    for key in AWKWARD:
        assert store.file.read(f"{b}/k/{key}") == key and store.file.exists(f"{b}/k/{key}")
        assert store.file.stat(f"{b}/k/{key}").length == len(key.encode())
    store.file.remove(f"{b}/k", recursive=True)
    assert not store.file.exists(f"{b}/k")


@pytest.mark.parametrize("copier", [True, False], ids=["copier", "python"])
def test_awkward_names_round_trip_through_a_bucket(store, b, scratch, monkeypatch, copier):
    if not copier:
        monkeypatch.setenv("MUSTER_EXECUTABLE", "/nonexistent")
    for name in AWKWARD:
        path = scratch / "from" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (scratch / "from/empty").mkdir()
    store.file.copy_parallel(str(scratch / "from"), f"{b}/up")
    store.file.copy_parallel(f"{b}/up", f"{b}/beside")
    store.file.copy_parallel(f"{b}/beside", str(scratch / "back"))
    assert subprocess.run(["diff", "-r", scratch / "from", scratch / "back"]).returncode == 0


@pytest.mark.parametrize("keys, error", [(["a", "a/b"], FileExistsError), (["../x"], OSError), (["a//b"], OSError), (["./a"], OSError)],
                         ids=["file and folder", "above", "empty part", "dot"])
def test_keys_that_are_not_valid_file_names_fail_and_change_nothing(store, b, scratch, keys, error):
    for key in keys:
        store.file.write(f"{b}/t/{key}", "evil")
    with pytest.raises(error):
        store.file.copy_parallel(f"{b}/t", str(scratch / "in/to"))
    assert not (scratch / "in/x").exists()


def test_errors_have_the_types_that_scripts_catch(store, b, scratch):
    file = store.file
    file.write(f"{b}/f", "x")
    file.write(f"{b}/d/f", "x")
    for call in (lambda: file.read(f"{b}/none"), lambda: file.stat(f"{b}/none"), lambda: file.copy(f"{b}/none", str(scratch / "x")),
                 lambda: file.copy_parallel(f"{b}/none", str(scratch / "x")), lambda: file.list_directory(f"{b}/none"),
                 lambda: file.read("obs://nobucket/x"), lambda: file.write("obs://nobucket/x", ""), lambda: file.get_size(f"{b}/none"),
                 lambda: file.remove(f"{b}/none"), lambda: file.rename(f"{b}/none", f"{b}/x"), lambda: file.File(f"{b}/none"),
                 lambda: file.mk_dir(f"{b}/no/such"), lambda: file.make_dirs("obs://nobucket/d")):
        with pytest.raises(file.MoxFileNotExistsException):
            call()
    with pytest.raises(OSError) as error:
        file.list_directory(f"{b}/f")
    assert error.value.errno == 20
    for call in (lambda: file.read(f"{b}/d"), lambda: file.copy(f"{b}/d", str(scratch / "x")), lambda: file.write(f"{b}/d/", "x")):
        with pytest.raises(IsADirectoryError):
            call()
    with pytest.raises(FileExistsError):
        file.make_dirs(f"{b}/f")
    assert not file.exists("obs://nobucket") and not file.exists(f"{b}/f/") and not (scratch / "x").exists()


def test_wrong_keys_are_refused_with_the_error_of_the_store(store, b, monkeypatch):
    monkeypatch.setenv("SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(store.file.MoxFileRespException, match="SignatureDoesNotMatch") as error:
        store.file.write(f"{b}/x", "")
    assert error.value.resp.status == 403 and error.value.resp.errorCode == "SignatureDoesNotMatch"


def test_unreachable_store_is_named(store, monkeypatch):
    from moxing.framework.file import settings
    monkeypatch.setattr(settings, "_said", {"retry": 1, "retry_wait": 0.01})
    monkeypatch.setenv("S3_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(ConnectionError, match="http://127.0.0.1:1 does not answer"):
        store.file.exists("obs://bucket/x")


def test_remove_needs_recursive_for_folders(store, b):
    file = store.file
    file.write(f"{b}/d/f", "x")
    file.remove(f"{b}/d")
    file.remove(f"{b}/d/f/")
    assert file.exists(f"{b}/d/f")
    file.remove(f"{b}/d", recursive=True)
    assert not file.exists(f"{b}/d") and file.exists(b)


@pytest.mark.parametrize("source, target", [("a", "a/b"), ("a/b", "a"), ("a", "")], ids=["into itself", "out of itself", "to the root"])
@pytest.mark.parametrize("copier", [True, False], ids=["copier", "python"])
def test_moving_a_folder_into_itself_loses_nothing(store, b, monkeypatch, source, target, copier):
    if not copier:
        monkeypatch.setenv("MUSTER_EXECUTABLE", "/nonexistent")
    store.file.write(f"{b}/a/b/b/x", "kept")
    with pytest.raises(OSError):
        store.file.rename(f"{b}/{source}", f"{b}/{target}")
    assert store.file.read(f"{b}/a/b/b/x") == "kept"
    store.file.rename(f"{b}/a", f"{b}/a/")
    store.file.rename(f"{b}/a", f"{b}/c")
    assert store.file.read(f"{b}/c/b/b/x") == "kept" and not store.file.exists(f"{b}/a")


def test_empty_source_is_not_an_error(store, b, scratch):
    store.file.make_dirs(f"{b}/void")
    store.file.copy_parallel(f"{b}/void", str(scratch / "void"))
    assert os.listdir(scratch / "void") == []


def test_large_objects_are_appended_and_read_in_ranges(store, b, scratch):
    data = os.urandom(17 << 20)
    (scratch / "large").write_bytes(data)
    store.file.copy(str(scratch / "large"), f"{b}/large")
    store.file.append(f"{b}/large", b"tail", binary=True)
    with store.file.File(f"{b}/large", "rb") as file:
        assert file.size() == len(data) + 4
        file.seek(-4, 2)
        assert file.read() == b"tail"
        file.seek(1000)
        assert file.read(10) == data[1000:1010] and file.tell() == 1010
    store.file.copy(f"{b}/large", str(scratch / "back"))
    assert (scratch / "back").read_bytes() == data + b"tail"


@pytest.mark.parametrize("mode, expected", [("w", "new"), ("a", "old\nnew"), ("r+", "new\n"), ("w+", "new"), ("a+", "old\nnew"), ("wb", "new")])
def test_file_objects_write_in_every_mode(store, b, mode, expected):
    store.file.write(f"{b}/f", "old\n")
    with store.file.File(f"{b}/f", mode) as file:
        file.write(b"new" if "b" in mode else "new")
        file.flush()
        assert store.file.read(f"{b}/f") == expected  # seen by others before it is closed
        if "+" in mode:
            file.seek(0)
            assert file.read() == expected
    assert store.file.read(f"{b}/f") == expected


def test_appends_of_many_writers_are_complete(store, b):
    threads = [threading.Thread(target=lambda n=n: store.file.append(f"{b}/log", f"{n}\n")) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(store.file.read(f"{b}/log").split()) == sorted(str(n) for n in range(6))


def test_shifted_functions_accept_urls(store, b, scratch):
    script = ("import sys, os, glob, shutil, json, pickle\nimport moxing as mox\nmox.file.shift('os', 'mox')\n"
              "with open('obs://bucket/s/a.json', 'w') as f: json.dump([1], f)\n"
              "with open('obs://bucket/s/b.pkl', 'wb') as f: pickle.dump({'k': 1}, f)\n"
              "with open('obs://bucket/s/b.pkl', 'rb') as f: assert pickle.load(f) == {'k': 1}\n"
              "assert os.listdir('obs://bucket/s') == ['a.json', 'b.pkl'] and os.path.isdir('obs://bucket/s')\n"
              "assert os.path.getsize('obs://bucket/s/a.json') == os.stat('s3://bucket/s/a.json').st_size == 3\n"
              "assert glob.glob('obs://bucket/s/*.json') == ['obs://bucket/s/a.json']\n"
              "assert [f for _, _, fs in os.walk('obs://bucket/s') for f in fs] == ['a.json', 'b.pkl']\n"
              "assert [e.name for e in os.scandir('obs://bucket/s') if e.is_file()] == ['a.json', 'b.pkl']\n"
              "os.makedirs('obs://bucket/m/n', exist_ok=True); os.rename('obs://bucket/s/a.json', 'obs://bucket/m/a')\n"
              "shutil.copytree('obs://bucket/m', sys.argv[1]); assert open(sys.argv[1] + '/a').read() == '[1]'\n"
              "shutil.rmtree('obs://bucket/m'); assert not os.path.exists('obs://bucket/m')\n"
              "try: open('obs://bucket/none')\nexcept FileNotFoundError: print('fine')\n")
    done = subprocess.run([PYTHON, "-B", "-c", script, str(scratch / "tree")], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert done.stdout == "fine\n", done.stderr


# ---------------------------------------------------------------------------------------------------- a whole flow

def test_training_reads_data_from_and_writes_its_model_to_a_bucket(cluster, store, scratch):
    """Buckets for data and results, --data_url and --train_url as URLs, one process a device, folders of their own."""
    example = ROOT / "examples/modelarts-cifar10"
    subprocess.run([sys.executable, example / "make_data.py", scratch / "cifar"], check=True, timeout=60)
    for bucket in ("ms-dataset", "resnet50-train"):
        store.make(bucket)
    store.file.copy_parallel(str(scratch / "cifar"), "s3://ms-dataset/cifar-10")
    words = ["-g", "npu:2", "--python", PYTHON, "-p", f"cache={scratch / 'cache'}", "-e", f"TMPDIR={scratch}"]
    job = cluster.submit(example / "buckets.yaml", *words)
    ended = cluster.wait_end(job, seconds=240)
    assert ended["state"] == "succeeded", cluster.rank_log(job).decode()
    assert b"epoch: 2 step: 8, loss is" in cluster.rank_log(job)
    (model,) = [name for name in store.file.list_directory("obs://resnet50-train/output") if name.startswith("net.")]
    assert store.file.get_size(f"obs://resnet50-train/output/{model}") > 100_000
    assert sorted(os.listdir(scratch / "cache/data")) == ["0", "1"]
