"""Free memory that is really there.

A hypervisor may take back what a machine has free, and the first touch of a page that it took costs five times what it costs to
fill it: where that happens a copy of 1 GiB takes up to 3 s longer, by what ran before it and by how much memory it needs new.
So as much as a copy may need is touched before it. Both sides of a race get it alike.
"""
import mmap

PROGRAMS = 256 << 20


def available():
    with open("/proc/meminfo", encoding="ascii") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))


def touch(copied):
    """`copied`: the bytes of one copy, which are twice in memory: a file, and the page cache of the store."""
    size = min(2 * copied + PROGRAMS, available() // 4)
    mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE).close()
