"""Where the measures run: a scratch folder, servers, and the peers, all gone at the end."""
import concurrent.futures
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from frame import page_cache
from frame.hyperqueue import HyperQueue
from frame.server import BUILT, started
from frame.slurm import Slurm

# Two virtual nodes with room for every rank and job of the load; Slurm gets the same.
NODES, CPUS = 2, 64
NODE_FLAGS = "--nodes", f"{NODES}x{CPUS}cpu"
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]


def take_fresh_ground(folder):
    """Lets ext4 put every folder below into a block group of its own, as it does with homes. In a group where many files
    were removed in the last minutes, as by the run before, making a file takes fifty times as long: ext4 steps over
    every inode that was freed lately. Other file systems do not know the flag, and need none."""
    subprocess.run(["chattr", "+T", folder], stderr=subprocess.DEVNULL, check=False)


def remove(folder):
    """Removes the scratch folder. A file system may take half a millisecond a file: jobs go sixteen at a time."""
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda path: shutil.rmtree(path, ignore_errors=True), folder.glob("*/jobs/*")))
    shutil.rmtree(folder, ignore_errors=True)


class Lab:
    """Use it as a context: what was started in it is stopped when it is left."""

    def __init__(self):
        self._open = contextlib.ExitStack()
        self._slurm = None
        self._hyperqueue = None
        self._count = 0
        self.folder = None
        self.muster = None

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-perf-", dir=os.environ.get("PERF_SCRATCH")))
        self._open.callback(remove, self.folder)
        take_fresh_ground(self.folder)
        page_cache.forget_removed()
        # A copy: one run measures one executable, even when somebody builds meanwhile.
        self.muster = shutil.copy2(BUILT, self.folder / "muster")
        return self

    def __exit__(self, *error):
        return self._open.__exit__(*error)

    def path(self, name):
        """A path in the scratch folder that was not given before."""
        self._count += 1
        return self.folder / f"{self._count}-{name}"

    def server(self, data=None):
        """A context: a server on this data folder (else on an empty one), with two virtual nodes."""
        return started(self.muster, data or self.path("data"), *NODE_FLAGS)

    @property
    def slurm(self):
        """The one Slurm of this run, started when first needed."""
        if self._slurm is None:
            self._slurm = self._open.enter_context(Slurm(self.folder / "slurm", NODES, CPUS))
        return self._slurm

    @property
    def hyperqueue(self):
        """The one HyperQueue of this run, started when first needed; None where HQ does not name its executable."""
        if self._hyperqueue is None and os.environ.get("HQ"):
            self._hyperqueue = self._open.enter_context(HyperQueue(os.environ["HQ"], self.folder / "hyperqueue"))
        return self._hyperqueue


def describe_machine():
    """What the numbers were taken on, for the page that shows them."""
    def shell(text):
        return subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=False).stdout.strip()

    return {
        "processor": shell("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1"),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9),
        "system": shell(". /etc/os-release && echo $PRETTY_NAME"),
        "kernel": os.uname().release,
        "file_system": shell(f"df --output=fstype {os.environ.get('PERF_SCRATCH', tempfile.gettempdir())} | tail -n 1"),
        "load_before": os.getloadavg()[0],
        "slurm": shell("dpkg-query -W -f '${Version}' slurmctld"),
        "mpirun": shell("dpkg-query -W -f '${Version}' openmpi-bin"),
        "hyperqueue": shell('"$HQ" --version') if os.environ.get("HQ") else "",
        "muster": shell(f"{BUILT} --version"),
    }


def in_words(machine):
    """One line for the picture."""
    return (f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}, "
            f"{machine['file_system']}; Slurm {machine['slurm']}, Open MPI {machine['mpirun']}"
            + (f", {machine['hyperqueue']}" if machine.get("hyperqueue") else ""))
