"""train.py with data and results in buckets: each process brings the data to a folder of its own, the first one takes the model home.

All processes of a node ask for the same data; it is fetched once.
"""
import argparse
import os
import pathlib

import moxing as mox
import train


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data_url", required=True, help="folder in a bucket, with train/data_batch_*.bin")
    parser.add_argument("--train_url", required=True, help="folder in a bucket, where the model goes")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path("cache"), help="local folder")
    parser.add_argument("--epoch_size", type=int, default=90)
    parser.add_argument("--batch_size", type=int, default=8)
    args, _ = parser.parse_known_args()
    urls = args.data_url, args.train_url
    args.data_url = args.cache / "data" / os.environ.get("DEVICE_ID", "0")
    args.train_url = args.cache / "output"
    args.train_url.mkdir(parents=True, exist_ok=True)

    mox.file.copy_parallel(src_url=urls[0], dst_url=str(args.data_url))
    rank, world = int(os.environ.get("RANK_ID", "0")), int(os.environ.get("RANK_SIZE", "1"))
    train.run(args, rank, world)
    if rank == 0:
        for name in mox.file.list_directory(str(args.train_url)):
            if name.startswith("net."):
                mox.file.copy(str(args.train_url / name), urls[1].rstrip("/") + "/" + name)


if __name__ == "__main__":
    main()
