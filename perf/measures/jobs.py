"""Short jobs through their whole life: submitted durably, placed, run, ended, recorded."""
import concurrent.futures
import subprocess
import time

from frame.reference import JOBS_A_SECOND, TASKS_A_SECOND
from frame.samples import more, reference
from frame.timing import turns

NAME = "jobs"
TITLE = "short jobs through their whole life a second"
ROUNDS = 3
SWEEP_ROUNDS = 3  # thousands of job folders, which must be removed again
ONE, EIGHT, SWEEP = 80, 160, 2000
BATCH_SWEEP = 200  # Slurm's rate is steady long before; 2,000 would take a minute a round
SPEC = {"run": ["true"]}


def rate(count, submit, wait):
    began = time.perf_counter()
    submit()
    wait()
    return count / (time.perf_counter() - began)


LOOP = 'n=$1; shift; while [ $n -gt 0 ]; do "$@" > /dev/null || exit 1; n=$((n - 1)); done'


def typed(count, clients, command, **more_):
    """Runs a command so many times, from so many shells at once: each is a client that submits one job after the other."""
    shells = [subprocess.Popen(["sh", "-c", LOOP, "sh", str(count // clients), *command], stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, **more_) for _ in range(clients)]
    if any([shell.wait() for shell in shells]):
        raise RuntimeError(f"{command}: a submit failed")


def by_http(server, count, clients):
    """`count` jobs over the API, each client on one connection of its own."""
    def client():
        connection = server.connect()
        for _ in range(count // clients):
            connection.submit(SPEC)
        connection.close()

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(client) for _ in range(clients)]:
            done.result()


def rates(lab):
    """Jobs a second of each way to submit, a series each."""
    slurm, hq = lab.slurm, lab.hyperqueue
    with lab.server() as server:
        asking = server.connect()

        def ended():
            server.wait_all_ended(asking)

        def mine(count, clients):
            command = server.verb("run", "-d", "--", "true")
            return rate(count, lambda: typed(count, clients, command, env=server.env, cwd=lab.folder), ended)

        def theirs(count, clients):
            command = ["sbatch", "-o", "/dev/null", "--wrap", "true"]
            return rate(count, lambda: typed(count, clients, command, env=slurm.env, cwd=lab.folder), slurm.wait_all_ended)

        def api(count, clients):
            return rate(count, lambda: by_http(server, count, clients), ended)

        def sweep():
            spec = {"run": ["true"], "sweep": {"i": list(range(SWEEP))}, "env": {"I": "${i}"}}
            return rate(SWEEP, lambda: asking.submit(spec), ended)

        def array():
            words = "-o", "/dev/null", f"--array=1-{BATCH_SWEEP}", "--wrap", "true"
            return rate(BATCH_SWEEP, lambda: slurm.submit(*words, cwd=lab.folder), slurm.wait_all_ended)

        def hq_each(count, clients):
            command = hq.command("submit", "--", "true")
            return rate(count, lambda: typed(count, clients, command, env=hq.env, cwd=hq.folder), hq.wait_all_ended)

        def hq_array():
            return rate(SWEEP, lambda: hq.submit("--array", f"1-{SWEEP}", "--wait", "--", "true"), lambda: None)

        each = mine, theirs, api, *([hq_each] if hq else [])
        ones = turns(ROUNDS, *(lambda side=side: side(ONE, 1) for side in each))
        eights = turns(ROUNDS, *(lambda side=side: side(EIGHT, 8) for side in each))
        sweeps = turns(SWEEP_ROUNDS, sweep, array, *([hq_array] if hq else []), warm=False)
        server.check_all_succeeded(asking)
    return ones, eights, sweeps


def measure(lab):
    (one, batch_one, http_one, *hq_one), (eight, batch_eight, http_eight, *hq_eight), (swept, batch_array, *hq_array) = rates(lab)
    return [
        more(NAME, "muster run -d, one by one", one, "sbatch, one by one", batch_one, 5),
        more(NAME, "muster run -d, 8 clients", eight, "sbatch, 8 clients", batch_eight, 5),
        more(NAME, f"one sweep of {SWEEP}", swept, "sbatch --array", batch_array, 5),
        more(NAME, "HTTP API, one client", http_one, "sbatch, one by one", batch_one),
        more(NAME, "HTTP API, 8 clients", http_eight, "sbatch, 8 clients", batch_eight),
        reference(NAME, "muster run -d, one by one", one, JOBS_A_SECOND, "/s", False, *hq_one),
        reference(NAME, "HTTP API, one client", http_one, JOBS_A_SECOND, "/s", False, *hq_one),
        reference(NAME, "muster run -d, 8 clients", eight, JOBS_A_SECOND, "/s", False, *hq_eight),
        reference(NAME, "HTTP API, 8 clients", http_eight, JOBS_A_SECOND, "/s", False, *hq_eight),
        reference(NAME, f"one sweep of {SWEEP}", swept, TASKS_A_SECOND, "/s", False, *hq_array),
    ]
