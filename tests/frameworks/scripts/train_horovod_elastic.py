"""Horovod's elastic way: the same training, in a state that outlives a change of hosts."""
import horovod.torch as hvd
import torch

import fashion
import torch_net

args = fashion.flags()
hvd.init()
net = torch_net.Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=net.named_parameters())


@hvd.elastic.run
def train(state):
    run = fashion.Run(args, hvd.rank(), hvd.size())
    run.say_sum(hvd.allreduce(torch.tensor([run.rank + 1.0]), op=hvd.Sum).item())
    torch_net.train(run, net, optimizer)
    state.commit()
    torch_net.finish(run, net)


train(hvd.elastic.TorchState(model=net, optimizer=optimizer))
