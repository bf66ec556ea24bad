"""The server and the launchers are killed at random instants under load: nothing acknowledged is lost, doubled or left."""
import random
import time

import pytest
from harness import (SEED, FixedServer, Load, check_nothing_left, check_outcome, kill_hard, launchers_of, say, scaled, touching)

NODES = ("--nodes", "4x4npu+4cpu")


@pytest.fixture
def storm_server(scratch):
    server = FixedServer(scratch / "data", *NODES).start()
    yield server
    if server.process.poll() is None:
        server.kill()
    for pid in touching(server.data):  # only after a failure is there anything
        kill_hard(pid)


def strike(server, rng, kills, between=lambda: None):
    """Kills the server `kills` times: while it starts, takes jobs up again, answers, writes."""
    for _ in range(kills):
        time.sleep(rng.uniform(0, 0.1) if rng.random() < 0.3 else rng.uniform(0.1, 0.7))
        between()
        server.kill()
        server.spawn()
    server.kill()
    server.start()


def test_acknowledged_jobs_end_once_and_correctly_under_server_kills(storm_server, scratch):
    jobs, kills = scaled(24, 240, 2000), scaled(4, 30, 200)
    say(f"seed {SEED}: {jobs} jobs, the server is killed {kills} times")
    load = Load(storm_server, scratch / "began", jobs).start()
    strike(storm_server, random.Random(f"{SEED}-server"), kills)
    load.join()
    storm_server.wait_idle()
    assert len(load.acknowledged) >= jobs
    check_outcome(storm_server, load)
    check_nothing_left(storm_server)


def test_jobs_with_killed_launchers_are_lost_or_retried_and_never_run_twice(storm_server, scratch):
    jobs, kills = scaled(24, 120, 2000), scaled(3, 12, 100)
    say(f"seed {SEED}: {jobs} jobs, launchers and the server are killed {kills} times")
    rng = random.Random(f"{SEED}-launchers")
    killed = []

    def one_launcher():
        living = launchers_of(storm_server.data)
        for pid in rng.sample(living, min(len(living), rng.randrange(4))):
            killed.append(pid)
            kill_hard(pid)

    load = Load(storm_server, scratch / "began", jobs, retries=2).start()
    while load.alive() and len(killed) < kills * 2:
        time.sleep(rng.uniform(0, 0.1))
        one_launcher()
    strike(storm_server, rng, kills, between=one_launcher)
    load.join()
    storm_server.wait_idle()
    lost = check_outcome(storm_server, load, launchers_killed=True)
    say(f"{len(killed)} launchers killed, {lost} jobs had an attempt that was lost")
    assert killed and lost
    check_nothing_left(storm_server)
