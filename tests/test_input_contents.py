"""The names and bytes of inputs as ranks find them: every kind of source, on every platform, on virtual and real nodes, for the
first and later uses, for jobs at the same time, and for retries."""
import hashlib
import http.server
import json
import shutil
import threading

import pytest
from conftest import wait_until
from s3 import bucket, client

# Prints the digest and the name of every file that the rank finds behind its input.
LOOK = r"""
for word; do case $word in --data=*) place=${word#*=};; esac; done
[ -z "$DLWS_JOB_ID" ] || place=/data
[ "$1" = here ] && place=.
if [ -d "$place" ]; then cd "$place" && find . -type f -exec sha256sum {} +; else cd "${place%/*}/" && sha256sum "./${place##*/}"; fi
[ -z "$FAIL_FIRST" ] || [ "$MUSTER_ATTEMPT" != 1 ]
"""
FILES = {"a.bin": b"first" * 1000, "deep/b.bin": b"\0second\xff", "deep/er/empty": b""}
PLATFORMS = ("", "modelarts", "apulis")
CLUSTERS = {"virtual": ("--nodes", "2x8npu+2cpu"), "real": ()}


def digests(files):
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


class Web:
    """An address that serves one file."""

    def __enter__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(FILES["a.bin"])))
                self.send_header("ETag", '"v1"')
                self.end_headers()
                self.wfile.write(FILES["a.bin"])
            log_message = lambda *_: None

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}/models/a.bin"

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(params=CLUSTERS)
def jobs(request, start_server, scratch):
    return Jobs(start_server("--store-sync", "none", *CLUSTERS[request.param]), scratch, virtual=request.param == "virtual")


class Jobs:
    def __init__(self, server, scratch, virtual):
        self.server, self.scratch, self.virtual = server, scratch, virtual
        self.code = self.write("code", {"look.sh": LOOK.encode()})

    def write(self, folder, files):
        for name, content in files.items():
            path = self.scratch / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return self.scratch / folder

    def upload(self, prefix, files):
        s3 = client(self.server)
        name = bucket(s3)
        for key, content in files.items():
            s3.put_object(Bucket=name, Key=prefix + key, Body=content)
        return f"s3://{name}/{prefix}"

    def submit(self, platform, source, code=None, retries=0):
        spec = {"run": ["/bin/sh", "look.sh", *(["here"] if code else [])], "code": code or str(self.code), "retries": retries,
                "env": {"FAIL_FIRST": "1"} if retries else {}}
        spec.update({"platform": platform} if platform else {})
        spec.update({"inputs": {"data": source}} if source else {})
        spec.update({"resources": {"nodes": 2, "devices": "npu:1"}} if self.virtual else {})
        path = self.scratch / "job.json"
        path.write_text(json.dumps(spec))
        return self.server.submit(path)

    def check(self, job, expected, attempts=1):
        """Every rank found exactly these files. In a failed attempt one rank may be stopped before it prints."""
        ended = self.server.wait_end(job, 90)
        assert ended["state"] == "succeeded", json.dumps(ended)
        assert len(ended["attempts"]) == attempts, ended["attempts"]
        for attempt in range(1, attempts + 1):
            found = [self.found(job, rank, attempt) for rank in range(2 if self.virtual else 1)]
            printed = found if attempt == attempts else [one for one in found if one]
            assert printed and all(one == digests(expected) for one in printed), (ended["id"], attempt, found)

    def found(self, job, rank, attempt):
        lines = self.server.rank_log(job, rank, attempt).decode().splitlines()
        return {line[66:].removeprefix("./"): line[:64] for line in lines}

    def check_all_uses(self, expected, **source):
        for platform in (*PLATFORMS, *reversed(PLATFORMS)):
            self.check(self.submit(platform, **source), expected)
        at_once = [self.submit(platform, **source) for platform in PLATFORMS * 2]
        for job in at_once:
            self.check(job, expected)
        for platform in PLATFORMS:
            self.check(self.submit(platform, **source, retries=1), expected, attempts=2)


def test_files_of_a_local_folder(jobs):
    jobs.check_all_uses(FILES, source=str(jobs.write("set", FILES)))


def test_a_single_local_file(jobs):
    # A platform shows the file itself under the name of the input.
    folder = jobs.write("set", FILES)
    for platform, name in (("", "a.bin"), ("modelarts", "data_0"), ("apulis", "data")):
        for retries in (0, 1):
            job = jobs.submit(platform, str(folder / "a.bin"), retries=retries)
            jobs.check(job, {name: FILES["a.bin"]}, attempts=retries + 1)


def test_files_below_a_prefix(jobs):
    jobs.check_all_uses(FILES, source=jobs.upload("set/", FILES))


def test_files_below_a_prefix_without_a_slash(jobs):
    jobs.check_all_uses(FILES, source=jobs.upload("set/", FILES).rstrip("/"))


def test_a_single_object(jobs):
    jobs.check_all_uses({"a.bin": FILES["a.bin"]}, source=jobs.upload("set/", FILES) + "a.bin")


def test_an_empty_object(jobs):
    source = jobs.upload("set/", {"empty": b""}) + "empty"
    for platform in PLATFORMS * 2:
        jobs.check(jobs.submit(platform, source), {"empty": b""})


def test_a_file_behind_an_address(jobs):
    with Web() as url:
        jobs.check_all_uses({"a.bin": FILES["a.bin"]}, source=url)


def test_code_from_a_bucket(jobs):
    files = {"look.sh": LOOK.encode(), **FILES}
    jobs.check_all_uses(files, source=None, code=jobs.upload("code/", files))


def test_a_changed_prefix_reaches_the_view(jobs):
    prefix = jobs.upload("set/", FILES)
    name = prefix.split("/")[2]
    for platform in PLATFORMS:
        jobs.check(jobs.submit(platform, prefix), FILES)
    changed = {**FILES, "deep/b.bin": b"changed", "more": b"new"}
    for key in ("deep/b.bin", "more"):
        client(jobs.server).put_object(Bucket=name, Key="set/" + key, Body=changed[key])
    for platform in PLATFORMS * 2:
        jobs.check(jobs.submit(platform, prefix), changed)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_empty_input_with_nonempty_source_fails_the_job(jobs, platform):
    prefix = jobs.upload("set/", FILES)
    jobs.check(jobs.submit("", prefix), FILES)
    wait_until(lambda: list(jobs.server.data.glob("cache/inputs/*/spare-*")), what="the links to be given back")
    (entry,) = [path for path in jobs.server.data.glob("cache/inputs/*/files")]
    entry.write_bytes(b"end\0")  # the list of the files is damaged, and no links are left
    shutil.rmtree(*entry.parent.glob("spare-*"))
    ended = jobs.server.wait_end(jobs.submit(platform, prefix), 60)
    cause = ended["attempts"][-1]["cause"]
    assert ended["state"] == "failed" and cause["exit"]["class"] == "not_fetched", ended
    assert "the input data" in cause["what"] and prefix in cause["what"] and "the source has 3 files, but" in cause["what"], cause
    # Another node fetches the input again and may start its rank before it learns of the failure.
    node = f"jobs/{ended['id']}/attempts/*/node{cause['node']}"
    assert not list(jobs.server.data.glob(f"{node}/rank*.log")), "no rank of the failed node starts"
    jobs.check(jobs.submit(platform, prefix), FILES)
