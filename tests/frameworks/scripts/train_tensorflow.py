"""TensorFlow on CPU: a collective, then training under MultiWorkerMirroredStrategy."""
import tensorflow as tf

import fashion

args = fashion.flags()
strategy = tf.distribute.MultiWorkerMirroredStrategy()  # reads TF_CONFIG and waits for all workers
run = fashion.Run(args, strategy.cluster_resolver.task_id, strategy.num_replicas_in_sync)


def everywhere(each, *values):
    return strategy.experimental_local_results(strategy.run(each, values))


def all_reduce(value):
    return tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, value)


@tf.function
def total():
    return everywhere(lambda: all_reduce(tf.constant(run.rank + 1.0)))[0]


with strategy.scope():
    weights = [tf.Variable(w) for w in fashion.first_weights()]


@tf.function
def train(x, y):
    def each(x, y):
        with tf.GradientTape() as tape:
            scores = tf.nn.relu(x @ weights[0]) @ weights[1]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, scores))
        for weight, gradient in zip(weights, all_reduce(tape.gradient(loss, weights))):
            weight.assign_sub(0.3 / run.world * gradient)
        return loss
    return everywhere(each, x, y)[0]


run.say_sum(total())
for step, x, y in run.batches():
    run.say_step(step, train(tf.constant(x), tf.constant(y)))

run.say_weights([w.numpy() for w in weights])
if run.rank == 0:
    path = str(args.train_url / "weights")
    tf.train.Checkpoint(first=weights[0], second=weights[1]).write(path)
    saved = tf.train.load_checkpoint(path)
    run.say_checkpoint(*(saved.get_tensor(f"{name}/.ATTRIBUTES/VARIABLE_VALUE") for name in ("first", "second")))
