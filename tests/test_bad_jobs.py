"""Job files and code folders as people (and their editors) get them wrong: one clear error, nothing half-done."""
import os
import socket
import threading

import pytest


@pytest.fixture(autouse=True)
def nothing_half_done(server):
    yield
    assert server.get("/jobs")["jobs"] == []


def refused(server, path, *words, flags=()):
    result = server.run("run", "-d", *flags, path, check=False)
    assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
    for word in words:
        assert word in result.stderr, result.stderr
    assert len(result.stderr) < 5000, "an error, not a flood"
    return result.stderr


@pytest.mark.parametrize("name, content, words", [
    ("not YAML", b"run: [unclosed", ["job.yaml:1"]),
    ("not a map", b"- a\n- b\n", ["expected a map"]),
    ("empty", b"", ["job.yaml"]),
    ("unknown key", b"run: x\nframwork: pytorch\n", ["framwork", "framework", "job.yaml:2"]),
    ("wrong types", b"run: {a: 1}\nretries: many\nresources: [1]\n", ["run", "retries", "resources"]),
    ("negative", b"run: x\nresources: {nodes: -2}\nretries: -1\n", ["resources.nodes", "-2", "retries"]),
    ("huge", b"run: x\nresources: {nodes: 99999999999999999999999, devices: 'npu:1000000'}\n", ["resources.nodes", "resources.devices"]),
    ("duplicate keys", b"run: x\nname: a\nname: b\n", ["name", "job.yaml:3"]),
    ("not UTF-8", b"run: caf\xe9\n", ["UTF-8"]),
    ("NUL", b"run: a\0b\n", ["job.yaml"]),
    ("deep", b"run: x\nenv: " + b"[" * 10000 + b"]" * 10000, ["deep"]),
    ("ten megabytes", b"run: x\n#" + b"x" * 10_000_000, ["1 MiB"]),
    ("billion laughs", b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (c, c, b",".join([b"*" + bytes([c - 1])] * 9)) for c in range(ord("b"), ord("k"))) + b"run: x\n", ["values"]),
    ("unknown variable", b"run: x\nname: ${nam}\nvariables: {name: a}\n", ["nam"]),
    ("an address to write to", b"run: x\noutputs: {train_url: 'http://host/x'}\n", ["train_url", "obs://BUCKET"]),
    ("no bucket", b"run: x\ninputs: {data_url: 's3://x', more: 'ftp://h/x'}\n", ["inputs.data_url", "bucket", "inputs.more"]),
    ("an unknown framework", b"run: x\nframework: padle\n", ["did you mean \"paddle\""]),
    ("no run", b"name: x\n", ["run"]),
], ids=lambda v: v if isinstance(v, str) else "")
def test_invalid_job_file(server, scratch, name, content, words):
    path = scratch / "job.yaml"
    path.write_bytes(content)
    refused(server, path, *words)


def test_all_faults_are_reported_together(server, scratch):
    path = scratch / "job.yaml"
    path.write_text("run: x\nretries: -1\nprioritty: 3\nresources: {nodes: 0, devices: npu:x}\nlimits: {time: soon}\n")
    text = refused(server, path)
    for word in ("retries", "prioritty", "priority", "resources.nodes", "resources.devices", "limits.time"):
        assert word in text


def test_job_file_must_be_a_regular_file(server, scratch):
    result = server.run("run", "-d", scratch / "missing.yaml", check=False)
    assert result.returncode != 0 and "missing.yaml" in result.stderr
    result = server.run("run", "-d", scratch, check=False)
    assert result.returncode != 0 and str(scratch) in result.stderr


def code_job(scratch, code):
    path = scratch / "job.yaml"
    path.write_text(f"run: ls\ncode: {code}\n")
    return path


def code_refused(server, scratch, code, *words):
    result = server.run("run", "-d", code_job(scratch, code), check=False)
    assert result.returncode != 0
    for word in words:
        assert word in result.stderr, result.stderr
    return result.stderr


def test_code_must_be_an_existing_folder(server, scratch):
    code_refused(server, scratch, "./missing", "missing")
    (scratch / "file").write_text("x")
    code_refused(server, scratch, "./file", "file", "folder")
    (scratch / "dangling").symlink_to("nowhere")
    code_refused(server, scratch, "./dangling", "dangling")


def test_code_above_the_limit_names_the_largest_folders(server, scratch):
    for name, size in (("data", 3_000_000), ("models", 2_000_000), ("src", 10)):
        (scratch / "code" / name).mkdir(parents=True)
        (scratch / "code" / name / "x").write_bytes(b"x" * size)
    result = server.run("run", "-d", "--code-limit", "1MB", code_job(scratch, "./code"), check=False)
    assert result.returncode != 0
    assert "data" in result.stderr and "models" in result.stderr and ".musterignore" in result.stderr


def test_links_out_of_the_code_folder_are_refused(server, scratch):
    (scratch / "code").mkdir()
    (scratch / "code/secrets").symlink_to("/etc/shadow")
    code_refused(server, scratch, "./code", "secrets")


def test_code_that_changes_during_the_snapshot_is_consistent_or_refused(server, scratch):
    code = scratch / "code"
    code.mkdir()
    target, stop = code / "moving", threading.Event()
    target.write_bytes(b"a" * 3_000_000)

    def change():
        while not stop.is_set():
            with open(target, "r+b") as f:
                f.write(os.urandom(4096))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        result = server.run("run", "-d", code_job(scratch, "./code"), check=False)
    finally:
        stop.set()
        thread.join()
    if result.returncode != 0:
        assert "moving" in result.stderr
    else:
        job_id = int(result.stdout.split()[0])
        server.wait_end(job_id)
        server.run("rm", job_id)


class TestOddFiles:
    @pytest.fixture(autouse=True)
    def nothing_half_done(self):  # these jobs run
        yield

    def test_sockets_pipes_and_devices_are_skipped_with_a_note(self, server, scratch):
        code = scratch / "code"
        code.mkdir()
        (code / "kept").write_text("x")
        os.mkfifo(code / "pipe")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(code / "sock"))
        result = server.run("run", code_job(scratch, "./code"))
        listener.close()
        assert "kept" in result.stdout and "pipe" not in result.stdout and "sock" not in result.stdout
        assert "pipe" in result.stderr and "sock" in result.stderr

    def test_code_folder_may_be_a_link(self, server, scratch):
        (scratch / "real").mkdir()
        (scratch / "real/inside").write_text("x")
        (scratch / "link").symlink_to("real")
        assert "inside" in server.run("run", code_job(scratch, "./link")).stdout

    def test_awkward_file_names_round_trip(self, server, scratch):
        code = scratch / "code"
        code.mkdir()
        for name in ("a b", "ünïcode 文件", "new\nline", "-rf", "$(touch x)", "quote'\""):
            (code / name).write_text("x")
        result = server.run("run", code_job(scratch, "./code"))
        assert "文件" in result.stdout and "-rf" in result.stdout
