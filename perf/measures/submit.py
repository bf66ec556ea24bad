"""From submit to the first line that a job writes."""
import random
import time

from frame.http import first_log_event
from frame.lab import MPIRUN
from frame.samples import faster
from frame.timing import first_line_and_end, milliseconds, turns

NAME = "submit"
TITLE = "submit → first line of a job of 2 ranks"
ROUNDS = 50
BATCH_ROUNDS = 25  # sbatch takes a second; its median is steady by then


def until_text(path, began):
    """Milliseconds until there is something in the file."""
    while True:
        try:
            if path.stat().st_size:
                return milliseconds(began)
        except FileNotFoundError:
            pass
        time.sleep(0.0005)


def batch_first_line(lab):
    """sbatch of two ranks, until the first of them has written. Slurm looks at its queue once a second: the pause
    before makes the submit fall anywhere in that second, as a user's does, instead of right behind a look."""
    slurm, out = lab.slurm, lab.path("slurm.out")
    time.sleep(random.random())
    began = time.perf_counter()
    slurm.submit("-n2", "-o", out, "--wrap", "srun echo line", cwd=lab.folder)
    return until_text(out, began)


def by_http(server, spec):
    """The same over the HTTP API: POST, then the log stream until its first line."""
    connection, stream = server.connect(), server.connect()
    connection.get("/health")
    stream.get("/health")
    began = time.perf_counter()
    job, = connection.submit(spec)
    first_log_event(stream, job)
    took = milliseconds(began)
    server.wait_all_ended(connection)
    connection.close()
    return took


def measure(lab):
    with lab.server() as server:
        verb = server.verb("run", "-g", "cpu:2", "--", "echo", "line")
        spec = {"run": ["echo", "line"], "resources": {"devices": "cpu:2"}}
        quick, api, mpi = turns(
            ROUNDS,
            lambda: first_line_and_end(verb, env=server.env, cwd=lab.folder)[0],
            lambda: by_http(server, spec),
            lambda: first_line_and_end([*MPIRUN, "-np", "2", "echo", "line"], cwd=lab.folder)[0])
        beside, batch = turns(
            BATCH_ROUNDS,
            lambda: first_line_and_end(verb, env=server.env, cwd=lab.folder)[0],
            lambda: batch_first_line(lab))
    lab.slurm.wait_all_ended()
    return [
        faster(NAME, "muster run", beside, "sbatch + srun", batch, 20),
        faster(NAME, "muster run", quick, "mpirun -np 2", mpi, 2),
        faster(NAME, "HTTP API", api, "mpirun -np 2", mpi),
    ]
