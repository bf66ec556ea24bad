"""Clocks and turns."""
import subprocess
import time


def milliseconds(since):
    return (time.perf_counter() - since) * 1e3


def turns(count, *sides, warm=True):
    """Runs the sides in turn, `count` rounds, so that noise of the machine hits all alike; their results, a list a side.

    With `warm`, one round before is not counted: it fills caches and wakes what sleeps.
    """
    for side in sides if warm else ():
        side()
    results = [[] for _ in sides]
    for number in range(count):
        order = range(len(sides)) if number % 2 == 0 else reversed(range(len(sides)))
        for index in order:
            results[index].append(sides[index]())
    return results


def first_line_and_end(command, **more):
    """Milliseconds from the start of a command to its first line on stdout, and to its end."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **more)
    line = process.stdout.readline()
    first = milliseconds(began)
    process.stdout.read()
    process.stdout.close()
    if process.wait() != 0 or not line:
        raise RuntimeError(f"{command}: exit code {process.returncode}, first line {line!r}")
    return first, milliseconds(began)


def call(command, **more):
    """Runs a command that must succeed; raises with what it said when it does not."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: exit code {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def whole(command, **more):
    """Milliseconds of a whole command that must succeed."""
    began = time.perf_counter()
    call(command, **more)
    return milliseconds(began)
