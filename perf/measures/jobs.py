"""Short jobs through their whole life: submitted durably, placed, run, ended, recorded."""
import concurrent.futures
import time

from frame.reference import JOBS_A_SECOND, TASKS_A_SECOND
from frame.samples import more, reference
from frame.timing import call, turns

NAME = "jobs"
TITLE = "short jobs through their whole life a second"
ROUNDS = 3
SWEEP_ROUNDS = 2  # thousands of job folders, which must be removed again
ONE, EIGHT, SWEEP = 80, 160, 2000
BATCH_SWEEP = 200  # Slurm's rate is steady long before; 2,000 would take a minute a round
SPEC = {"run": ["true"]}


def rate(count, submit, wait):
    began = time.perf_counter()
    submit()
    wait()
    return count / (time.perf_counter() - began)


def shared_out(count, clients, one):
    """Calls `one` so many times, from so many clients at once."""
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(one) for _ in range(count)]:
            done.result()


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


def measure(lab):
    slurm = lab.slurm
    with lab.server() as server:
        asking = server.connect()

        def mine(count, submit):
            return rate(count, submit, lambda: server.wait_all_ended(asking))

        def theirs(count, submit):
            return rate(count, submit, slurm.wait_all_ended)

        def verb():
            call(server.verb("run", "-d", "--", "true"), env=server.env, cwd=lab.folder)

        def sbatch():
            slurm.submit("-o", "/dev/null", "--wrap", "true", cwd=lab.folder)

        def sweep():
            asking.submit({"run": ["true"], "sweep": {"i": list(range(SWEEP))}, "env": {"I": "${i}"}})

        def array():
            slurm.submit("-o", "/dev/null", f"--array=1-{BATCH_SWEEP}", "--wrap", "true", cwd=lab.folder)

        one, batch_one, http_one = turns(
            ROUNDS, lambda: mine(ONE, lambda: shared_out(ONE, 1, verb)), lambda: theirs(ONE, lambda: shared_out(ONE, 1, sbatch)),
            lambda: mine(ONE, lambda: by_http(server, ONE, 1)))
        eight, batch_eight, http_eight = turns(
            ROUNDS, lambda: mine(EIGHT, lambda: shared_out(EIGHT, 8, verb)),
            lambda: theirs(EIGHT, lambda: shared_out(EIGHT, 8, sbatch)), lambda: mine(EIGHT, lambda: by_http(server, EIGHT, 8)))
        swept, batch_array = turns(SWEEP_ROUNDS, lambda: mine(SWEEP, sweep), lambda: theirs(BATCH_SWEEP, array), warm=False)
        server.check_all_succeeded(asking)
    return [
        more(NAME, "muster run -d, one by one", one, "sbatch, one by one", batch_one, 5),
        more(NAME, "muster run -d, 8 clients", eight, "sbatch, 8 clients", batch_eight, 5),
        more(NAME, f"one sweep of {SWEEP}", swept, "sbatch --array", batch_array, 5),
        more(NAME, "HTTP API, one client", http_one, "sbatch, one by one", batch_one),
        more(NAME, "HTTP API, 8 clients", http_eight, "sbatch, 8 clients", batch_eight),
        reference(NAME, "muster run -d, one by one", one, JOBS_A_SECOND, "/s", False),
        reference(NAME, "HTTP API, one client", http_one, JOBS_A_SECOND, "/s", False),
        reference(NAME, "muster run -d, 8 clients", eight, JOBS_A_SECOND, "/s", False),
        reference(NAME, "HTTP API, 8 clients", http_eight, JOBS_A_SECOND, "/s", False),
        reference(NAME, f"one sweep of {SWEEP}", swept, TASKS_A_SECOND, "/s", False),
    ]
