"""The object store when the power goes: a file system of its own is stopped dead, with nothing of what it still had in memory
written, and comes back by its journal alone. What was acknowledged must be there, whole."""
import contextlib
import fcntl
import os
import shutil
import subprocess
import time

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from conftest import Muster
from s3 import bucket, client, keys
from test_objects_crash import Writer, check

GOING_DOWN, WITHOUT_ITS_LOG = 0x8004587D, (2).to_bytes(4, "little")  # an ioctl of ext4 and of XFS
ROUNDS, WRITERS, SECONDS = 4, 4, 0.7
FILE_SYSTEMS = {"ext4": ["mkfs.ext4", "-q", "-F"], "xfs": ["mkfs.xfs", "-q", "-f"]}


class Disk:
    """A file system in a file, that can lose its power."""

    def __init__(self, image, folder, make):
        self.image, self.folder = image, folder
        # XFS would not mount a copy of what it takes to be still there.
        self.options = "loop,nouuid" if make[0] == "mkfs.xfs" else "loop"
        with open(image, "wb") as file:
            file.truncate(400 << 20)
        folder.mkdir()
        subprocess.run([*make, str(image)], check=True, capture_output=True)

    def mount(self):
        return subprocess.run(["mount", "-o", self.options, str(self.image), str(self.folder)], capture_output=True).returncode == 0

    def cut(self):
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, GOING_DOWN, WITHOUT_ITS_LOG)
        finally:
            os.close(folder)

    def come_back(self):
        """As a copy: a process with mounts of its own may keep the one that was stopped, and would be given it again."""
        self.unmount()
        copy = self.image.with_name(self.image.name + "+")
        subprocess.run(["cp", "--sparse=always", str(self.image), str(copy)], check=True)
        self.image.unlink()
        self.image = copy
        assert self.mount()

    def unmount(self):
        subprocess.run(["umount", str(self.folder)], check=True, capture_output=True)


@contextlib.contextmanager
def disk(scratch, kind):
    if os.geteuid() != 0 or not shutil.which(FILE_SYSTEMS[kind][0]):
        pytest.skip("needs root and the tools of the file system")
    it = Disk(scratch / "image", scratch / "data", FILE_SYSTEMS[kind])
    if not it.mount():
        pytest.skip("mounting is not allowed here")
    try:
        yield it
    finally:
        subprocess.run(["umount", "-l", str(it.folder)], capture_output=True)


def write_until_the_cut(it, server, writers):
    for writer in writers:
        writer.start()
    time.sleep(SECONDS)
    for writer in writers:  # in the midst of a write; XFS that was stopped so says of folders that they are synced
        writer.stop.set()
    it.cut()
    for writer in writers:
        writer.join()
    server.kill()
    it.come_back()


@pytest.mark.parametrize("kind", FILE_SYSTEMS)
def test_acknowledged_writes_survive_a_power_cut(scratch, kind):
    with disk(scratch, kind) as it:
        server = Muster(it.folder).start()
        try:
            b = bucket(client(server))
            for round_ in range(ROUNDS):
                writers = [Writer(server, b, 10 * round_ + i) for i in range(WRITERS)]
                write_until_the_cut(it, server, writers)
                server.start()
                assert any(writer.done for writer in writers)
                check(client(server), b, writers)
        finally:
            server.stop()


def test_multipart_upload_survives_a_power_cut(scratch):
    with disk(scratch, "ext4") as it:
        server = Muster(it.folder).start()
        try:
            s3 = client(server)
            b = bucket(s3)
            first, last = os.urandom(5 << 20), os.urandom(1 << 20)
            upload = s3.create_multipart_upload(Bucket=b, Key="k")["UploadId"]
            etags = [s3.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=1, Body=first)["ETag"]]
            it.cut()
            with pytest.raises((ClientError, BotoCoreError)):
                s3.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=2, Body=last)
            server.kill()
            it.come_back()
            s3 = client(server.start())
            etags.append(s3.upload_part(Bucket=b, Key="k", UploadId=upload, PartNumber=2, Body=last)["ETag"])
            order = [{"PartNumber": number, "ETag": etag} for number, etag in enumerate(etags, 1)]
            s3.complete_multipart_upload(Bucket=b, Key="k", UploadId=upload, MultipartUpload={"Parts": order})
            it.cut()
            server.kill()
            it.come_back()
            assert client(server.start()).get_object(Bucket=b, Key="k")["Body"].read() == first + last
        finally:
            server.stop()


def test_unsynced_store_may_lose_data_in_a_power_cut(scratch):
    """--store-sync none promises nothing; that it loses something here is why the tests above mean something."""
    with disk(scratch, "ext4") as it:
        server = Muster(it.folder, "--store-sync", "none").start()
        try:
            b = bucket(client(server))
            subprocess.run(["sync", "-f", str(it.folder)], check=True)  # the bucket stays
            writers = [Writer(server, b, i) for i in range(WRITERS)]
            write_until_the_cut(it, server, writers)
            server.start()
            assert set(keys(client(server), b)) != {key for writer in writers for key in writer.done}
        finally:
            server.stop()
