"""The HTTP API, held to its own OpenAPI document by the running server."""
import json
import ssl
import subprocess
import urllib.request

import jsonschema
import pytest
from conftest import MUSTER, wait_until


def schema_of(document, schema):
    """A JSON Schema that stands alone: the components go along for its references."""
    return {**schema, "components": document["components"]}


def events(body):
    """The server-sent events of a finished stream."""
    found = []
    for block in body.decode().split("\n\n"):
        fields = {}
        for line in block.splitlines():
            name, _, value = line.partition(":")
            if name:
                fields[name] = value.lstrip()
        if "data" in fields:
            found.append({**fields, "data": json.loads(fields["data"])})
    return found


def test_every_response_matches_the_openapi_document(server):
    good = server.submit("-g", "npu:2", "-J", "good", "--", "sh", "-c", "echo '{\"loss\": 0.5, \"epoch\": 1}'")
    bad = server.submit("--", "sh", "-c", "echo trouble; exit 3")
    waiting = server.submit("-g", "npu:64", "--", "true")
    for job_id in (good, bad):
        server.wait_end(job_id)
    document = server.get("/openapi.json")
    assert document["openapi"].startswith("3.1")
    checked = 0
    for path, operations in document["paths"].items():
        operation = operations.get("get")
        content = (operation or {}).get("responses", {}).get("200", {}).get("content", {})
        if "application/json" not in content or "schema" not in content["application/json"]:
            continue
        for job_id in (good, bad, waiting) if "{id}" in path else (good,):
            target = path.removeprefix("/api/v1").replace("{id}", str(job_id)).replace("{rank}", "0")
            if path.endswith("/search"):
                target += "?text=trouble"  # the only value that a GET route needs
            jsonschema.Draft202012Validator(schema_of(document, content["application/json"]["schema"])).validate(server.get(target))
            checked += 1
    assert checked >= 10


def test_error_responses_match_the_openapi_document(server):
    for method, path, status in (("GET", "/jobs/999", 404), ("DELETE", "/jobs/999", 404), ("POST", "/jobs/999/stop", 404),
                                 ("GET", "/jobs?limit=x", 400), ("POST", "/jobs", 400), ("PUT", "/code/blobs/xyz", 400)):
        code, body, _ = server.request(method, path, {} if method in ("POST", "PUT") else None)
        assert code == status, (method, path, code, body)
        error = json.loads(body)["error"]
        assert error["code"] and error["message"]


def test_log_stream_resumes_from_the_last_event_id(server):
    job_id = server.submit("-g", "npu:2", "--", "sh", "-c", "for i in 1 2 3 4 5; do echo line $i; sleep 0.05; done")
    server.wait_end(job_id)
    _, body, headers = server.request("GET", f"/jobs/{job_id}/logs?follow=1")
    assert headers["Content-Type"].startswith("text/event-stream")
    whole = events(body)
    assert whole[-1]["event"] == "end" and whole[-1]["data"]["exit_code"] == 0
    logs = [e for e in whole if e["event"] == "log"]
    text = lambda some: {r: "".join(e["data"]["text"] for e in some if e["data"]["rank"] == r) for r in (0, 1)}
    assert text(logs) == {r: "".join(f"line {i}\n" for i in range(1, 6)) for r in (0, 1)}
    for at, event in enumerate(logs):
        _, body, _ = server.request("GET", f"/jobs/{job_id}/logs?follow=1", headers={"Last-Event-ID": event["id"]})
        rest = [e for e in events(body) if e["event"] == "log"]
        before, after = text(logs[: at + 1]), text(rest)
        assert {r: before[r] + after[r] for r in (0, 1)} == text(logs)


def test_event_stream_resumes_from_the_last_event_id(server):
    job_id = server.submit("--", "true")
    server.wait_end(job_id)
    listed = server.get(f"/jobs/{job_id}/events")["events"]
    assert [e["kind"] for e in listed][:1] == ["submitted"] and listed[-1]["data"]["to"] == "succeeded"
    seqs = [e["seq"] for e in listed]
    assert seqs == sorted(seqs)
    rest = server.get(f"/jobs/{job_id}/events?after={seqs[0]}")["events"]
    assert [e["seq"] for e in rest] == seqs[1:]
    endpoint = server.endpoint()
    request = urllib.request.Request(endpoint["url"] + "/api/v1/events", headers={
        "Authorization": "Bearer " + endpoint["token"], "Accept": "text/event-stream", "Last-Event-ID": str(seqs[0])})
    with urllib.request.urlopen(request, timeout=20) as stream:
        seen = []
        while len(seen) < len(seqs) - 1:
            line = stream.readline().decode()
            if line.startswith("id:"):
                seen.append(int(line[3:]))
    assert seen == seqs[1:]


def test_rank_log_can_be_read_by_offset_and_followed(server):
    job_id = server.submit("--", "sh", "-c", "echo one; while [ ! -e $MUSTER_JOB_DIR/go ]; do sleep 0.01; done; echo two")
    wait_until(lambda: server.rank_log(job_id) == b"one\n")
    assert server.raw(f"/jobs/{job_id}/ranks/0/log?offset=2") == b"e\n"
    assert server.raw(f"/jobs/{job_id}/ranks/0/log?offset=1&limit=2") == b"ne"
    follower = subprocess.Popen([MUSTER, "logs", "-f", "-r", "0", str(job_id)], env=server.env, stdout=subprocess.PIPE)
    (server.data / f"jobs/{job_id}/go").touch()
    assert follower.communicate(timeout=20)[0] == b"one\ntwo\n"


@pytest.fixture
def certificate(scratch):
    key, cert = scratch / "key.pem", scratch / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", str(key),
                    "-out", str(cert), "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True)
    return cert, key


def test_tls_serves_the_same_api(start_server, certificate):
    cert, key = certificate
    server = start_server("--tls-cert", str(cert), "--tls-key", str(key))
    endpoint = server.endpoint()
    assert endpoint["url"].startswith("https://")
    context = ssl.create_default_context(cafile=str(cert))
    with urllib.request.urlopen(endpoint["url"] + "/api/v1/health", context=context, timeout=10) as answer:
        assert json.loads(answer.read())["status"] == "ok"
    server.env["SSL_CERT_FILE"] = str(cert)
    assert "hello" in server.run("run", "--", "echo", "hello").stdout
    server.run("server", "--stop")
    server.process.wait(20)


def test_mismatched_tls_key_is_named(server, scratch, certificate):
    cert, key = certificate
    for flags, word in ((["--tls-cert", str(cert)], "key"), (["--tls-cert", "/no/such", "--tls-key", str(key)], "/no/such")):
        result = subprocess.run([MUSTER, "server", "--data", str(scratch / "x"), *flags], capture_output=True, text=True, env=server.env, timeout=20)
        assert result.returncode != 0 and word in result.stderr
