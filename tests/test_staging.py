"""Inputs in buckets: fetched once a node before the ranks start, out of a cache that jobs share, and what is said when it cannot be."""
import http.server
import json
import os
import signal
import threading

import pytest
from conftest import marked_processes, wait_until
from s3 import bucket, client

# Tells what the job finds behind each of its words: names and sizes of files below a path, other words as they are.
LOOK = r"""
for word; do
  case $word in
    --*=/*) find "${word#*=}" -type f -printf '%P %s\n' | sort; echo "path ${word#*=}";;
    *) echo "word $word";;
  esac
done
"""


@pytest.fixture
def cluster(start_server):
    return start_server("--nodes", "2x2npu+2cpu", "--store-sync", "none")


def fill(s3, name, keys, size=1000):
    for key in keys:
        s3.put_object(Bucket=name, Key=key, Body=key.encode().ljust(size, b".")[:size])


def job_file(scratch, text, name="job.yaml"):
    path = scratch / name
    path.write_text(text)
    return path


def script_job(scratch, script, inputs, extra="", name="job"):
    (scratch / f"{name}.sh").write_text(script)
    return job_file(scratch, f"run: [/bin/sh, {scratch}/{name}.sh]\ninputs: {inputs}\n{extra}\n", f"{name}.yaml")


def look_job(scratch, inputs, extra="", name="look"):
    return script_job(scratch, LOOK, inputs, extra, name)


def log_of(server, job, rank=0):
    return server.rank_log(job, rank).decode()


def notes_of(server, job):
    return [event["data"]["text"] for event in server.get(f"/jobs/{job}/events")["events"] if event["kind"] == "note"]


def entries(server):
    root = server.data / "cache" / "inputs"
    return sorted(p for p in root.iterdir() if len(p.name) == 64) if root.exists() else []


def verdict(server, job):
    return json.dumps(server.job(job))


def test_prefix_is_fetched_once_and_placed_in_the_jobs_folder(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    fill(s3, b, ["set/a.bin", "set/deep/b.bin", "set/empty", "other"], 10)
    file = look_job(scratch, f"{{data: 's3://{b}/set/', weights: 'obs://{b}/set/deep/b.bin'}}", "resources: {nodes: 2}")
    job = cluster.submit(file)
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    for rank in (0, 1):
        lines = log_of(cluster, job, rank).splitlines()
        folder = cluster.data / f"jobs/{job}/attempts/1/inputs"
        assert lines == ["a.bin 10", "deep/b.bin 10", "empty 10", f"path {folder}/data", " 10", f"path {folder}/weights/b.bin"], lines
    # Two inputs, two entries, however many nodes: the second node found them in place.
    assert len(entries(cluster)) == 2
    notes = notes_of(cluster, job)
    assert sum("fetched from" in note for note in notes) == 2, notes
    # The links went with the attempt; the cache did not.
    wait_until(lambda: not (cluster.data / f"jobs/{job}/attempts/1/inputs").exists(), what="the inputs to be removed")
    again = cluster.submit(file)
    assert cluster.wait_end(again)["state"] == "succeeded"
    assert sum("already on this node" in note for note in notes_of(cluster, again)) == 2
    assert log_of(cluster, again).replace(f"jobs/{again}", f"jobs/{job}") == log_of(cluster, job)


def test_changed_source_is_fetched_again(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    fill(s3, b, ["set/a"], 5)
    file = look_job(scratch, f"{{data: 's3://{b}/set'}}")
    first = cluster.submit(file)
    assert cluster.wait_end(first)["state"] == "succeeded", verdict(cluster, first)
    fill(s3, b, ["set/a", "set/b"], 6)
    second = cluster.submit(file)
    assert cluster.wait_end(second)["state"] == "succeeded"
    assert log_of(cluster, second).splitlines()[:2] == ["a 6", "b 6"]
    assert "fetched from" in notes_of(cluster, second)[-1]
    assert len(entries(cluster)) == 2


def test_url_mode_passes_the_url(cluster, scratch):
    job = cluster.submit(look_job(scratch, "{data: {from: 's3://nobody-has-this/x', mode: url}}"))
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    assert log_of(cluster, job) == "word --data=s3://nobody-has-this/x\n"


def test_http_url_is_fetched(cluster, scratch):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "7")
            self.send_header("ETag", '"v1"')
            self.end_headers()
            self.wfile.write(b"weights")
        log_message = lambda *_: None

    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{web.server_port}/models/w.ckpt"
        job = cluster.submit(look_job(scratch, f"{{w: '{url}'}}"))
        assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
        assert log_of(cluster, job) == f" 7\npath {cluster.data}/jobs/{job}/attempts/1/inputs/w/w.ckpt\n"
    finally:
        web.shutdown()
        web.server_close()


@pytest.mark.parametrize("what", ["bucket", "prefix"])
def test_missing_source_fails_the_job(cluster, scratch, what):
    s3 = client(cluster)
    b = bucket(s3)
    fill(s3, b, ["set/a"])
    url = f"s3://{b}/sets/" if what == "prefix" else "s3://no-such-bucket-here/set/"
    job = cluster.submit(look_job(scratch, f"{{data: '{url}'}}", "resources: {nodes: 2}"))
    ended = cluster.wait_end(job)
    assert ended["state"] == "failed"
    cause = ended["attempts"][-1]["cause"]
    assert cause["rank"] == -1 and cause["node_name"].startswith("node-"), cause
    assert url in cause["what"] and "the input data" in cause["what"], cause
    assert not [p for p in entries(cluster)]
    assert cause["exit"]["class"] == ended["verdict"]["cause"] == "not_fetched", ended
    shown = cluster.run("describe", job).stdout
    assert url in shown and "the address, the keys or the store" in shown, shown


def test_keys_appear_in_no_file_or_page(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    fill(s3, b, ["set/a"])
    file = look_job(scratch, f"{{data: 's3://{b}/set/'}}")
    job = cluster.submit(file)
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    secret = cluster.endpoint()["s3"]["secret_key"]
    for verb in (["describe", job], ["describe", job, "--json"], ["plan", file], ["plan", file, "--json"], ["events", job]):
        result = cluster.run(*verb)
        assert secret not in result.stdout + result.stderr, verb
    for path in (cluster.data / "jobs").rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


class Slow:
    """An address that says at once what it has, and hands out the second half of it only when it is told to."""

    def __init__(self, size=1 << 20):
        self.size, self.gate, self.gets = size, threading.Event(), []
        slow = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                probe = self.headers.get("Range") == "bytes=0-0"  # how the copier looks at an address
                self.send_response(200)
                self.send_header("Content-Length", str(slow.size))
                self.send_header("ETag", '"v1"')
                self.end_headers()
                half = b"x" * (slow.size // 2)
                try:
                    self.wfile.write(half)
                    self.wfile.flush()
                    if not probe:
                        slow.gets.append(self.path)
                        slow.gate.wait(120)
                    self.wfile.write(half)
                except OSError:
                    pass

            log_message = lambda *_: None

        self.web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.web.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.web.server_port}/set.bin"
        threading.Thread(target=self.web.serve_forever, daemon=True).start()

    def close(self):
        self.gate.set()
        self.web.shutdown()
        self.web.server_close()


@pytest.fixture
def slow():
    server = Slow()
    yield server
    server.close()


def test_stop_ends_a_fetch_immediately(cluster, scratch, slow):
    job = cluster.submit(look_job(scratch, f"{{data: '{slow.url}'}}"))
    wait_until(lambda: slow.gets, 60, "the fetch to begin")
    assert cluster.job(job)["state"] == "starting"
    cluster.run("stop", job)
    assert cluster.wait_end(job)["state"] == "stopped"
    assert not marked_processes(cluster.data)
    assert not entries(cluster)


def test_fetch_progress_is_reported(cluster, scratch, slow):
    job = cluster.submit(look_job(scratch, f"{{data: '{slow.url}'}}"))
    wait_until(lambda: any("fetching" in note for note in notes_of(cluster, job)), 60, "a note")
    slow.gate.set()
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)


def test_killed_launcher_leaves_no_partial_entry_and_the_next_job_fetches(cluster, scratch, slow):
    file = look_job(scratch, f"{{data: '{slow.url}'}}")
    job = cluster.submit(file)
    wait_until(lambda: slow.gets, 60, "the fetch to begin")
    launchers = [pid for pid, command in marked_processes(cluster.data) if " --order " in command]
    assert len(launchers) == 1
    os.kill(launchers[0], signal.SIGKILL)
    ended = cluster.wait_end(job)
    assert ended["state"] == "failed" and ended["attempts"][0]["exit"]["class"] == "lost"
    assert not marked_processes(cluster.data)
    assert not entries(cluster)
    slow.gate.set()
    again = cluster.submit(file)
    assert cluster.wait_end(again)["state"] == "succeeded", verdict(cluster, again)
    assert log_of(cluster, again).startswith(f" {slow.size}\n")
    assert len(entries(cluster)) == 1


def test_concurrent_jobs_fetch_once(cluster, scratch, slow):
    file = look_job(scratch, f"{{data: '{slow.url}'}}")
    jobs = [cluster.submit(file), cluster.submit(file)]
    wait_until(lambda: slow.gets, 60, "the fetch to begin")
    wait_until(lambda: all((cluster.data / f"jobs/{job}/attempts/1/node0/fetch.json").exists() for job in jobs), 60, "both to be at it")
    slow.gate.set()
    for job in jobs:
        assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
        assert log_of(cluster, job).startswith(f" {slow.size}\n")
    assert len(slow.gets) == 1, slow.gets
    assert len(entries(cluster)) == 1


def test_cache_respects_its_limit_and_keeps_entries_in_use(start_server, scratch):
    server = start_server("--nodes", "2x2npu+2cpu", "--store-sync", "none", "--input-cache", "25000")
    s3 = client(server)
    b = bucket(s3)
    for name in "abc":
        fill(s3, b, [f"{name}/x"], 10000)
    hold = f'echo ready; while [ ! -e {scratch}/go ]; do sleep 0.05; done; cat "${{1#*=}}"/x | wc -c'
    held = server.submit(script_job(scratch, hold, f"{{data: 's3://{b}/a/'}}", name="hold"))
    server.wait_state(held, "running")
    wait_until(lambda: b"ready" in server.rank_log(held), 60, "the first job to run")
    for name in "bc":
        job = server.submit(look_job(scratch, f"{{data: 's3://{b}/{name}/'}}", name=name))
        assert server.wait_end(job)["state"] == "succeeded", verdict(server, job)
    # Three entries do not fit; the oldest is in use, so the second went.
    assert len(entries(server)) == 2
    (scratch / "go").touch()
    assert server.wait_end(held)["state"] == "succeeded"
    assert log_of(server, held).split() == ["ready", "10000"]
    again = server.submit(look_job(scratch, f"{{data: 's3://{b}/a/'}}", name="a"))
    assert server.wait_end(again)["state"] == "succeeded"
    assert "already on this node" in notes_of(server, again)[-1]


def test_entry_damaged_by_a_job_is_fetched_again(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    fill(s3, b, ["set/x"], 100)
    words = 'chmod 644 "${1#*=}/x" && echo spoiled > "${1#*=}/x"'
    spoil = cluster.submit(script_job(scratch, words, f"{{data: 's3://{b}/set/'}}", name="spoil"))
    assert cluster.wait_end(spoil)["state"] == "succeeded", verdict(cluster, spoil)
    job = cluster.submit(look_job(scratch, f"{{data: 's3://{b}/set/'}}"))
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    assert log_of(cluster, job).startswith("x 100\n")
    assert "fetched from" in notes_of(cluster, job)[-1]


def spares(server):
    return [path for entry in entries(server) for path in entry.glob("spare-*")]


def test_unchanged_links_of_an_earlier_job_are_reused(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    fill(s3, b, ["set/a", "set/deep/b"], 4)
    look = look_job(scratch, f"{{data: 's3://{b}/set/'}}")
    lines = []
    for _ in range(3):
        job = cluster.submit(look)
        assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
        lines.append(log_of(cluster, job).splitlines()[:2])
        wait_until(lambda: len(spares(cluster)) == 1, what="the links to be given back")
        assert not (cluster.data / f"jobs/{job}/attempts/1/inputs").exists()
    assert lines == [["a 4", "deep/b 4"]] * 3
    assert "2 files, 8 B, already on this node" in notes_of(cluster, job)[-1]


@pytest.mark.parametrize("harm", ["rm a", "echo more >> new", "rm a; echo four > a", "rm -r deep; ln -s / deep", "chmod 777 deep"])
def test_changes_in_an_input_folder_do_not_reach_the_next_job(cluster, scratch, harm):
    s3 = client(cluster)
    b = bucket(s3)
    fill(s3, b, ["set/a", "set/deep/b"], 5)
    inputs = f"{{data: 's3://{b}/set/'}}"
    first = cluster.submit(look_job(scratch, inputs))
    assert cluster.wait_end(first)["state"] == "succeeded", verdict(cluster, first)
    wait_until(lambda: len(spares(cluster)) == 1, what="the links to be given back")
    bad = cluster.submit(script_job(scratch, f'cd "${{1#*=}}" && {harm}', inputs, name="harm"))
    assert cluster.wait_end(bad)["state"] == "succeeded", verdict(cluster, bad)
    wait_until(lambda: not (cluster.data / f"jobs/{bad}/attempts/1/inputs").exists(), what="the inputs to be removed")
    assert not spares(cluster)
    job = cluster.submit(look_job(scratch, inputs))
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    assert log_of(cluster, job).splitlines()[:2] == ["a 5", "deep/b 5"]
    assert "already on this node" in notes_of(cluster, job)[-1]


def test_input_has_the_path_of_modelarts(cluster, scratch):
    s3 = client(cluster)
    b = bucket(s3)
    fill(s3, b, ["set/a", "set/deep/b"], 3)
    (scratch / "code").mkdir()
    (scratch / "code" / "look.sh").write_text(LOOK)
    job = cluster.submit(job_file(scratch, f"platform: modelarts\ncode: code\nrun: [/bin/sh, look.sh]\n"
                                           f"inputs: {{data_url: 's3://{b}/set/'}}\nresources: {{nodes: 2}}\n"))
    assert cluster.wait_end(job)["state"] == "succeeded", verdict(cluster, job)
    for rank in (0, 1):
        assert log_of(cluster, job, rank).splitlines()[:2] == ["a 3", "deep/b 3"]


def test_fetch_survives_a_server_kill(cluster, scratch):
    """The store is in the server: the node waits for it to come back, and nothing is fetched twice or torn."""
    s3 = client(cluster)
    b = bucket(s3)
    fill(s3, b, [f"set/{i:03}" for i in range(200)], 2000)
    job = cluster.submit(look_job(scratch, f"{{data: 's3://{b}/set/'}}"))
    node = cluster.data / f"jobs/{job}/attempts/1/node0"
    wait_until(lambda: (node / "fetch.json").exists(), 60, "the fetch to begin")
    cluster.kill()
    cluster.start()
    assert cluster.wait_end(job, 120)["state"] == "succeeded", verdict(cluster, job)
    assert log_of(cluster, job).splitlines()[:-1] == [f"{i:03} 2000" for i in range(200)]
    assert len(entries(cluster)) == 1
