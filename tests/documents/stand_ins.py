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


# The launcher of Paddle 1.8.5 as its source has it: its flags, its checks in their order, and the endpoints that it makes
# for all nodes from its own first port. The package has no paddle.fluid, as a current one.
PADDLE_LAUNCH = TELL + """
import argparse, subprocess
parser = argparse.ArgumentParser()
parser.add_argument("--cluster_node_ips", default="127.0.0.1")
parser.add_argument("--node_ip", default="127.0.0.1")
parser.add_argument("--use_paddlecloud", action="store_true")
parser.add_argument("--started_port", type=int)
parser.add_argument("--print_config", type=bool, default=True)
parser.add_argument("--selected_gpus")
parser.add_argument("--log_level", type=int, default=20)
parser.add_argument("--log_dir")
parser.add_argument("training_script")
parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
args = parser.parse_args()
cards = [card.strip() for card in args.selected_gpus.split(",")]
visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
if visible:
    for card in args.selected_gpus.split(","):
        assert card in visible.split(","), f"Can't find your selected_gpus {card} in CUDA_VISIBLE_DEVICES[{visible}]."
    cards = [visible.split(",").index(card) for card in cards]
nodes = [host.strip() for host in args.cluster_node_ips.split(",")]
node = nodes.index(args.node_ip)
first = 6070 if args.started_port is None else args.started_port
ends = [f"{host}:{first + i}" for host in nodes for i in range(len(cards))]
tell(launcher=True, nodes=nodes)
started = []
for i, card in enumerate(cards):
    rank = node * len(cards) + i
    env = {**os.environ, "FLAGS_selected_gpus": str(card), "PADDLE_TRAINER_ID": str(rank), "PADDLE_CURRENT_ENDPOINT": ends[rank],
           "PADDLE_TRAINERS_NUM": str(len(ends)), "PADDLE_TRAINER_ENDPOINTS": ",".join(ends)}
    env.pop("http_proxy", None), env.pop("https_proxy", None)
    log = None
    if args.log_dir is not None:
        os.makedirs(args.log_dir, exist_ok=True)
        log = open(f"{args.log_dir}/workerlog.{i}", "a")
    started.append(subprocess.Popen([sys.executable, "-u", args.training_script] + args.training_script_args, env=env, stdout=log, stderr=log))
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
