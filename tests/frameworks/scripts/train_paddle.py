"""PaddlePaddle on CPU over gloo: a collective, then DataParallel training."""
import paddle
import paddle.distributed as dist

import fashion

args = fashion.flags()
dist.init_parallel_env()
run = fashion.Run(args, dist.get_rank(), dist.get_world_size())
value = paddle.to_tensor([run.rank + 1.0])
dist.all_reduce(value)
run.say_sum(value.item())


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        weights = [paddle.nn.initializer.Assign(w) for w in fashion.first_weights()]
        self.first = self.create_parameter([fashion.PIXELS, fashion.HIDDEN], default_initializer=weights[0])
        self.second = self.create_parameter([fashion.HIDDEN, fashion.CLASSES], default_initializer=weights[1])

    def forward(self, x):
        return paddle.nn.functional.relu(x @ self.first) @ self.second


net = Net()
model = paddle.DataParallel(net)
optimizer = paddle.optimizer.SGD(0.3, parameters=net.parameters())
for step, x, y in run.batches():
    loss = paddle.nn.functional.cross_entropy(model(paddle.to_tensor(x)), paddle.to_tensor(y.astype("int64")))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    run.say_step(step, loss.item())

run.say_weights([p.numpy() for p in net.parameters()])
if run.rank == 0:
    path = str(args.train_url / "net.pdparams")
    paddle.save(net.state_dict(), path)
    saved = paddle.load(path)
    run.say_checkpoint(saved["first"].numpy(), saved["second"].numpy())
