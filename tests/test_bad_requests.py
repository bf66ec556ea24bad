"""Every wrong request gets one clear answer, and the server goes on."""
import json
import socket
import time

import pytest


def raw(server, data, seconds=5, close_write=False):
    """What the server answers to these very bytes until it closes, or `seconds` have passed."""
    host, port = server.endpoint()["url"].removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as connection:
        connection.sendall(data)
        if close_write:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while chunk := connection.recv(65536):
                received += chunk
        except (TimeoutError, ConnectionResetError):
            pass
    return received


def head(server, request_line, *lines, auth=True):
    token = server.endpoint()["token"]
    host = server.endpoint()["url"].removeprefix("http://")
    all_lines = [request_line, f"Host: {host}", "Connection: close"]
    if auth:
        all_lines.append(f"Authorization: Bearer {token}")
    return ("\r\n".join([*all_lines, *lines]) + "\r\n\r\n").encode()


def status(answer):
    assert answer.startswith(b"HTTP/1."), answer[:100]
    return int(answer.split()[1])


def error(answer):
    return json.loads(answer.split(b"\r\n\r\n", 1)[1])["error"]


@pytest.fixture(autouse=True)
def still_alive(server):
    yield
    assert server.get("/jobs")["jobs"] == []
    assert server.process.poll() is None


def test_missing_or_wrong_token_is_refused_with_its_location(server):
    for token in ("", "wrong", server.endpoint()["token"][:-1], server.endpoint()["token"] + "x"):
        code, body, headers = server.request("GET", "/jobs", token=token)
        assert code == 401 and headers["WWW-Authenticate"].startswith("Bearer")
        assert "endpoint.json" in json.loads(body)["error"]["next"] or "MUSTER_TOKEN" in json.loads(body)["error"]["next"]
    assert status(raw(server, head(server, "GET /api/v1/jobs HTTP/1.1", auth=False))) == 401
    assert status(raw(server, head(server, "GET /api/v1/health HTTP/1.1", auth=False))) == 200


def test_body_without_token_is_not_read(server):
    answer = raw(server, head(server, "POST /api/v1/jobs HTTP/1.1", "Content-Length: 1000000000", auth=False))
    assert status(answer) == 401


@pytest.mark.parametrize("body, word", [
    (b"", "the end"), (b"{", "the end"), (b"[]", "object"), (b'{"spec": 3}', "spec"), (b'{"spec": {}, "x": 1}', "x"),
    (b'{"spec": {"run": "true"}} trailing', "the end"), (b'{"spec":' + b"[" * 10000 + b"]" * 10000 + b"}", "64 levels"),
    (b'{"spec": {"run": "\xff\xfe"}}', "UTF-8"), (b'{"spec": {"run": "a", "run": "b"}}', "run"),
], ids=range(9))
def test_bad_json_is_named(server, body, word):
    code, answer, _ = server.request("POST", "/jobs", body)
    assert code == 400, answer
    assert word in answer.decode()


def test_all_faults_of_a_spec_are_returned_together(server):
    code, answer = server.post("/jobs", {"spec": {"run": "true", "framwork": "pytorch", "retries": -1, "resources": {"nodes": "two"}}})
    assert code == 400
    paths = {f["path"] for f in answer["error"]["faults"]}
    assert {"framwork", "retries", "resources.nodes"} <= paths
    assert any("framework" in f["hint"] for f in answer["error"]["faults"])


def test_too_large_body_is_refused_before_it_is_read(server):
    assert status(raw(server, head(server, "POST /api/v1/jobs HTTP/1.1", "Content-Length: 99999999999"))) == 413
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    answer = raw(server, head(server, "POST /api/v1/jobs HTTP/1.1", "Transfer-Encoding: chunked") + chunk * 200)
    assert answer == b"" or status(answer) == 413
    assert status(raw(server, head(server, "GET /api/v1/jobs HTTP/1.1", "X-Long: " + "a" * 100000))) == 431


@pytest.mark.parametrize("target", [
    "/api/v1/../../etc/passwd", "/api/v1/%2e%2e/%2e%2e/etc/passwd", "/api/v1/jobs/..%2f..%2fetc", "/api/v1//jobs", "/api/v1/jobs/%00",
    "/api/v1/jobs/1/ranks/..%2f..%2f..%2fjournal.db/log",
])
def test_path_traversal_is_refused(server, target):
    answer = raw(server, head(server, f"GET {target} HTTP/1.1"))
    assert status(answer) in (400, 404)
    assert b"root:" not in answer and b"SQLite" not in answer


@pytest.mark.parametrize("data", [
    b"GARBAGE\r\n\r\n", b"\x00\x01\x02\x03\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
])
def test_invalid_http_is_answered_with_400_or_closed(server, data):
    answer = raw(server, data, close_write=True)
    assert answer == b"" or status(answer) in (400, 505)


def test_bad_chunking_and_two_lengths_are_refused(server):
    for chunk in (b"zz\r\nabc\r\n0\r\n\r\n", b"-5\r\nabc\r\n0\r\n\r\n", b"ffffffffffffffffffff\r\nabc\r\n", b"3\r\nabcdef\r\n0\r\n\r\n"):
        answer = raw(server, head(server, "POST /api/v1/jobs HTTP/1.1", "Transfer-Encoding: chunked") + chunk, close_write=True)
        assert status(answer) in (400, 413), (chunk, answer)
    both = head(server, "POST /api/v1/jobs HTTP/1.1", "Transfer-Encoding: chunked", "Content-Length: 5")
    assert status(raw(server, both + b"0\r\n\r\n", close_write=True)) == 400
    twice = head(server, "POST /api/v1/jobs HTTP/1.1", "Content-Length: 5", "Content-Length: 6")
    assert status(raw(server, twice + b"hello", close_write=True)) == 400


def test_unknown_route_is_404_and_unknown_method_405(server):
    code, body, _ = server.request("GET", "/job")
    assert code == 404 and "/jobs" in body.decode()
    code, _, headers = server.request("PUT", "/jobs", {})
    assert code == 405 and "GET" in headers["Allow"] and "POST" in headers["Allow"]
    for path in ("/jobs/999", "/jobs/999/why", "/jobs/999/logs", "/jobs/999/events", "/jobs/999/ranks/0/log"):
        assert server.request("GET", path)[0] == 404, path
    for path in ("/jobs/abc", "/jobs/-1", "/jobs/99999999999999999999", "/jobs?limit=0", "/jobs?limit=x", "/jobs?stat=running",
                 "/jobs?state=flying", "/jobs?before=x"):
        code, body, _ = server.request("GET", path)
        assert code in (400, 404), (path, body)


def test_foreign_host_name_is_refused_on_loopback(server):
    answer = raw(server, head(server, "GET /api/v1/health HTTP/1.1").replace(b"Host: 127.0.0.1", b"Host: evil.example"))
    assert status(answer) == 421


def test_slow_client_does_not_delay_others(server):
    host, port = server.endpoint()["url"].removeprefix("http://").split(":")
    slow = [socket.create_connection((host, int(port))) for _ in range(50)]
    for connection in slow:
        connection.sendall(b"GET /api/v1/jobs HT")
    began = time.monotonic()
    assert server.get("/jobs")["jobs"] == []
    assert time.monotonic() - began < 5
    for connection in slow:
        connection.close()


def test_listening_beyond_loopback_requires_tls(server, start_server, scratch):
    import subprocess
    from conftest import MUSTER
    result = subprocess.run([MUSTER, "server", "--data", str(scratch / "other"), "--listen", "0.0.0.0:0"],
                            capture_output=True, text=True, env=server.env, timeout=20)
    assert result.returncode != 0
    assert "without TLS" in result.stderr and "certificate" in result.stderr


def test_bad_flags_of_the_server_are_named(server, scratch):
    import subprocess
    from conftest import MUSTER
    for flags, word in ((["--nodes", "4x"], "4x8npu"), (["--listen", "x:y"], "HOST:PORT"), (["--engine", "mesos"], "mesos"),
                        (["--nodez", "1x1npu"], "--nodes"), (["--config", "/no/such/file"], "/no/such/file")):
        result = subprocess.run([MUSTER, "server", "--data", str(scratch / "other"), *flags], capture_output=True, text=True,
                                env=server.env, timeout=20)
        assert result.returncode != 0
        assert word in result.stderr, result.stderr
