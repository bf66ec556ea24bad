"""MindSpore on CPU: a collective, then data-parallel training. The scheduler runs this too, and stays inside init()."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init

import fashion

args = fashion.flags()
ms.set_device("CPU")
init()


class Sum(nn.Cell):
    def __init__(self):
        super().__init__()
        self.reduce = ops.AllReduce(ops.ReduceOp.SUM)

    def construct(self, x):
        return self.reduce(x)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        first, second = fashion.first_weights()
        self.first = ms.Parameter(ms.Tensor(first), name="first")
        self.second = ms.Parameter(ms.Tensor(second), name="second")

    def construct(self, x):
        return ops.matmul(ops.relu(ops.matmul(x, self.first)), self.second)


run = fashion.Run(args, get_rank(), get_group_size())
total, net = Sum(), Net()
run.say_sum(total(ms.Tensor(np.array([run.rank + 1.0], np.float32))).asnumpy()[0])

criterion = nn.CrossEntropyLoss()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.3)
step_of = ms.value_and_grad(lambda x, y: criterion(net(x), y), None, optimizer.parameters)
for step, x, y in run.batches():
    loss, gradients = step_of(ms.Tensor(x), ms.Tensor(y))
    optimizer(tuple(total(g) / run.world for g in gradients))
    run.say_step(step, loss.asnumpy())

run.say_weights([p.asnumpy() for p in net.trainable_params()])
if run.rank == 0:
    path = str(args.train_url / "net.ckpt")
    ms.save_checkpoint(net, path)
    saved = ms.load_checkpoint(path)
    run.say_checkpoint(saved["first"].asnumpy(), saved["second"].asnumpy())
