"""Writes pictures in the form of CIFAR-10's binary version: a class, then 32 x 32 bytes of red, green and blue.

They are stripes with noise, another direction and colour for each class: enough to see a loss fall, nothing more.
"""
import pathlib
import random
import sys


def picture(label, noise):
    """One record of 3073 bytes."""
    record = bytearray([label])
    for colour in range(3):
        strength = 90 if (label + colour) % 3 else 20
        for row in range(32):
            for column in range(32):
                stripe = (row * (label % 5) + column * (label // 5 + 1)) % 8 < 4
                record.append(max(0, min(255, 128 + (strength if stripe else -strength) + noise.randrange(-20, 21))))
    return bytes(record)


def main(folder, files=2, count=64):
    noise = random.Random(3)
    train = pathlib.Path(folder) / "train"
    train.mkdir(parents=True, exist_ok=True)
    for number in range(1, files + 1):
        (train / f"data_batch_{number}.bin").write_bytes(b"".join(picture(i % 10, noise) for i in range(count)))


if __name__ == "__main__":
    main(sys.argv[1])
