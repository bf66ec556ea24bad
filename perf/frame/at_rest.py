"""A machine at rest before what is timed.

What a copy left is removed outside the time, but not all at once: a store may throw things away in the background, and the file
system gives the space back to the disk when its journal is next written. Whoever is next in turn must not pay for it: everything
is written out, and disks and processors are waited for.
"""
import os
import time

STEP = 0.1
MOST = 20.0       # seconds; a machine that is never at rest is measured as it is
MOST_BUSY = 0.15  # of all processors, in one step


def disks():
    """What all disks have done: it changes as long as one of them works."""
    with open("/proc/diskstats", encoding="ascii") as lines:
        return [line.split()[3:] for line in lines]


def processors():
    """Ticks of all processors: those that did something, and all of them."""
    with open("/proc/stat", encoding="ascii") as lines:
        ticks = [int(word) for word in lines.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def wait():
    """Until a step has passed in which no disk worked and the processors had next to nothing to do."""
    until = time.monotonic() + MOST
    while time.monotonic() < until:
        os.sync()
        before, (busy, all_) = disks(), processors()
        time.sleep(STEP)
        now_busy, now_all = processors()
        if disks() == before and now_busy - busy <= MOST_BUSY * (now_all - all_):
            return
