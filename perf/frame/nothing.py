"""A store that does nothing, started: what a client takes by itself."""
import contextlib
import pathlib
import subprocess

from frame.object_race import embedded
from frame.object_servers import Store, running
from frame.ports import free_port
from frame.server import started

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "nothing.cc"


@contextlib.contextmanager
def nothing(lab, size, swallow):
    """Objects of `size` bytes. It compiles itself; a scratch store of ours answers what is no object."""
    program = lab.path("nothing")
    subprocess.run(["clang++-19", "-std=c++23", "-stdlib=libstdc++", "-O2", "-o", str(program), str(SOURCE)], check=True)
    with started(lab.muster, lab.path("data"), "--store-sync", "none") as server:
        real, port = embedded(server), free_port()
        words = [str(program), str(port), real.endpoint.rpartition(":")[2], str(size), *(["swallow"] if swallow else [])]
        endpoint = f"http://127.0.0.1:{port}"
        with running(words, endpoint, lab.path("nothing.log")) as process:
            yield Store("nothing", endpoint, real.access_key, real.secret_key, process.pid, real.region)
