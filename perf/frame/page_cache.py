"""What the kernel keeps of the disk in memory, thrown away."""
import os

DROP = "/proc/sys/vm/drop_caches"


def may_be_dropped():
    return os.access(DROP, os.W_OK)


def drop():
    """Everything is written first, so that all of it can go."""
    os.sync()
    with open(DROP, "w", encoding="ascii") as caches:
        caches.write("3")


def forget_removed():
    """ext4 steps over inodes that were freed in the last five minutes, as far as it has their blocks in memory; a copy behind the
    removal of thousands of files takes twice as long for it. Only root can have them forgotten."""
    if may_be_dropped():
        drop()
