"""The peer Slurm: a cluster of its own for one run of the measures (slurm_lab.sh)."""
import os
import pathlib
import subprocess
import time

from frame.timing import call

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "slurm_lab.sh"


class Slurm:
    def __init__(self, folder, nodes, cpus):
        self.folder, self.nodes, self.cpus = pathlib.Path(folder), nodes, cpus
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH", "SQUEUE"))}
        self.env = {**kept, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        subprocess.run([SCRIPT, "start", self.folder, str(self.nodes), str(self.cpus)], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run([SCRIPT, "stop", self.folder], check=True)

    def submit(self, *words, **more):
        """Submits as a user does; the id that sbatch prints."""
        return int(call(["sbatch", "--parsable", *map(str, words)], env=self.env, **more))

    def wait_all_ended(self, seconds=300):
        deadline = time.monotonic() + seconds
        while call(["squeue", "-h", "-o", "%A"], env=self.env).strip():
            if time.monotonic() > deadline:
                raise RuntimeError(f"Slurm's jobs still go after {seconds} s")
            time.sleep(0.02)
