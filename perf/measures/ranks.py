"""From submit until every rank of a job executes."""
import contextlib
import os
import subprocess
import time

from frame.lab import MPIRUN
from frame.samples import faster
from frame.timing import milliseconds, turns

NAME = "ranks"
TITLE = "submit → all ranks executing, 2 nodes"
ROUNDS = {16: 15, 64: 9}


@contextlib.contextmanager
def roll_call(lab):
    """Two pipes with names: ranks say that they execute in the one, and wait for leave at the other."""
    here, leave = lab.path("here"), lab.path("leave")
    os.mkfifo(here)
    os.mkfifo(leave)
    ends = os.open(here, os.O_RDWR), os.open(leave, os.O_RDWR)
    try:
        yield here, leave, *ends
    finally:
        for end in ends:
            os.close(end)


def all_here(lab, command, ranks, **more):
    """Milliseconds from the start of a command that starts the ranks until the last of them has spoken."""
    with roll_call(lab) as (here, leave, hearing, leaving):
        rank = ["sh", "-c", f"echo > {here}; read go < {leave}"]
        began = time.perf_counter()
        process = subprocess.Popen([*command, *rank], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=lab.folder, **more)
        heard = 0
        while heard < ranks:
            heard += len(os.read(hearing, ranks))
        took = milliseconds(began)
        os.write(leaving, b"\n" * ranks)
        if process.wait() != 0:
            raise RuntimeError(f"{command}: exit code {process.returncode}")
        return took


def measure(lab):
    rows = []
    slurm = lab.slurm
    with lab.server() as server:
        for ranks, rounds in ROUNDS.items():
            mine, srun, mpi = turns(
                rounds,
                lambda: all_here(lab, server.verb("run", "-N", 2, "-g", f"cpu:{ranks // 2}", "--"), ranks, env=server.env),
                lambda: all_here(lab, ["srun", "-N2", f"-n{ranks}"], ranks, env=slurm.env),
                lambda: all_here(lab, [*MPIRUN, "-np", str(ranks)], ranks))
            rows += [faster(NAME, f"{ranks} ranks", mine, f"srun -N2 -n{ranks}", srun, 2),
                     faster(NAME, f"{ranks} ranks", mine, f"mpirun -np {ranks}", mpi, 2)]
    return rows
