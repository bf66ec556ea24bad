#!/usr/bin/python3
"""usage: gate.py [--all]: what must hold before a change is merged.

Always: every test, the lint of what changed, the short torture run. Then the heavy suites (sanitizers, fuzzing, the object
store and the frameworks beside their peers, long torture) as gate_plan.py chooses them, within a time limit: 15 minutes
where the compiler cache is warm, 30 minutes where it is cold; GATE_MINUTES sets another limit. --all runs every suite
without a limit. The last line is "N passed, N failed". The results of the suites are kept, by the content of the files
that each suite depends on, in ${MUSTER_CACHE:-~/.cache/muster}/gate.json.
"""
import dataclasses
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import gate_plan
import gate_suites
from gate_plan import Budget, Past

ROOT = gate_suites.ROOT
RECORD = pathlib.Path(os.environ.get("MUSTER_CACHE") or pathlib.Path.home() / ".cache/muster") / "gate.json"
WARM_BUILD = 180  # seconds; a build that takes longer had a cold compiler cache
WARM_MINUTES, COLD_MINUTES = 14, 28  # one or two less than the limits: the last suite has to be stopped and reported
ROTATION = 240  # seconds for suites that passed with the same files
STOP_GRACE = 20  # seconds between the request to stop a suite and SIGKILL


def read_record():
    try:
        return {name: Past(**{**past, "passed": tuple(past["passed"])}) for name, past in json.loads(RECORD.read_text()).items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def note(name, key, result, seconds):
    """Adds one result to the record. Gates of several clones share it."""
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    with open(RECORD.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        record = read_record()
        record[name] = gate_plan.after(record.get(name, Past()), key, result, seconds, time.time())
        new = RECORD.with_suffix(".new")
        new.write_text(json.dumps({name: dataclasses.asdict(past) for name, past in record.items()}, indent=1) + "\n")
        new.replace(RECORD)
    return record


def stop_group(process):
    """Asks the process group to end, then kills it. Runs in the timer's thread."""
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + STOP_GRACE / 2
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)


def counted(lines):
    """Passed and failed tests, as the last line that counts them says."""
    for line in reversed(lines):
        passed, failed, errors = (re.search(rf"(\d+) {word}\b", line) for word in ("passed", "failed", "errors?"))
        if passed or failed:
            return int(passed[1]) if passed else 0, (int(failed[1]) if failed else 0) + (int(errors[1]) if errors else 0)
    return 0, 0


@dataclasses.dataclass
class Step:
    name: str
    result: str  # passed, failed, interrupted
    seconds: float
    counts: tuple
    left_out: list
    why: str = ""

    def line(self):
        passed, failed = self.counts
        tests = f", {passed} passed, {failed} failed" if passed or failed else ""
        return f"  {self.name}: {self.result} in {int(self.seconds // 60)} min {int(self.seconds % 60)} s{tests}{self.why and f' ({self.why})'}"


def run(name, command, limit=None, why="", env=()):
    """Runs one step in its own process group and shows its output; interrupts it after `limit` seconds."""
    print(f"-- {name}: {' '.join(command)}", flush=True)
    begun, lines, late = time.monotonic(), [], threading.Event()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               text=True, errors="replace", start_new_session=True, env={**os.environ, **dict(env)})
    timer = threading.Timer(limit, lambda: (late.set(), stop_group(process))) if limit else None
    if timer:
        timer.start()
    try:
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            print(line, end="", flush=True)
        code = process.wait()
    except BaseException:
        stop_group(process)
        raise
    finally:
        if timer:
            timer.cancel()
    result = "interrupted" if late.is_set() else "passed" if code == 0 else "failed"
    passed, failed = counted(lines[-40:])
    counts = (passed, max(failed, 1) if result == "failed" else 0) if result != "interrupted" else (0, 0)
    left_out = [line.removeprefix("left out: ") for line in lines if line.startswith("left out: ")]
    step = Step(name, result, time.monotonic() - begun, counts, left_out, why)
    print(f"-- {step.line().strip()}", flush=True)
    return step


class Gate:
    def __init__(self, everything):
        self.everything = everything
        self.begun = time.monotonic()
        self.minutes = None  # known after the build
        self.steps = []
        self.left_out = []

    def left(self):
        return self.minutes * 60 - (time.monotonic() - self.begun)

    def failed(self):
        return any(step.result == "failed" for step in self.steps)

    def do(self, *args, **more):
        self.steps.append(step := run(*args, **more))
        self.left_out += [(step.name, text) for text in step.left_out]
        return step

    def always(self):
        build = self.do("build", ["make", "build-all"])
        default = WARM_MINUTES if build.seconds < WARM_BUILD else COLD_MINUTES
        self.minutes = float(os.environ.get("GATE_MINUTES") or default)
        if build.result == "failed":
            return
        self.do("test", ["make", "test"])
        self.do("short torture", ["make", "torture"], env={"TORTURE": "short"}.items())
        # Where all sources are new to clang-tidy, the suites keep half of the time.
        env = {} if self.everything else {"TIDY_SECONDS": str(max(60, int(self.left() / 2)))}
        self.do("lint", ["make", "lint"], env=env.items())

    def heavy(self):
        waiting, record, rotation, fresh = gate_suites.all_suites(), read_record(), ROTATION, True
        if self.everything:
            for suite in waiting:
                record = self.suite(suite, None, "")
            return
        while not self.failed():
            budget = Budget(self.left() - STOP_GRACE, rotation, fresh)
            choice = gate_plan.choose(waiting, record, budget)
            if choice is None:
                break
            record = self.suite(choice.suite, choice.seconds, choice.why.value)
            waiting.remove(choice.suite)
            if choice.why == gate_plan.Why.ROTATION:
                rotation -= self.steps[-1].seconds
            else:
                fresh = False
        budget = Budget(self.left(), rotation, False)
        for suite in gate_plan.in_order(waiting, record):
            why = "an earlier step failed" if self.failed() else gate_plan.why_left_out(suite, record, budget)
            self.left_out.append((suite.name, why))

    def suite(self, suite, limit, why):
        step = self.do(suite.name, list(suite.command), limit=limit, why=why)
        if step.result == "interrupted":
            self.left_out.append((suite.name, f"not finished within the {int(limit // 60)} min that were left"))
        return note(suite.name, suite.key, step.result, step.seconds)

    def report(self):
        print(f"\nRan in {int((time.monotonic() - self.begun) // 60)} min"
              + ("" if self.everything else f" (limit {self.minutes:g} min)") + ":")
        for step in self.steps:
            print(step.line())
        if self.left_out:
            print("Left out ('make check' runs everything):")
            by_reason = {}
            for name, why in self.left_out:
                by_reason.setdefault(why, []).append(name)
            for why, names in by_reason.items():
                print(f"  {', '.join(names)}: {why}")
        passed, failed = (sum(step.counts[i] for step in self.steps) for i in (0, 1))
        print(f"{passed} passed, {failed} failed", flush=True)
        return 1 if failed else 0


def main():
    gate = Gate("--all" in sys.argv[1:])
    gate.always()
    if gate.steps[0].result != "failed":
        gate.heavy()
    return gate.report()


if __name__ == "__main__":
    sys.exit(main())
