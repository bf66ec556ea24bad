"""Programs in place of those that are not on this machine. Each checks all that it is given and tells it."""
import base64
import json
import os
import pathlib
import re
import tempfile
import zlib

import pytest
from conftest import PYTHON

TOLD = re.compile(rb"^TOLD (\S+)$", re.M)

# Put in front of a program's own check. What is told goes out in one write and is small, so that many processes can tell
# through one pipe.
TELL = """
import base64, json, os, sys, zlib
def tell(**more):
    said = json.dumps({"argv": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ), **more}).encode()
    line = b"TOLD " + base64.b64encode(zlib.compress(said)) + b"\\n"
    assert len(line) <= 4096 and os.write(1, line) == len(line)
"""


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.fixture
def programs():
    """Makes the PATH of a job. Not below /tmp, where a platform's job finds a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="muster-test-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        yield lambda **texts: path_with(pathlib.Path(folder), **texts)


def path_with(folder, **texts):
    """A folder for PATH: `python`, which Debian has under another name only, and what else is named here."""
    write(folder / "python", f'#!/bin/sh\nexec {PYTHON} "$@"\n', 0o755)
    # Asks nobody: drops its own flags and goes on.
    write(folder / "sudo", '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n', 0o755)
    for name, text in texts.items():
        write(folder / name, text, 0o755)
    return f"{folder}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


# As the launcher of Paddle 1.8 reads its flags and starts its trainers; a package without paddle.fluid, as today's is.
PADDLE_LAUNCH = TELL + """
import argparse, subprocess
parser = argparse.ArgumentParser()
for name in ("cluster_node_ips", "node_ip", "selected_gpus", "log_dir"):
    parser.add_argument("--" + name)
parser.add_argument("--started_port", type=int)
parser.add_argument("script")
args = parser.parse_args()
nodes = [host.split(":")[0] for host in args.cluster_node_ips.split(",")]
assert args.node_ip in nodes, f"{args.node_ip} is none of {nodes}"
cards = args.selected_gpus.split(",")
ends = [f"{node}:{args.started_port + i}" for node in nodes for i in range(len(cards))]
tell(launcher=True, nodes=nodes)
started = []
for i, card in enumerate(cards):
    rank = nodes.index(args.node_ip) * len(cards) + i
    env = {**os.environ, "FLAGS_selected_gpus": card, "PADDLE_TRAINER_ID": str(rank), "PADDLE_TRAINERS_NUM": str(len(ends)),
           "PADDLE_CURRENT_ENDPOINT": ends[rank], "PADDLE_TRAINER_ENDPOINTS": ",".join(ends)}
    started.append(subprocess.Popen([sys.executable, args.script], env=env))
sys.exit(max(process.wait() for process in started))
"""


def add_paddle(code):
    for package in ("paddle", "paddle/distributed"):
        write(code / package / "__init__.py", "")
    write(code / "paddle/distributed/launch.py", PADDLE_LAUNCH)


# MindSpore as far as the documents' scripts call it. moxing is Muster's own.
def add_mindspore(code):
    write(code / "mindspore/__init__.py", "from mindspore import context\n")
    write(code / "mindspore/context.py", """
class ParallelMode:
    DATA_PARALLEL = "data_parallel"
def set_auto_parallel_context(**given):
    assert given["parallel_mode"] == ParallelMode.DATA_PARALLEL and given["gradients_mean"] is True, given
""")
    write(code / "mindspore/dataset.py", TELL + """
class Cifar10Dataset:
    def __init__(self, folder, **given):
        tell(folder=folder, files=sorted(os.listdir(folder)), given=given)
""")


def told(server, job, rank):
    """Everything that the programs of one rank told."""
    log = server.rank_log(job["id"], rank)
    return [json.loads(zlib.decompress(base64.b64decode(line))) for line in TOLD.findall(log)]
