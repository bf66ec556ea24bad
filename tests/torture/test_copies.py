"""Copies while the server is killed again and again: what arrived is whole, nothing that was acknowledged is lost."""
import json
import os
import random
import subprocess
import time

import pytest
from harness import PATIENCE, SEED, FixedServer, kill_hard, say, scaled, touching

from conftest import MUSTER
from s3 import bucket, client, keys

FILES, LARGE = 150, 24 << 20


@pytest.fixture
def server(scratch):
    server = FixedServer(scratch / "data").start()
    yield server
    if server.process.poll() is None:
        server.kill()
    for pid in touching(server.data):
        kill_hard(pid)


def make(folder, rng):
    folder.mkdir()
    for number in range(FILES):
        path = folder / f"d{number % 7}" / f"f{number}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(rng.randbytes(rng.choice([0, 100, 20_000, 300_000])))
    (folder / "large").write_bytes(rng.randbytes(LARGE))
    return tree(folder)


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def copy_through_kills(server, env, scratch, rng, words):
    """Runs one copy to its end, the server killed under it, more than once; how often."""
    kills = 0
    deadline = time.monotonic() + PATIENCE
    command = [MUSTER, "cp", "-r", "--part-size", "5MiB", "--bandwidth", "30MiB", "--json", *words]
    while True:
        copier = subprocess.Popen(command, env=env, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(rng.randrange(1, 4)):
            time.sleep(rng.uniform(0.02, 0.7))
            server.kill()
            kills += 1
            server.start()
        out, err = copier.communicate(timeout=PATIENCE)
        # A server that is away for long enough ends a copy; the next goes on with it.
        if copier.returncode == 0:
            return kills, json.loads(out)
        assert time.monotonic() < deadline, (SEED, err[-2000:])


@pytest.mark.parametrize("way", ["shortcut", "connection"])
def test_copy_completes_despite_kills(server, scratch, way):
    wanted, kills, rounds = scaled(4, 12, 60), 0, 0
    rng = random.Random(f"{SEED}-{way}")
    say(f"seed {SEED}: copies by {way} while the server is killed {wanted} times")
    files = make(scratch / "in", rng)
    b = bucket(client(server))
    env = {k: v for k, v in server.env.items() if not k.startswith(("AWS_", "XDG_"))}
    env["HOME"] = str(scratch / "home")
    flags = ["--no-shortcut"] if way == "connection" else []
    while kills < wanted:
        rounds += 1
        up, _ = copy_through_kills(server, env, scratch, rng, [*flags, "in/", f"s3://{b}/{rounds}/"])
        s3 = client(server)
        assert keys(s3, b, Prefix=f"{rounds}/") == sorted((f"{rounds}/{name}" for name in files), key=str.encode), SEED
        down, _ = copy_through_kills(server, env, scratch, rng, [*flags, f"s3://{b}/{rounds}/", f"out{rounds}/"])
        assert tree(scratch / f"out{rounds}") == files, SEED
        kills += up + down
    # What was acknowledged in the first round is there after the last kill, and nothing half is beside it.
    subprocess.run([MUSTER, "cp", "-r", "-q", "--no-shortcut", f"s3://{b}/1/", "again/"], env=env, cwd=scratch, check=True)
    assert tree(scratch / "again") == files, SEED
    server.kill()
    server.start()
    assert os.listdir(server.data / "objects/.muster/tmp") == []
    say(f"{kills} kills in {rounds} rounds")
