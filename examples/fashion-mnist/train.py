#!/usr/bin/python3
"""Fashion-MNIST under DistributedDataParallel on CPU, from Debian packages alone.

    apt-get install python3-torch libopenblas0-pthread dataset-fashion-mnist

One process is one rank. Rank and rendezvous come from the environment that torchrun sets
(RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT) or, under mpirun, from OMPI_COMM_WORLD_*; with
neither it trains alone. Rank 0 prints how it goes, and leaves metrics.jsonl and checkpoint.pt in
--train_url; a run that finds a checkpoint there goes on from it.
"""
import argparse
import gzip
import json
import os
import pathlib
import time

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

MEAN, STD = 0.2860, 0.3530  # of the training pixels


def read_idx(path):
    """An IDX file: 00 00, 08 (unsigned bytes), number of dimensions, each as a big-endian int32, the bytes."""
    raw = gzip.decompress(path.read_bytes())
    if raw[:3] != b"\0\0\x08":
        raise ValueError(f"{path}: not an IDX file of unsigned bytes")
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(np.frombuffer(raw, ">i4", raw[3], 4))


def load(folder, part, limit):
    images, labels = (read_idx(folder / f"{part}-{kind}-ubyte.gz")[:limit] for kind in ("images-idx3", "labels-idx1"))
    x = (torch.from_numpy(images.astype(np.float32)) / 255 - MEAN) / STD
    return x.unsqueeze(1).to(memory_format=torch.channels_last), torch.from_numpy(labels.astype(np.int64))


def build(name):
    if name == "mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(),
                             nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    net = nn.Sequential(nn.Conv2d(1, 8, 5, padding=2), nn.MaxPool2d(2), nn.ReLU(),
                        nn.Conv2d(8, 16, 5), nn.MaxPool2d(2), nn.ReLU(),
                        nn.Flatten(), nn.Linear(400, 128), nn.ReLU(), nn.Linear(128, 10))
    return net.to(memory_format=torch.channels_last)  # twice as fast here as the default layout


def rendezvous():
    """Join the process group; the rank and the number of ranks."""
    env = os.environ
    env.setdefault("RANK", env.get("OMPI_COMM_WORLD_RANK", "0"))
    env.setdefault("WORLD_SIZE", env.get("OMPI_COMM_WORLD_SIZE", "1"))
    env.setdefault("MASTER_ADDR", "127.0.0.1")
    env.setdefault("MASTER_PORT", "29500")
    if env["WORLD_SIZE"] != "1":
        dist.init_process_group("gloo")
    return int(env["RANK"]), int(env["WORLD_SIZE"])


def total(value):
    """The sum of a number over all ranks."""
    t = torch.tensor(value, dtype=torch.float64)
    if dist.is_initialized():
        dist.all_reduce(t)
    return t.item()


@torch.no_grad()
def evaluate(net, x, y, rank, world):
    """The share of right answers; each rank looks at its part of the pictures."""
    net.eval()
    pairs = zip(x[rank::world].split(500), y[rank::world].split(500))
    return total(sum((net(a).argmax(1) == b).sum().item() for a, b in pairs)) / len(y)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--data_url", type=pathlib.Path, default="/usr/share/datasets/fashion-mnist", help="folder of IDX files")
    p.add_argument("--train_url", type=pathlib.Path, help="folder for metrics.jsonl and checkpoint.pt, one for all ranks")
    p.add_argument("--model", choices=["lenet", "mlp"], default="lenet")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch_size", type=int, default=128, help="over all ranks together")
    p.add_argument("--lr", type=float, default=0.004, help="peak of the one-cycle schedule (Adam)")
    p.add_argument("--limit", type=int, help="use only the first so many pictures of each part")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--target", type=float, default=0.0, help="exit status 3 when the last accuracy is below this")
    args = p.parse_args()

    start = time.time()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 1)))
    torch.manual_seed(args.seed)
    rank, world = rendezvous()
    train_x, train_y = load(args.data_url, "train", args.limit)
    test_x, test_y = load(args.data_url, "t10k", args.limit)
    net = build(args.model)
    model = DistributedDataParallel(net) if world > 1 else net
    share = max(1, args.batch_size // world)         # pictures per rank and step
    steps = max(1, len(train_y) // (share * world))  # every rank must take the same number of steps
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=steps * args.epochs)

    state = {"net": net, "optimizer": optimizer, "schedule": schedule}
    done, accuracy, checkpoint = 0, 0.0, args.train_url and args.train_url / "checkpoint.pt"
    if checkpoint and checkpoint.exists():
        saved = torch.load(checkpoint)
        for name, part in state.items():
            part.load_state_dict(saved[name])
        done, accuracy = saved["epoch"], saved["accuracy"]

    def report(text, **fields):
        if rank == 0:
            print(text, flush=True)
            if args.train_url:
                args.train_url.mkdir(parents=True, exist_ok=True)
                with open(args.train_url / "metrics.jsonl", "a") as f:
                    f.write(json.dumps({"t": round(time.time() - start, 2), **fields}) + "\n")

    parameters = sum(q.numel() for q in net.parameters())
    report(f"{args.model} with {parameters} parameters, {world} ranks of {torch.get_num_threads()} thread(s), "
           f"{len(train_y)} pictures to train on, {len(test_y)} to test" + (f", going on after epoch {done}" if done else ""),
           event="start", world=world, resumed_at=done, parameters=parameters, train=len(train_y), test=len(test_y))
    for epoch in range(done + 1, args.epochs + 1):
        began, loss_sum = time.time(), 0.0
        mine = torch.randperm(len(train_y), generator=torch.Generator().manual_seed(args.seed * 1000 + epoch))[rank::world]
        model.train()
        for step, pick in enumerate(mine[:steps * share].split(share), 1):
            loss = cross_entropy(model(train_x[pick]), train_y[pick])
            optimizer.zero_grad()
            loss.backward()                          # the ranks average their gradients here
            optimizer.step()
            schedule.step()
            loss_sum += loss.item()
            if step % 50 == 0:
                speed = round(step * share * world / (time.time() - began))
                report(f"epoch {epoch}/{args.epochs}  step {step}/{steps}  loss: {loss_sum / step:.4f}  {speed} images/s",
                       event="step", epoch=epoch, step=step, loss=round(loss_sum / step, 4), images_per_second=speed)
        seconds = time.time() - began
        mean_loss = total(loss_sum) / steps / world
        accuracy = evaluate(net, test_x, test_y, rank, world)
        speed = round(steps * share * world / seconds)
        report(f"epoch {epoch}/{args.epochs}  loss: {mean_loss:.4f}  accuracy: {accuracy:.4f}  {speed} images/s", event="epoch",
               epoch=epoch, loss=round(mean_loss, 4), accuracy=round(accuracy, 4), seconds=round(seconds, 2), images_per_second=speed)
        if checkpoint and rank == 0:
            torch.save({"epoch": epoch, "accuracy": accuracy, **{name: part.state_dict() for name, part in state.items()}},
                       checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").replace(checkpoint)  # whole, or the one before
    report(f"done: accuracy: {accuracy:.4f}", event="end", accuracy=round(accuracy, 4), epochs=args.epochs)
    if dist.is_initialized():
        dist.barrier()
        del model  # first: a model that outlives its group can wait for Gloo's thread forever
        dist.destroy_process_group()
    return 3 if accuracy < args.target else 0


if __name__ == "__main__":
    raise SystemExit(main())
