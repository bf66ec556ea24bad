"""Programs that copy trees to and from buckets, told alike."""
import dataclasses
import os
import subprocess
import time
import typing

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


def run(command, env=None):
    """Milliseconds that a command took which must succeed, and the most memory it had, in MB."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    said = child.stderr.read()
    child.stderr.close()
    _, status, usage = os.wait4(child.pid, 0)
    took = (time.perf_counter() - began) * 1e3
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{command}: exit code {child.returncode}: {said[-500:].decode(errors='replace')}")
    return took, usage.ru_maxrss / 1024
