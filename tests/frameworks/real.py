"""What the tests of real frameworks share: which frameworks are there, how a job of theirs is written, and how it is read."""
import json
import os
import pathlib
import re
import time

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parent / "scripts"
DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")  # Debian's dataset-fashion-mnist
PATIENCE = 240  # seconds until a job must have come somewhere, on a machine that has much else to do
FOUND = json.loads(pathlib.Path(os.environ["MUSTER_FRAMEWORKS"]).read_text()) if "MUSTER_FRAMEWORKS" in os.environ else {}


# Environments of tools/frameworks.py that have the framework of another name.
FRAMEWORK_OF = {"pytorch2": "pytorch", "paddle18": "paddle"}


def python_of(environment):
    """The interpreter that has it; the test is not run where there is none, and says so by name."""
    found = FOUND.get(environment, {"missing": "it was not asked for; `make test-frameworks` installs all"})
    if "missing" in found:
        pytest.skip(f"{environment}: {found['missing']}")
    return found["python"]


def submit(server, environment, run, **more):
    """A job over two nodes of two ranks each, whose programs are those of the environment."""
    python = python_of(environment)
    framework = FRAMEWORK_OF.get(environment, environment)
    env = {"PATH": f"{pathlib.Path(python).parent}:{os.environ['PATH']}", **more.pop("env", {})}
    job = {"name": environment, "framework": framework, "python": python, "code": str(SCRIPTS), "run": run, "env": env,
           "resources": {"nodes": 2, "devices": "cpu:2"}, **more}
    path = server.data.parent / "job.yaml"
    path.write_text(json.dumps(job))  # every JSON text is YAML too
    return server.submit(path)


def submit_training(server, environment, run=None, launch=None, nodes=2, each=2, **parameters):
    """The training script of the environment, or another command, with `each` ranks on each node."""
    run = run or f"train_{FRAMEWORK_OF.get(environment, environment)}.py"
    return submit(server, environment, run, launch=launch or {}, parameters=parameters, inputs={"data_url": str(DATA)},
                  outputs={"train_url": None}, resources={"nodes": nodes, "devices": f"cpu:{each}"})


def log_of(server, job, rank):
    return server.rank_log(job["id"], rank).decode(errors="replace")


def output(server, job):
    """What all ranks of a job said. It has succeeded, or the test has not."""
    logs = {r["rank"]: log_of(server, job, r["rank"]) for r in job["ranks"]}
    assert job["state"] == "succeeded", (job["verdict"], {rank: log[-3000:] for rank, log in logs.items()})
    return "\n".join(logs.values())


def wait_for_step(server, job_id, step, ranks):
    """Until all of `ranks` have trained that far; the job as it is then."""
    deadline = time.monotonic() + PATIENCE
    while True:
        job = server.job(job_id)
        assert job["state"] in ("queued", "starting", "running"), (job["verdict"], [log_of(server, job, r)[-3000:] for r in ranks])
        if job["state"] == "running" and all(re.search(rf"rank \d+ step {step}/", log_of(server, job, r)) for r in ranks):
            return job
        assert time.monotonic() < deadline, [log_of(server, job, r)[-3000:] for r in ranks]
        time.sleep(0.1)


def notes_of(job):
    return [note for node in job["attempts"][-1]["nodes"] for note in node["notes"]]
