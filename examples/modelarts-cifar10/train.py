"""A boot file in the way of ModelArts: data from --data_url, results to --train_url, further parameters as flags.

One process a device. The shard is chosen by the rank over all servers, not by the device, so the same file is right on
two servers. With MindSpore it trains there; without it PyTorch does the same on the CPU.
"""
import argparse
import os
import pathlib

RECORD = 3073


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data_url", type=pathlib.Path, required=True, help="folder with train/data_batch_*.bin")
    parser.add_argument("--train_url", type=pathlib.Path, required=True, help="where the model goes")
    parser.add_argument("--epoch_size", type=int, default=90)
    parser.add_argument("--batch_size", type=int, default=8)
    return parser.parse_known_args()[0]


def shard(folder, rank, world):
    """Labels and pictures of this rank; every rank gets as many."""
    raw = b"".join(path.read_bytes() for path in sorted((folder / "train").glob("data_batch_*.bin")))
    if not raw or len(raw) % RECORD:
        raise SystemExit(f"{folder}/train has no whole records of {RECORD} bytes")
    records = [raw[i:i + RECORD] for i in range(0, len(raw), RECORD)]
    records = records[:len(records) // world * world][rank::world]
    return [r[0] for r in records], [r[1:] for r in records]


def batches(labels, pictures, size):
    for begin in range(0, len(labels) - size + 1, size):
        x = [[byte / 255 - 0.5 for byte in picture] for picture in pictures[begin:begin + size]]
        yield x, labels[begin:begin + size]


def train_mindspore(args, rank, world):
    import mindspore as ms
    import numpy as np
    from mindspore import nn, ops
    from mindspore.communication import init

    if world > 1 or "MS_ROLE" in os.environ:  # a scheduler has no rank, and stays inside init()
        init()
    total = ops.AllReduce(ops.ReduceOp.SUM) if world > 1 else None
    net = nn.SequentialCell(nn.Dense(3072, 64), nn.ReLU(), nn.Dense(64, 10))
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.05)
    step_of = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, optimizer.parameters)
    data = shard(args.data_url, rank, world)
    for epoch in range(1, args.epoch_size + 1):
        for step, (x, y) in enumerate(batches(*data, args.batch_size), 1):
            loss, gradients = step_of(ms.Tensor(np.array(x, np.float32)), ms.Tensor(np.array(y, np.int32)))
            optimizer(tuple(total(g) / world for g in gradients) if total else gradients)
            if rank == 0:
                print(f"epoch: {epoch} step: {step}, loss is {float(loss.asnumpy()):.4f}", flush=True)
    if rank == 0:
        ms.save_checkpoint(net, str(args.train_url / "net.ckpt"))


def train_pytorch(args, rank, world):
    import torch
    import torch.distributed as dist
    from torch import nn

    meeting = args.train_url.resolve() / f"meeting-{os.environ.get('MUSTER_ATTEMPT', '1')}"
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=world)
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(3072, 64), nn.ReLU(), nn.Linear(64, 10))
    model = nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.05)
    data = shard(args.data_url, rank, world)
    for epoch in range(1, args.epoch_size + 1):
        for step, (x, y) in enumerate(batches(*data, args.batch_size), 1):
            loss = nn.functional.cross_entropy(model(torch.tensor(x)), torch.tensor(y))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if rank == 0:
                print(f"epoch: {epoch} step: {step}, loss is {loss.item():.4f}", flush=True)
    if rank == 0:
        torch.save(net.state_dict(), args.train_url / "net.pt")
    dist.barrier()
    del model  # first: a model that outlives its group can wait for Gloo's thread forever
    dist.destroy_process_group()


def run(args, rank, world):
    try:
        import mindspore  # noqa: F401
    except ImportError:
        train_pytorch(args, rank, world)
    else:
        train_mindspore(args, rank, world)


if __name__ == "__main__":
    run(arguments(), int(os.environ.get("RANK_ID", "0")), int(os.environ.get("RANK_SIZE", "1")))
