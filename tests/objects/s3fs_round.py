"""What a script does with s3fs, in an interpreter of its own: s3fs_round.py BUCKET FOLDER, with the store in the AWS_ variables. FOLDER/up is
copied to BUCKET/in and from there to FOLDER/down; then single files are read, written, moved and removed."""
import os
import pathlib
import sys

import s3fs

bucket, folder = sys.argv[1], pathlib.Path(sys.argv[2])
fs = s3fs.S3FileSystem(key=os.environ["AWS_ACCESS_KEY_ID"], secret=os.environ["AWS_SECRET_ACCESS_KEY"],
                       client_kwargs={"endpoint_url": os.environ["AWS_ENDPOINT_URL"]}, use_listings_cache=False)
fs.put(str(folder / "up") + "/", f"{bucket}/in/", recursive=True)
fs.get(f"{bucket}/in/", str(folder / "down") + "/", recursive=True)
big = (folder / "up/big.bin").read_bytes()
with fs.open(f"{bucket}/in/big.bin", "rb") as file:
    file.seek(len(big) - 100)
    assert file.read() == big[-100:]
assert fs.cat_file(f"{bucket}/in/big.bin", start=5 << 20, end=(5 << 20) + 7) == big[5 << 20:(5 << 20) + 7]
with fs.open(f"{bucket}/text", "w") as file:
    file.write("line\n" * 3)
assert fs.cat(f"{bucket}/text") == b"line\n" * 3 and fs.exists(f"{bucket}/text") and not fs.exists(f"{bucket}/none")
assert sorted(fs.ls(bucket)) == [f"{bucket}/in", f"{bucket}/text"] and fs.isdir(f"{bucket}/in") and fs.isfile(f"{bucket}/text")
assert fs.info(f"{bucket}/in/big.bin")["size"] == len(big) and f"{bucket}/in/big.bin" in fs.find(bucket)
fs.mv(f"{bucket}/text", f"{bucket}/renamed")
assert fs.exists(f"{bucket}/renamed") and not fs.exists(f"{bucket}/text")
print(s3fs.__version__)
