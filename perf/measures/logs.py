"""Sixteen ranks writing flat out, until every byte can be read through the API."""
import subprocess
import time

from frame.samples import more
from frame.timing import turns

NAME = "logs"
TITLE = "16 ranks writing flat out, until all is readable"
RANKS, ROUNDS = 16, 5
BYTES = 32 << 20  # of each rank


def make_text(path):
    """A log as training writes it: most lines hold numbers that somebody will look for."""
    line = "epoch {0}/90  step {1}/1200  loss: {2:.4f}  accuracy: 0.{1:04d}  lr: 0.00100  4821 images/s  eta 0:12:{3:02d}\n"
    text = "".join(line.format(n // 1200, n % 1200, 2.5 / (1 + n / 900), n % 60) for n in range(20_000)).encode()
    with open(path, "wb") as out:
        for _ in range(BYTES // len(text)):
            out.write(text)
        out.write(text[:BYTES % len(text)])


def writer(text):
    """A rank: plain writes of 64 KiB. (cat would let the kernel share the file's blocks and write nothing.)"""
    return ["dd", f"if={text}", "bs=64k", "status=none"]


def check_ends(connection, job, text):
    """What is said to be readable is: the last bytes of every rank are those that were written."""
    with open(text, "rb") as written:
        written.seek(BYTES - 4096)
        end = written.read()
    for rank in range(RANKS):
        if connection.send("GET", f"/jobs/{job}/ranks/{rank}/log?offset={BYTES - 4096}").read() != end:
            raise RuntimeError(f"the end of rank {rank}'s log is not what the rank wrote")


def through_muster(server, connection, text):
    began = time.perf_counter()
    job, = connection.submit({"run": writer(text), "resources": {"devices": f"cpu:{RANKS}"}})
    for rank in range(RANKS):
        while connection.log_size(job, rank) < BYTES:
            time.sleep(0.002)
    took = time.perf_counter() - began
    check_ends(connection, job, text)
    server.wait_all_ended(connection)
    server.check_all_succeeded(connection)
    connection.call("DELETE", f"/jobs/{job}")
    return RANKS * BYTES / took / 1e6


def through_cat(lab, text):
    files = [lab.path("rank.log") for _ in range(RANKS)]
    began = time.perf_counter()
    ranks = []
    for file in files:
        with open(file, "wb") as out:
            cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=out)
        ranks += [cat, subprocess.Popen(writer(text), stdout=cat.stdin)]
        cat.stdin.close()
    for process in ranks:
        if process.wait() != 0:
            raise RuntimeError(f"{process.args}: exit code {process.returncode}")
    took = time.perf_counter() - began
    for file in files:
        if file.stat().st_size != BYTES:
            raise RuntimeError(f"{file}: {file.stat().st_size} bytes instead of {BYTES}")
        file.unlink()
    return RANKS * BYTES / took / 1e6


def measure(lab):
    text = lab.path("text")
    make_text(text)
    with lab.server() as server:
        connection = server.connect()
        mine, cat = turns(ROUNDS, lambda: through_muster(server, connection, text), lambda: through_cat(lab, text))
    text.unlink()
    return [more(NAME, "a rank's own file, read behind", mine, "each into cat > file", cat, 1.0, unit="MB/s")]
