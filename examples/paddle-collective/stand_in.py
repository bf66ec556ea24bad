"""The same training with PyTorch, on the variables that Paddle's ranks get."""
import os

import torch
import torch.distributed as dist
from torch import nn


def train(args, batches):
    env = os.environ
    rank, world = int(env["PADDLE_TRAINER_ID"]), int(env["PADDLE_TRAINERS_NUM"])
    endpoints = env["PADDLE_TRAINER_ENDPOINTS"].split(",")
    assert len(endpoints) == world and endpoints[rank] == env["PADDLE_CURRENT_ENDPOINT"]
    dist.init_process_group("gloo", init_method=f"tcp://{endpoints[0]}", rank=rank, world_size=world)
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 2))
    model = nn.parallel.DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.5)
    for step, (x, y) in enumerate(batches, 1):
        loss = nn.functional.cross_entropy(model(torch.tensor(x)), torch.tensor(y))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(f"step {step}/{args.steps} loss {loss.item():.4f}", flush=True)
    if rank == 0:
        torch.save(net.state_dict(), args.train_url / "model.pt")
    dist.barrier()
    del model  # first: a model that outlives its group can wait for Gloo's thread forever
    dist.destroy_process_group()
