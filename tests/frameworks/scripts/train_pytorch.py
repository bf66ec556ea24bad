"""PyTorch on CPU over gloo: a collective, then DistributedDataParallel training."""
import torch
import torch.distributed as dist

import fashion
import torch_net

args = fashion.flags()
dist.init_process_group("gloo")
run = fashion.Run(args, dist.get_rank(), dist.get_world_size())
value = torch.tensor([run.rank + 1.0])
dist.all_reduce(value)
run.say_sum(value.item())

net = torch_net.Net()
model = torch.nn.parallel.DistributedDataParallel(net)
torch_net.train(run, model, torch.optim.SGD(net.parameters(), lr=0.3))
torch_net.finish(run, net)
dist.barrier()
del model  # first: a model that outlives its group can wait for Gloo's thread forever
dist.destroy_process_group()
