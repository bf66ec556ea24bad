"""The peer HyperQueue, the other runner in one file. Debian does not have it: it is measured where HQ names its executable."""
import os
import pathlib
import subprocess
import time

from frame.timing import call

# Far more than the cores of a small machine: it is quickest so. Of 2, 8, 16 and 32 on two cores, 16 was the best.
SLOTS = 16


class HyperQueue:
    """Use it as a context: a server with its journal, which it does not sync, and one worker."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.env = {**os.environ, "HQ_SERVER_DIR": str(self.folder / "server")}
        self._started = []

    def __enter__(self):
        self.folder.mkdir()
        try:
            self._start("server", "start", "--journal", self.folder / "journal")
            self._wait_for("server", "info")
            self._start("worker", "start", "--cpus", SLOTS)
            self._wait_for("worker", "info", "1")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self._started):
            process.terminate()
            process.wait()

    def command(self, *words):
        return [self.program, *map(str, words)]

    def submit(self, *words):
        """Submits as a user does. What the tasks write goes into files here, a folder a job."""
        call(self.command("submit", *words), env=self.env, cwd=self.folder)

    def wait_all_ended(self):
        call(self.command("job", "wait", "all"), env=self.env)

    def _start(self, *words):
        with open(self.folder / f"{words[0]}.log", "wb") as log:
            self._started.append(subprocess.Popen(self.command(*words), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                  env=self.env, cwd=self.folder))

    def _wait_for(self, *words):
        deadline = time.monotonic() + 30
        while subprocess.run(self.command(*words), env=self.env, capture_output=True, check=False).returncode != 0:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.program} {' '.join(words)}: no answer in 30 s; see {self.folder}/*.log")
            time.sleep(0.05)
