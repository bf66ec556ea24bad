"""PaddlePaddle 1.8 with parameter servers on CPU: servers and trainers run the same script. For Python 3.6 to 3.8."""
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet

import fashion

args = fashion.flags()
fleet.init(PaddleCloudRoleMaker())
x = fluid.data("x", [None, fashion.PIXELS], "float32")
y = fluid.data("y", [None, 1], "int64")
first, second = [fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(w)) for w in fashion.first_weights()]
hidden = fluid.layers.fc(x, fashion.HIDDEN, param_attr=first, bias_attr=False, act="relu")
scores = fluid.layers.fc(hidden, fashion.CLASSES, param_attr=second, bias_attr=False)
loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(scores, y))
fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize(loss)

if fleet.is_server():
    fleet.init_server()
    fleet.run_server()  # ends for nobody
else:
    run = fashion.Run(args, fleet.worker_index(), fleet.worker_num())
    executor = fluid.Executor(fluid.CPUPlace())
    fleet.init_worker()
    executor.run(fleet.startup_program)
    for step, images, labels in run.batches():
        value, = executor.run(fleet.main_program, feed={"x": images, "y": labels.astype("int64")[:, None]}, fetch_list=[loss.name])
        run.say_step(step, value[0])
    fleet.stop_worker()
