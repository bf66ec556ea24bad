"""Fashion-MNIST with Horovod: each rank takes its part of the pictures, and gradients are averaged.

Without Horovod, torch.distributed averages them; ranks then meet where Horovod's would.
"""
import argparse
import gzip
import os
import pathlib

import numpy as np
import torch
from torch import nn

try:
    import horovod.torch as hvd
except ImportError:
    hvd = None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data_url", type=pathlib.Path, required=True)
    parser.add_argument("--train_url", type=pathlib.Path, required=True)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=60000, help="pictures to train on")
    return parser.parse_known_args()[0]


def pictures(folder, limit):
    raw = gzip.decompress((folder / "train-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((folder / "train-labels-idx1-ubyte.gz").read_bytes())
    x = np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784)[:limit]
    y = np.frombuffer(labels, np.uint8, offset=8)[:limit]
    return torch.tensor(x, dtype=torch.float32) / 255, torch.tensor(y, dtype=torch.long)


class Peers:
    """What of Horovod is used here, by whichever library is there."""

    def __init__(self):
        self.rank, self.world = int(os.environ["HOROVOD_RANK"]), int(os.environ["HOROVOD_SIZE"])
        if hvd:
            hvd.init()
            assert (hvd.rank(), hvd.size()) == (self.rank, self.world)
            return
        # Horovod's own meeting point is a server that speaks to Horovod alone, so take a file instead.
        meeting = pathlib.Path(os.environ["MUSTER_JOB_DIR"]) / f"meeting-{os.environ['MUSTER_ATTEMPT']}"
        torch.distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=self.rank, world_size=self.world)

    def average(self, net):
        for p in net.parameters():
            if hvd:
                p.grad = hvd.allreduce(p.grad)
            else:
                torch.distributed.all_reduce(p.grad)
                p.grad /= self.world

    def leave(self):
        """All together, before Python ends: a thread that still gives a gradient back would be ended with an abort."""
        if hvd:
            hvd.shutdown()
        else:
            torch.distributed.barrier()
            torch.distributed.destroy_process_group()


def main():
    args = arguments()
    peers = Peers()
    x, y = pictures(args.data_url, args.limit)
    x, y = x[peers.rank::peers.world], y[peers.rank::peers.world]
    count = len(range(0, args.limit // peers.world - 31, 32))  # every rank takes as many steps
    torch.manual_seed(1)  # the same first weights on every rank
    net = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for epoch in range(1, args.epochs + 1):
        for step in range(count):
            part = slice(32 * step, 32 * step + 32)
            loss = nn.functional.cross_entropy(net(x[part]), y[part])
            optimizer.zero_grad()
            loss.backward()
            peers.average(net)
            optimizer.step()
            if peers.rank == 0 and step % 10 == 0:
                print(f"epoch {epoch}/{args.epochs} step {step} loss {loss.item():.4f}", flush=True)
    if peers.rank == 0:
        torch.save(net.state_dict(), args.train_url / "model.pt")
    peers.leave()


if __name__ == "__main__":
    main()
