"""A small classifier under data parallelism, with the interface that Paddle has today.

Rank, number of ranks and the meeting point come from the environment; nothing of the layout is
written here. Every rank makes its own part of the data: points in 32 dimensions, of the class that
a hidden plane puts them in. Where Paddle is not installed, stand_in.py does the same with PyTorch.
"""
import argparse
import os
import pathlib
import random


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--train_url", type=pathlib.Path, default=pathlib.Path("."), help="where the model goes")
    return parser.parse_known_args()[0]  # a platform may pass more than we know


def batches(rank, args, size=32):
    """Points and classes, the same plane for every rank and other points for each."""
    plane = random.Random(7)
    normal = [plane.gauss(0, 1) for _ in range(size)]
    points = random.Random(1000 + rank)
    for _ in range(args.steps):
        x = [[points.gauss(0, 1) for _ in range(size)] for _ in range(args.batch)]
        yield x, [int(sum(a * b for a, b in zip(row, normal)) > 0) for row in x]


def train(args):
    import paddle
    import paddle.distributed as dist

    dist.init_parallel_env()
    rank = dist.get_rank()
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(32, 64), paddle.nn.Tanh(), paddle.nn.Linear(64, 2))
    model = paddle.DataParallel(net)
    optimizer = paddle.optimizer.SGD(0.5, parameters=net.parameters())
    for step, (x, y) in enumerate(batches(rank, args), 1):
        loss = paddle.nn.functional.cross_entropy(model(paddle.to_tensor(x)), paddle.to_tensor(y))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if rank == 0:
            print(f"step {step}/{args.steps} loss {loss.item():.4f}", flush=True)
    if rank == 0:
        paddle.save(net.state_dict(), str(args.train_url / "model.pdparams"))


if __name__ == "__main__":
    chosen = arguments()
    try:
        import paddle  # noqa: F401
    except ImportError:
        import stand_in

        stand_in.train(chosen, batches(int(os.environ["PADDLE_TRAINER_ID"]), chosen))
    else:
        train(chosen)
