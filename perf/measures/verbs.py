"""What a verb costs to type, beside squeue."""
from frame.samples import faster
from frame.timing import turns, whole

NAME = "verbs"
TITLE = "start of a verb"
ROUNDS = 50


def measure(lab):
    slurm = lab.slurm
    with lab.server() as server:
        version, ps, squeue = turns(
            ROUNDS,
            lambda: whole(server.verb("--version"), env=server.env),
            lambda: whole(server.verb("ps"), env=server.env),
            lambda: whole(["squeue"], env=slurm.env))
    return [faster(NAME, "muster --version", version, "squeue", squeue, 1.0),
            faster(NAME, "muster ps", ps, "squeue", squeue, 1.0)]
