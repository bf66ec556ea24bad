"""From submit to the first collective of 64 ranks of real PyTorch, all on one node, beside torchrun."""
import os
import subprocess
import time

from frame.ports import free_port
from frame.samples import faster
from frame.timing import milliseconds, turns

NAME = "collective"
TITLE = "submit → first collective of 64 ranks of PyTorch"
RANKS, ROUNDS = 64, 3  # a round of both takes a minute or two: 128 processes that load PyTorch
PYTHON = "/usr/bin/python3"  # Debian's, which has python3-torch
SCRIPT = """
import os, sys
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
value = torch.ones(1)
dist.all_reduce(value)
assert value.item() == dist.get_world_size()
if dist.get_rank() == 0:
    os.write(os.open(sys.argv[1], os.O_WRONLY), b"x")
dist.barrier()
dist.destroy_process_group()
"""


def until_met(lab, command, **more):
    """Milliseconds from the start of a command until rank 0 has the result of the first collective."""
    met = lab.path("met")
    os.mkfifo(met)
    hearing = os.open(met, os.O_RDWR)
    try:
        began = time.perf_counter()
        with open(lab.path("collective.log"), "wb") as log:
            process = subprocess.Popen([*command, str(met)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=lab.folder, **more)
        os.set_blocking(hearing, False)
        while True:
            try:
                os.read(hearing, 1)
                break
            except BlockingIOError:
                if process.poll() is not None:
                    raise RuntimeError(f"{command}: ended with {process.returncode} before its ranks had met") from None
                time.sleep(0.005)
        took = milliseconds(began)
        if process.wait() != 0:
            raise RuntimeError(f"{command}: exit code {process.returncode}")
        return took
    finally:
        os.close(hearing)


def measure(lab):
    folder = lab.path("code")
    folder.mkdir()
    script = folder / "reduce.py"
    script.write_text(SCRIPT)
    def torchrun():
        # Under Python 3.11 the defaults of PyTorch 1.13 for these two do not parse; so they mean rank 0 alone.
        return [PYTHON, "-m", "torch.distributed.run", "--nproc_per_node", str(RANKS), "--redirects", "0:1", "--tee", "0:1",
                "--log_dir", str(lab.path("torchrun")), "--master_port", str(free_port()), str(script)]

    with lab.server() as server:
        mine, theirs = turns(
            ROUNDS,
            lambda: until_met(lab, server.verb("run", "-f", "pytorch", "-g", f"cpu:{RANKS}", "--code", "none", "--", PYTHON, script),
                              env=server.env),
            lambda: until_met(lab, torchrun()), warm=False)
    return [faster(NAME, f"{RANKS} ranks", mine, "torchrun", theirs, 1.0)]
