"""What the training scripts of all frameworks share: the pictures, the flags, and the lines that the tests read."""
import argparse
import gzip
import hashlib
import os
import pathlib

import numpy as np

HIDDEN, CLASSES, PIXELS = 64, 10, 784
SHARE = 32  # pictures a rank and step


def flags():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_url", type=pathlib.Path, required=True)
    parser.add_argument("--train_url", type=pathlib.Path, required=True)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--fail_rank", type=int, default=-1, help="the rank that raises an error of its own")
    parser.add_argument("--fail_step", type=int, default=-1)
    return parser.parse_args()


def read_idx(path):
    """An IDX file of bytes: 00 00 08, the number of dimensions, each as a big-endian int32, the bytes."""
    raw = gzip.decompress(path.read_bytes())
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(np.frombuffer(raw, ">i4", raw[3], 4))


def pictures(folder, part, count):
    images = read_idx(folder / f"{part}-images-idx3-ubyte.gz")[:count]
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte.gz")[:count]
    return images.reshape(count, PIXELS).astype(np.float32) / 255, labels.astype(np.int32)


def first_weights():
    """The same on every rank: what a framework broadcasts or does not is no matter here."""
    random = np.random.default_rng(1)
    def matrix(rows, columns):
        return (random.standard_normal((rows, columns)) / rows ** 0.5).astype(np.float32)
    return matrix(PIXELS, HIDDEN), matrix(HIDDEN, CLASSES)


def say(line):
    """In one piece: print() writes the end of a line on its own, and mpirun then puts another rank's line in between."""
    os.write(1, f"{line}\n".encode())


class Run:
    """One rank's training: which pictures are its own, and what it says."""

    def __init__(self, args, rank, world):
        self.args, self.rank, self.world = args, rank, world
        self.x, self.y = pictures(args.data_url, "train", 6000)

    def batches(self):
        order = np.random.default_rng(7)
        for step in range(1, self.args.steps + 1):
            if self.rank == self.args.fail_rank and step == self.args.fail_step:
                raise ValueError("the label of picture 17 is out of range")
            pick = order.integers(0, len(self.y), SHARE * self.world)[self.rank::self.world]
            yield step, self.x[pick], self.y[pick]

    def say_sum(self, value):
        say(f"rank {self.rank}/{self.world} sum {float(value):.1f} pid {os.getpid()}")

    def say_step(self, step, loss):
        say(f"rank {self.rank} step {step}/{self.args.steps} loss: {float(loss):.4f}")

    def say_weights(self, weights):
        digest = hashlib.sha256(b"".join(np.ascontiguousarray(w, np.float32).tobytes() for w in weights))
        say(f"rank {self.rank} weights {digest.hexdigest()[:16]}")

    def say_checkpoint(self, first, second):
        """How well the weights that were read back from a checkpoint know pictures that they have not seen."""
        x, y = pictures(self.args.data_url, "t10k", 1000)
        right = (np.maximum(x @ np.asarray(first), 0) @ np.asarray(second)).argmax(1) == y
        say(f"rank {self.rank} checkpoint accuracy: {right.mean():.3f}")
