"""Horovod with PyTorch on CPU over gloo: a collective, then training with its optimizer."""
import horovod.torch as hvd
import torch

import fashion
import torch_net

args = fashion.flags()
hvd.init()
run = fashion.Run(args, hvd.rank(), hvd.size())
run.say_sum(hvd.allreduce(torch.tensor([run.rank + 1.0]), op=hvd.Sum).item())

net = torch_net.Net()
hvd.broadcast_parameters(net.state_dict(), root_rank=0)
optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=net.named_parameters())
torch_net.train(run, net, optimizer)
torch_net.finish(run, net)
hvd.shutdown()
