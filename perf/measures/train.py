"""A training step under Muster and by hand: the Fashion-MNIST example on two ranks."""
import itertools
import json
import os
import subprocess

from frame.ports import free_port
from frame.samples import faster
from frame.server import ROOT
from frame.timing import call, turns

NAME = "train"
TITLE = "a training step, 2 ranks of the Fashion-MNIST example"
CODE = ROOT / "examples/fashion-mnist"
ROUNDS, PICTURES, BATCH = 15, 32_000, 128


def words(out):
    return ["--epochs", "1", "--limit", PICTURES, "--batch_size", BATCH, "--train_url", out]


def steps_ms(out):
    """Milliseconds of a step in each stretch of fifty that rank 0 noted. Starting Python and reading pictures is not in
    it. The example notes its speed since the epoch began, so a stretch is the difference of two notes."""
    notes = map(json.loads, (out / "metrics.jsonl").read_text().splitlines())
    reached = [(0, 0.0)] + [(note["step"], note["step"] * BATCH / note["images_per_second"] * 1e3)
                            for note in notes if note["event"] == "step"]
    return [(late - early) / (to - since) for (since, early), (to, late) in itertools.pairwise(reached)]


def under_muster(lab, server):
    out = lab.path("out")
    call(server.verb("run", "-f", "pytorch", "-g", "cpu:2", "--code", CODE, "--", "/usr/bin/python3", "train.py", *words(out)),
         env=server.env, cwd=lab.folder)
    return steps_ms(out)


def by_hand(lab):
    out = lab.path("out")
    port = free_port()
    ranks = []
    for rank in range(2):
        env = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
               "LOCAL_RANK": str(rank), "OMP_NUM_THREADS": "1"}
        with open(lab.path("rank.log"), "wb") as log:
            ranks.append(subprocess.Popen(["/usr/bin/python3", str(CODE / "train.py"), *map(str, words(out))], env=env,
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log))
    if any([rank.wait() for rank in ranks]):
        raise RuntimeError("a rank started by hand failed")
    return steps_ms(out)


def measure(lab):
    with lab.server() as server:
        mine, hand = turns(ROUNDS, lambda: under_muster(lab, server), lambda: by_hand(lab))
    mine, hand = (list(itertools.chain.from_iterable(runs)) for runs in (mine, hand))
    return [faster(NAME, "muster run -f pytorch", mine, "by hand", hand, 0.99)]
