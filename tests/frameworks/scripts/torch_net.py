"""The net of the scripts that train with PyTorch, plain and under Horovod."""
import torch

import fashion


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = (torch.nn.Parameter(torch.from_numpy(w)) for w in fashion.first_weights())

    def forward(self, x):
        return torch.relu(x @ self.first) @ self.second


def train(run, model, optimizer):
    for step, x, y in run.batches():
        loss = torch.nn.functional.cross_entropy(model(torch.from_numpy(x)), torch.from_numpy(y).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        run.say_step(step, loss.item())


def finish(run, net):
    run.say_weights([p.detach().numpy() for p in net.parameters()])
    if run.rank == 0:
        path = run.args.train_url / "net.pt"
        torch.save(net.state_dict(), path)
        saved = torch.load(path)
        run.say_checkpoint(saved["first"].numpy(), saved["second"].numpy())
