"""The copier where things break: killed at any instant, behind a bad proxy, on a full disk, with a wrong clock."""
import datetime
import http.server
import os
import random
import select
import signal
import socket
import subprocess
import threading
import time

import pytest

from conftest import MUSTER, wait_until
from s3 import bucket, client, keys, serving
from test_copier import MIB, body, fill, summary, tree

ROUNDS = int(os.environ.get("COPIER_ROUNDS", "4"))  # of each loop that kills; 100 for a long night
SEED = int(os.environ.get("COPIER_SEED", "0")) or random.SystemRandom().randrange(1 << 30)


@pytest.fixture
def env(store, scratch):
    clean = {k: v for k, v in store.env.items() if not k.startswith(("AWS_", "XDG_"))}
    return {**clean, "HOME": str(scratch / "home")}


@pytest.fixture
def run(store, scratch, env):
    def go(*arguments, check=True, more=None, timeout=120):
        result = subprocess.run([MUSTER, *map(str, arguments)], env={**env, **(more or {})}, cwd=scratch, capture_output=True,
                                text=True, timeout=timeout)
        assert not check or result.returncode == 0, f"{result.stdout}\n{result.stderr}"
        return result
    return go


class BadProxy:
    """Passes bytes between the copier and the store, and does to each connection what `fault` says of its number."""

    def __init__(self, to, fault):
        self.to, self.fault = to, fault
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.connections = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def accept(self):
        while True:
            try:
                here, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
                number = self.connections
            threading.Thread(target=self.serve, args=(here, self.fault(number)), daemon=True).start()

    def serve(self, here, fault):
        """fault: None, ("cut", n): both ends after n bytes of answers; ("reset", n): the same, hard; ("refuse",); ("delay", s)"""
        with here:
            if fault == ("refuse",):
                return
            with socket.create_connection(self.to) as there:
                moved = 0
                while True:
                    ready, _, _ = select.select([here, there], [], [], 60)
                    for one in ready:
                        try:
                            data = one.recv(65536)
                            if not data:
                                return
                            if fault and fault[0] == "delay":
                                time.sleep(fault[1])
                            if fault and fault[0] in ("cut", "reset") and one is there:
                                data = data[:fault[1] - moved]
                                moved += len(data)
                            (there if one is here else here).sendall(data)
                        except OSError:
                            return
                        if fault and fault[0] in ("cut", "reset") and moved >= fault[1]:
                            if fault[0] == "reset":
                                here.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                            return
                    if not ready:
                        return

    def close(self):
        self.listener.close()


@pytest.fixture
def proxied(store):
    """Makes a bad proxy before the store, and the environment that leads through it."""
    made = []
    s = store.endpoint()["s3"]
    host, port = s["endpoint"].removeprefix("http://").split(":")

    def make(fault):
        proxy = BadProxy((host, int(port)), fault)
        made.append(proxy)
        return {"AWS_ENDPOINT_URL": proxy.url, "AWS_ACCESS_KEY_ID": s["access_key"], "AWS_SECRET_ACCESS_KEY": s["secret_key"]}

    yield make
    for proxy in made:
        proxy.close()


def some_of(fault, most=7):
    """A fault for some of the first connections: fewer in all than the tries of one request, whichever connections it gets."""
    random_ = random.Random(SEED)
    bad = set(random_.sample(range(1, 21), most))
    return lambda number: fault if number in bad else None


@pytest.mark.parametrize("fault", [("cut", 70_000), ("reset", 70_000), ("cut", 30), ("refuse",), ("delay", 0.02)], ids=str)
def test_unreliable_connection_costs_retries_only(run, scratch, s3, b, proxied, fault):
    for i in range(12):
        fill(scratch / f"in/f{i}", 200_000 + i, i)
    fill(scratch / "in/large", 21 * MIB)
    more = proxied(some_of(fault))
    up = summary(run("cp", "-r", "--part-size", "5MiB", "in", f"s3://{b}", "--json", more=more))
    assert up["copied"] == 13 and up["checked"]["crc"] == 13
    assert {k: body(s3, b, k) for k in keys(s3, b)} == tree(scratch / "in")
    more = proxied(some_of(fault))
    down = summary(run("cp", "-r", "--part-size", "5MiB", f"s3://{b}", "out", "--json", more=more))
    assert down["copied"] == 13 and down["checked"]["crc"] == 13
    assert tree(scratch / "out") == tree(scratch / "in")


def test_unreachable_server_is_reported_after_the_retries(run, scratch, b, proxied):
    fill(scratch / "f", 10)
    result = run("cp", "f", f"s3://{b}/f", more=proxied(lambda number: ("refuse",)), check=False)
    assert result.returncode == 1 and "cannot" in result.stderr and "same command again" in result.stderr


def kill_soon(process, random_):
    time.sleep(random_.uniform(0.01, 0.5))
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_copy_killed_at_any_instant_resumes(run, scratch, s3, b, env):
    random_ = random.Random(SEED)
    for i in range(40):
        fill(scratch / f"in/s{i}", 50_000 + i, i)
    fill(scratch / "in/large", 60 * MIB)
    whole = tree(scratch / "in")
    for round_ in range(ROUNDS):
        for arguments in (["in", f"s3://{b}/{round_}"], [f"s3://{b}/{round_}", f"out{round_}"]):
            command = ["cp", "-r", "--part-size", "5MiB", "--bandwidth", "80MiB", *arguments]
            for _ in range(3):
                process = subprocess.Popen([MUSTER, *command], env=env, cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                kill_soon(process, random_)
            done = summary(run(*command, "--json"))
            assert done["copied"] + done["skipped"] == 41 and done["failed"] == 0, (SEED, done)
        assert {k.split("/", 1)[1]: body(s3, b, k) for k in keys(s3, b) if k.startswith(f"{round_}/")} == whole, SEED
        assert tree(scratch / f"out{round_}") == whole, SEED
    assert os.listdir(scratch / "home/.local/state/muster/transfers") == []


def test_completed_objects_are_not_copied_again(run, scratch, s3, b, env):
    fill(scratch / "large", 60 * MIB)
    for command in (["large", f"s3://{b}/large"], [f"s3://{b}/large", "back"]):
        command = ["cp", "--part-size", "5MiB", "--bandwidth", "20MiB", "-j", "2", *command]
        record = scratch / "home/.local/state/muster/transfers"
        process = subprocess.Popen([MUSTER, *command], env=env, cwd=scratch, stdout=subprocess.DEVNULL)
        wait_until(lambda: any(p.read_bytes().count(b'"part"') >= 4 for p in record.glob("*.record")), 60, "four parts")
        process.kill()
        process.wait()
        done = summary(run(*command, "--json"))
        # 60 MiB at 20 MiB/s take 3 s; a third was there.
        assert done["copied"] == 1 and done["ms"] < 2700, done
        # What is told as copied, and so the rate, is what this run moved.
        assert done["resumed"] == 1 and done["resumed_bytes"] >= 20 * MIB, done
        assert done["bytes"] + done["resumed_bytes"] == 60 * MIB, done
    assert (scratch / "back").read_bytes() == (scratch / "large").read_bytes()


def test_changed_source_is_copied_from_its_start(run, scratch, s3, b, env):
    fill(scratch / "large", 60 * MIB)
    command = ["cp", "--part-size", "5MiB", "--bandwidth", "20MiB", "-j", "2", "large", f"s3://{b}/large"]
    process = subprocess.Popen([MUSTER, *command], env=env, cwd=scratch, stdout=subprocess.DEVNULL)
    record = scratch / "home/.local/state/muster/transfers"
    wait_until(lambda: any(p.read_bytes().count(b'"part"') >= 2 for p in record.glob("*.record")), 60, "two parts")
    process.kill()
    process.wait()
    data = fill(scratch / "large", 60 * MIB, 2).read_bytes()
    run("cp", "--part-size", "5MiB", "large", f"s3://{b}/large")
    assert body(s3, b, "large") == data
    assert s3.list_multipart_uploads(Bucket=b).get("Uploads", []) == []


def test_second_process_of_the_same_copy_is_refused(run, scratch, b, env):
    fill(scratch / "large", 20 * MIB)
    command = ["cp", "--bandwidth", "5MiB", "large", f"s3://{b}/large"]
    first = subprocess.Popen([MUSTER, *command], env=env, cwd=scratch, stdout=subprocess.DEVNULL)
    wait_until(lambda: list((scratch / "home/.local/state/muster/transfers").glob("*.record")), 60, "the record")
    second = run(*command, check=False)
    assert second.returncode == 1 and "under way" in second.stderr
    assert first.wait(60) == 0


def test_copy_survives_a_server_restart(scratch):
    with serving("--store-sync", "none") as server:
        s3 = client(server)
        b = bucket(s3)
        random_ = random.Random(SEED)
        for i in range(300):
            fill(scratch / f"in/s{i}", 20_000 + i, i)
        fill(scratch / "in/large", 40 * MIB)
        env = {**server.env, "HOME": str(scratch / "home")}
        for round_ in range(ROUNDS // 2):
            process = subprocess.Popen([MUSTER, "cp", "-r", "--part-size", "5MiB", "--bandwidth", "40MiB", "--json", "in", f"s3://{b}/{round_}"],
                                       env=env, cwd=scratch, stdout=subprocess.PIPE, text=True)
            time.sleep(random_.uniform(0.05, 0.6))
            server.kill()
            server.start()
            out, _ = process.communicate(timeout=120)
            assert process.returncode == 0, (SEED, out)
            s3 = client(server)
            found = {k.split("/", 1)[1]: body(s3, b, k) for k in keys(s3, b) if k.startswith(f"{round_}/")}
            assert found == tree(scratch / "in"), SEED


def test_full_disk_is_reported_and_leaves_no_partial_file(run, scratch, s3, b):
    s3.put_object(Bucket=b, Key="f", Body=os.urandom(3 * MIB))
    large = fill(scratch / "large", 40 * MIB)
    run("cp", large, f"s3://{b}/large")
    small = scratch / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(small)], capture_output=True).returncode != 0:
        pytest.skip("mounting needs more rights")
    try:
        for key in ("f", "large"):
            result = run("cp", f"s3://{b}/{key}", small / "got", check=False)
            assert result.returncode == 1 and "no space left" in result.stderr, result.stderr
            assert os.listdir(small) == []
    finally:
        subprocess.run(["umount", str(small)], check=True)


class SkewedStore(http.server.BaseHTTPRequestHandler):
    """Takes a PUT only when it was signed by this server's clock, which is a day ahead."""
    protocol_version = "HTTP/1.1"
    taken = []

    def log_message(self, *args):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string(time.time() + 86400)

    def do_PUT(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
        signed = datetime.datetime.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        wrong = abs((now - signed).total_seconds()) > 900
        answer = b"<Error><Code>RequestTimeTooSkewed</Code><Message>late</Message></Error>" if wrong else b""
        if not wrong:
            self.taken.append((self.headers["x-amz-content-sha256"], data))
        self.send_response(403 if wrong else 200)
        self.send_header("ETag", '"x"')
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def test_clock_skew_is_corrected_and_unverified_upload_is_repeated_signed(run, scratch, env):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SkewedStore)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    fill(scratch / "f", 1000)
    more = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s"}
    done = summary(run("cp", "f", "s3://bucket/f", "--json", more=more))
    server.shutdown()
    assert done["copied"] == 1 and done["retries"] == 1 and done["checked"]["sha256"] == 1
    assert [seal == "UNSIGNED-PAYLOAD" for seal, _ in SkewedStore.taken] == [True, False]
    assert SkewedStore.taken[-1][1] == (scratch / "f").read_bytes()


def test_wrong_keys_fail_without_retries(run, scratch, store, b):
    s = store.endpoint()["s3"]
    fill(scratch / "f", 10)
    for access, secret, name in ((s["access_key"], "hush", "SignatureDoesNotMatch"), ("NOBODY", "hush", "InvalidAccessKeyId")):
        more = {"AWS_ENDPOINT_URL": s["endpoint"], "AWS_ACCESS_KEY_ID": access, "AWS_SECRET_ACCESS_KEY": secret}
        result = run("cp", "f", f"s3://{b}/f", more=more, check=False)
        assert result.returncode == 1 and name in result.stderr and "hush" not in result.stderr + result.stdout
        assert "same command again" not in result.stderr
        done = summary(run("cp", "f", f"s3://{b}/f", "--json", more=more, check=False))
        assert done["retries"] == 0 and done["failures"][0]["code"] == "denied"


def test_copy_stopped_by_ctrl_c_resumes(run, scratch, s3, b, env):
    fill(scratch / "large", 40 * MIB)
    command = ["cp", "--part-size", "5MiB", "--bandwidth", "20MiB", "large", f"s3://{b}/large"]
    process = subprocess.Popen([MUSTER, *command], env=env, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    record = scratch / "home/.local/state/muster/transfers"
    wait_until(lambda: any(b'"begin"' in p.read_bytes() for p in record.glob("*.record")), 60, "the upload")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "goes on" in err
    run(*command)
    assert body(s3, b, "large") == (scratch / "large").read_bytes()


@pytest.mark.skipif("COPIER_LARGE" not in os.environ, reason="five gigabytes: COPIER_LARGE=1")
def test_five_gibibytes(run, scratch, s3, b):
    with open(scratch / "five", "wb") as file:
        file.truncate(5 << 30)
        for at in range(0, 5 << 30, 64 * MIB):
            file.seek(at)
            file.write(os.urandom(4096))
    up = summary(run("cp", "five", f"s3://{b}/five", "--json", timeout=1200))
    down = summary(run("cp", f"s3://{b}/five", "back", "--json", timeout=1200))
    assert up["checked"]["crc"] == down["checked"]["crc"] == 1
    subprocess.run(["cmp", scratch / "five", scratch / "back"], check=True)
