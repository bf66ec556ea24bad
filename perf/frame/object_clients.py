"""Programs that copy trees to and from buckets, told alike."""
import dataclasses
import os
import pathlib
import subprocess
import threading
import time
import typing

from frame import at_rest, free_memory
from frame.object_servers import program


@dataclasses.dataclass(frozen=True)
class Client:
    """`up(store, files, place)` and `down(store, place, files)` are commands; a place is "bucket/prefix"."""
    name: str
    up: typing.Callable
    down: typing.Callable


def muster(executable):
    words = [executable, "cp", "-q", "-r"]
    return Client("muster cp", lambda store, files, place: [*words, f"{files}/", f"s3://{place}/"],
                  lambda store, place, files: [*words, f"s3://{place}/", f"{files}/"])


def s5cmd():
    words = [program("s5cmd"), "cp"]
    return Client("s5cmd", lambda store, files, place: [*words, f"{files}/", f"s3://{place}/"],
                  lambda store, place, files: [*words, f"s3://{place}/*", f"{files}/"])


def mc():
    words = [program("mc"), "--quiet", "cp", "-r"]
    return Client("mc", lambda store, files, place: [*words, f"{files}/", f"m/{place}/"],
                  lambda store, place, files: [*words, f"m/{place}/", f"{files}/"])


def rclone():
    words = ["/usr/bin/rclone", "copy", "--transfers", "16", "--retries", "1"]
    return Client("rclone", lambda store, files, place: [*words, str(files), f":s3:{place}"],
                  lambda store, place, files: [*words, f":s3:{place}", str(files)])


def aws():
    def words(store):
        return ["/usr/bin/aws", "s3", "cp", "--recursive", "--only-show-errors", "--endpoint-url", store.endpoint]

    return Client("aws", lambda store, files, place: [*words(store), str(files), f"s3://{place}/"],
                  lambda store, place, files: [*words(store), f"s3://{place}/", str(files)])


class Memory(threading.Thread):
    """The most memory that a process has had, in MB. What wait4() tells counts also what forked it."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.most, self.ended = pid, 0.0, threading.Event()

    def run(self):
        while True:
            self.most = max(self.most, high_water(self.pid))
            if self.ended.wait(0.01):
                return


def high_water(pid):
    """Of a process that is there; 0 of one that is not any more."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)


class Ran(typing.NamedTuple):
    ms: float
    memory: float     # the most it had, MB
    processor: float  # seconds, all threads together


def run(command, env, copied):
    """Runs a command that must succeed, and that copies so many bytes."""
    at_rest.wait()
    free_memory.touch(copied)
    began = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    memory = Memory(child.pid)
    memory.start()
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    took = (time.perf_counter() - began) * 1e3
    memory.ended.set()
    memory.join()
    child.stderr.close()
    if child.returncode != 0:
        raise RuntimeError(f"{command}: exit code {child.returncode}: {said[-500:].decode(errors='replace')}")
    return Ran(took, memory.most, usage.ru_utime + usage.ru_stime)
