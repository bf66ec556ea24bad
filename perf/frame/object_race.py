"""The sets of files that are copied, and one race of clients over them."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import typing

from frame import page_cache
from frame.object_clients import muster, run
from frame.object_servers import Store

MIB = 1 << 20
# name, objects, size of each
SETS = ("1 x 1 GiB", 1, 1024 * MIB), ("64 x 16 MiB", 64, 16 * MIB), ("10,000 x 10 KiB", 10_000, 10 << 10)
BUCKET = "race"
TICKS = os.sysconf("SC_CLK_TCK")


def make(folder, objects, size):
    """Bytes that no file system or link can make smaller, a hundred files a folder."""
    block = os.urandom(min(size, 16 * MIB))
    for number in range(objects):
        path = folder / f"d{number // 100:03}" / f"f{number:05}"
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as file:
            file.write(number.to_bytes(8, "big"))
            for at in range(8, size, len(block)):
                file.write(block[:min(len(block), size - at)])
    return folder


def sizes_of(folder):
    return [path.stat().st_size for path in folder.rglob("*") if path.is_file()]


def bytes_of(folder):
    return sum(sizes_of(folder))


def check(folder, objects, size):
    """That a copy is whole, by number and length; the clients prove the bytes, and the tests prove the clients."""
    sizes = sizes_of(folder)
    if sizes != [size] * objects:
        raise RuntimeError(f"{folder} has {len(sizes)} files, expected {objects} of {size} bytes")


@contextlib.contextmanager
def memory_folder():
    """A folder in memory: what goes up is read from there, so that no disk is read."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-perf-", dir="/dev/shm"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Leavings:
    """What copies left behind. Large files go at once, for their room. Of small ones all stay until none is copied any more:
    ext4 steps over inodes that were just freed, and who copies next would pay for every one of them."""
    MANY = 1000

    def __init__(self):
        self.kept = []

    def remove(self, objects, how):
        if objects < self.MANY:
            how()
        else:
            self.kept.append(how)

    def remove_kept(self):
        while self.kept:
            self.kept.pop()()
        page_cache.forget_removed()


def embedded(server):
    """The embedded store of a Muster server, as any client sees it."""
    s3 = server.endpoint()["s3"]
    return Store("muster", s3["endpoint"], s3["access_key"], s3["secret_key"], server.process.pid, s3["region"])


class Cost(typing.NamedTuple):
    """What one copy took."""
    ms: float
    client: float  # seconds of processor
    store: float


def processor_of(pid):
    """Seconds of processor that a process has had, all its threads, ended ones too."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Track:
    """One store with its bucket, and trees that are copied there and back, each time to a new place."""

    def __init__(self, store, executable, home):
        self.store, self.env = store, store.environment(home)
        self.executable = executable
        self.count = 0
        self.leavings = Leavings()
        self.memory = {}  # the most that each client had, MB
        self._muster("objects", "mb", f"s3://{BUCKET}")

    def _muster(self, *words):
        done = subprocess.run([self.executable, *words], env=self.env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{words}: {done.stderr}")

    def _timed(self, client, command, copied):
        before = processor_of(self.store.pid)
        ran = run(command, self.env, copied)
        self.memory[client.name] = max(ran.memory, self.memory.get(client.name, 0))
        return Cost(ran.ms, ran.processor, processor_of(self.store.pid) - before)

    def new_place(self):
        self.count += 1
        return f"{BUCKET}/p{self.count}"

    def fill(self, files):
        place = self.new_place()
        run(muster(self.executable).up(self.store, files, place), self.env, bytes_of(files))
        return place

    def clear(self, place):
        self._muster("objects", "rm", "-r", f"s3://{place}/")

    def up(self, client, files, objects, size):
        place = self.new_place()
        cost = self._timed(client, client.up(self.store, files, place), objects * size)
        self.leavings.remove(objects, lambda: self.clear(place))
        return cost

    def down(self, client, place, target, objects, size):
        """`target`: a folder that is not there yet."""
        target.mkdir()
        cost = self._timed(client, client.down(self.store, place, target), objects * size)
        check(target, objects, size)
        self.leavings.remove(objects, lambda: shutil.rmtree(target))
        return cost
