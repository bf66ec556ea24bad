"""Object stores to race and to test against: MinIO, versitygw and radosgw, each on a folder of its own, on loopback."""
import contextlib
import os
import pathlib
import secrets
import subprocess
import time
import urllib.error
import urllib.request

from frame.ports import free_port

PEERS = pathlib.Path(os.environ.get("MUSTER_PEERS") or pathlib.Path(
    os.environ.get("MUSTER_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "muster") / "bin")


class Store:
    """Where an object store listens and who may ask it."""

    def __init__(self, name, endpoint, access_key, secret_key, pid, region="us-east-1"):
        self.name, self.endpoint, self.pid, self.region = name, endpoint, pid, region
        self.access_key, self.secret_key = access_key, secret_key

    def environment(self, home):
        """Variables for any client, with nothing of the user's own settings."""
        env = {k: v for k, v in os.environ.items()
               if not k.upper().startswith(("AWS_", "S3_", "RCLONE_", "MC_", "MUSTER")) and "PROXY" not in k.upper()}
        with_keys = self.endpoint.replace("://", f"://{self.access_key}:{self.secret_key}@")
        env.update(AWS_ACCESS_KEY_ID=self.access_key, AWS_SECRET_ACCESS_KEY=self.secret_key, AWS_REGION=self.region,
                   AWS_DEFAULT_REGION=self.region, AWS_ENDPOINT_URL=self.endpoint, AWS_EC2_METADATA_DISABLED="true",
                   AWS_CONFIG_FILE="/dev/null", AWS_SHARED_CREDENTIALS_FILE="/dev/null", AWS_PAGER="", NO_PROXY="*",
                   S3_ENDPOINT_URL=self.endpoint, MC_CONFIG_DIR=f"{home}/mc", MC_HOST_m=with_keys, HOME=str(home),
                   RCLONE_CONFIG="/dev/null", RCLONE_S3_PROVIDER="Minio", RCLONE_S3_ENDPOINT=self.endpoint,
                   RCLONE_S3_ACCESS_KEY_ID=self.access_key, RCLONE_S3_SECRET_ACCESS_KEY=self.secret_key, NO_COLOR="1",
                   RCLONE_S3_REGION=self.region, PATH="/usr/bin:" + env.get("PATH", ""), LC_ALL="C.UTF-8")
        return env


def program(name):
    path = PEERS / name
    if not path.exists():
        raise FileNotFoundError(f"{name} is missing in {PEERS}: tools/object_peers.sh builds it once")
    return str(path)


def answers(endpoint):
    try:
        with urllib.request.urlopen(endpoint + "/", timeout=5):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False


def wait_for(endpoint, processes, log, seconds=120):
    deadline = time.monotonic() + seconds
    while not answers(endpoint):
        ended = [p for p in processes if p.poll() is not None]
        if ended or time.monotonic() > deadline:
            raise RuntimeError(f"{endpoint} does not answer: {pathlib.Path(log).read_text(errors='replace')[-2000:]}")
        time.sleep(0.05)


@contextlib.contextmanager
def running(command, endpoint, log, **env):
    """One server process that answers, stopped at the end."""
    with open(log, "ab") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env={**os.environ, **env})
    try:
        wait_for(endpoint, [process], log)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def minio(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    port, secret = free_port(), secrets.token_hex(16)
    endpoint = f"http://127.0.0.1:{port}"
    command = [program("minio"), "server", "--quiet", "--address", f"127.0.0.1:{port}", "--console-address",
               f"127.0.0.1:{free_port()}", str(folder / "data")]
    with running(command, endpoint, folder / "log", MINIO_ROOT_USER="musterrace", MINIO_ROOT_PASSWORD=secret,
                 MINIO_BROWSER="off", MINIO_UPDATE="off", HOME=str(folder)) as process:
        yield Store("MinIO", endpoint, "musterrace", secret, process.pid)


@contextlib.contextmanager
def versitygw(folder):
    folder = pathlib.Path(folder)
    (folder / "data").mkdir(parents=True, exist_ok=True)
    port, secret = free_port(), secrets.token_hex(16)
    endpoint = f"http://127.0.0.1:{port}"
    command = [program("versitygw"), "--access", "musterrace", "--secret", secret, "--port", f"127.0.0.1:{port}", "--quiet",
               "posix", str(folder / "data")]
    with running(command, endpoint, folder / "log") as process:
        yield Store("versitygw", endpoint, "musterrace", secret, process.pid)
