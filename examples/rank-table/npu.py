"""One rank of a training on NPUs that meet by a rank table.

Shows what a rank can rely on: its number is RANK_ID of RANK_SIZE over all servers, its device is
DEVICE_ID of its own server, and the table says the same. With MindSpore it trains there; without it
PyTorch does the same sums on the CPU, and the ranks meet by a file in --train_url.
"""
import argparse
import json
import os
import pathlib


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--train_url", type=pathlib.Path, required=True, help="one folder that all ranks see")
    return parser.parse_known_args()[0]


def find_myself():
    """Rank, number of ranks and device, after a look whether the table agrees."""
    rank, world, device = (int(os.environ[name]) for name in ("RANK_ID", "RANK_SIZE", "DEVICE_ID"))
    table = json.loads(pathlib.Path(os.environ["MINDSPORE_HCCL_CONFIG_PATH"]).read_text())
    (group,) = table["group_list"]
    places = {int(i["rank_id"]): i for i in group["instance_list"]}
    assert sorted(places) == list(range(world)), "the table must have every rank once"
    assert int(places[rank]["devices"][0]["device_id"]) == device
    print(f"rank {rank} of {world} is device {device} of {places[rank]['server_id']}", flush=True)
    return rank, world


def train_mindspore(args, rank, world):
    import mindspore as ms
    import numpy as np
    from mindspore import nn, ops
    from mindspore.communication import init

    init()
    total = ops.AllReduce(ops.ReduceOp.SUM)
    net = nn.Dense(8, 1)
    optimizer = nn.SGD(net.trainable_params(), learning_rate=0.1)
    step_of = ms.value_and_grad(lambda x, y: ops.mse_loss(net(x), y), None, optimizer.parameters)
    numbers = np.random.default_rng(rank)
    for step in range(1, args.steps + 1):
        x = numbers.standard_normal((64, 8)).astype(np.float32)
        loss, gradients = step_of(ms.Tensor(x), ms.Tensor(x.sum(1, keepdims=True)))
        optimizer(tuple(total(g) / world for g in gradients))
        if rank == 0:
            print(f"step {step} loss {float(loss.asnumpy()):.4f}", flush=True)
    if rank == 0:
        ms.save_checkpoint(net, str(args.train_url / "net.ckpt"))


def train_pytorch(args, rank, world):
    import torch
    import torch.distributed as dist

    meeting = args.train_url.resolve() / f"meeting-{os.environ.get('MUSTER_ATTEMPT', '1')}"
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=world)
    torch.manual_seed(1)
    net = torch.nn.Linear(8, 1)
    model = torch.nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    numbers = torch.Generator().manual_seed(rank)
    for step in range(1, args.steps + 1):
        x = torch.randn(64, 8, generator=numbers)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)
    if rank == 0:
        torch.save(net.state_dict(), args.train_url / "net.pt")
    dist.barrier()
    del model  # first: a model that outlives its group can wait for Gloo's thread forever
    dist.destroy_process_group()


if __name__ == "__main__":
    chosen = arguments()
    me = find_myself()
    try:
        import mindspore  # noqa: F401
    except ImportError:
        train_pytorch(chosen, *me)
    else:
        train_mindspore(chosen, *me)
