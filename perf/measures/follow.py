"""Following one rank that writes a million lines a second."""
import os
import subprocess
import time

from frame.samples import more
from frame.timing import turns

NAME = "follow"
TITLE = "following a rank that writes a million lines a second"
ROUNDS = 5
LINES, BLOCK = 2_000_000, 10_000

# Waits for leave, writes blocks of lines in time with the clock (or without a pace), and ends with a line of its own.
WRITER = f"""
import os, sys, time
go, pace = sys.argv[1], float(sys.argv[2])
block = b"".join(b"step %06d loss: 0.%04d\\n" % (n, n % 10000) for n in range({BLOCK}))
print("ready", flush=True)
open(go).read()
began = time.monotonic()
for number in range({LINES // BLOCK}):
    ahead = began + number * {BLOCK} / pace - time.monotonic()
    if ahead > 0:
        time.sleep(ahead)
    left = memoryview(block)
    while left:
        left = left[os.write(1, left):]
os.write(1, b"over\\n")
"""


def millions_a_second(follower, go):
    """Lines, from leave for the writer to the last line that the follower passes on."""
    stream = follower.stdout.fileno()
    seen = b""
    while b"ready\n" not in seen:
        seen += os.read(stream, 1 << 16)
    with open(go, "w", encoding="ascii"):
        began = time.perf_counter()
    count, tail = -1, b""  # the writer's last line is not of the load
    while not tail.endswith(b"over\n"):
        piece = os.read(stream, 1 << 20)
        if not piece:
            raise RuntimeError("the follower ended before the writer did")
        count += piece.count(b"\n")
        tail = (tail + piece)[-16:]
    took = time.perf_counter() - began
    if count != LINES:
        raise RuntimeError(f"{count} lines came of {LINES}")
    return count / took / 1e6


def follow(command, go, **more_):
    follower = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **more_)
    try:
        return millions_a_second(follower, go)
    finally:
        follower.terminate()
        follower.wait()
        follower.stdout.close()


def writer(go, pace):
    return ["/usr/bin/python3", "-c", WRITER, str(go), str(pace)]


def through_muster(lab, server, connection, pace):
    go = lab.path("go")
    os.mkfifo(go)
    job, = connection.submit({"run": writer(go, pace)})
    rate = follow(server.verb("logs", "-f", job), go, env=server.env)
    server.wait_all_ended(connection)
    return rate


def through_tail(lab, pace):
    go, log = lab.path("go"), lab.path("rank.log")
    os.mkfifo(go)
    with open(log, "wb") as out:
        rank = subprocess.Popen(writer(go, pace), stdout=out)
    rate = follow(["tail", "-n", "+1", "-f", log], go)
    if rank.wait() != 0:
        raise RuntimeError("the writer failed")
    log.unlink()
    return rate


def measure(lab):
    with lab.server() as server:
        connection = server.connect()
        paced, paced_tail, flat, flat_tail = turns(
            ROUNDS,
            lambda: through_muster(lab, server, connection, 1e6), lambda: through_tail(lab, 1e6),
            lambda: through_muster(lab, server, connection, float("inf")), lambda: through_tail(lab, float("inf")))
    return [more(NAME, "muster logs -f", paced, "tail -f", paced_tail, 0.7, unit="M lines/s"),
            more(NAME, "muster logs -f, written flat out", flat, "tail -f", flat_tail, unit="M lines/s")]
