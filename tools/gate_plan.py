"""Decides which heavy suite the gate runs next. Pure: no clock, no disk, no processes; tools/gate.py does the rest.

A suite whose files changed since it last passed runs before a suite that passed with the same files. In each of these
groups the suite that ran longest ago is first, so that suites take turns where the time is too short for all of them.
"""
import dataclasses
import enum

SHORTEST = 60  # seconds; no suite starts with less time than this
KEYS_KEPT = 20  # a suite that passed on one branch has not to run again after a switch to another and back


class Why(enum.Enum):
    FAILED = "failed in its last run"
    CHANGED = "changed since it last passed"
    NEW = "has not passed yet"
    ROTATION = "unchanged; in rotation"


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    key: str  # hash of all files that the suite depends on
    command: tuple = ()
    estimate: float = 300  # seconds, until a run was timed
    resumes: bool = True  # an interrupted run leaves work in caches (compiled objects, packages) for the next run


@dataclasses.dataclass(frozen=True)
class Past:
    """What earlier runs of a suite left in the record."""
    passed: tuple = ()  # keys of the content that it passed with, the newest last
    passed_at: float = 0
    last_run: float = 0
    seconds: float = 0  # of the last complete run, or more than an interrupted run had
    failed: bool = False


@dataclasses.dataclass(frozen=True)
class Choice:
    suite: Suite
    why: Why
    seconds: float  # the suite is interrupted after this time


@dataclasses.dataclass(frozen=True)
class Budget:
    left: float  # seconds for all suites
    rotation: float  # of these, for suites that passed with the same files
    fresh: bool = True  # no suite was started yet


def why(suite, past):
    if past.failed:
        return Why.FAILED
    if suite.key in past.passed:
        return Why.ROTATION
    return Why.CHANGED if past.passed else Why.NEW


def estimate(suite, past):
    return past.seconds or suite.estimate


def in_order(suites, record):
    def rank(suite):
        past = record.get(suite.name, Past())
        return why(suite, past) == Why.ROTATION, why(suite, past) != Why.FAILED, past.last_run
    return sorted(suites, key=rank)


def choose(suites, record, budget):
    """The suite to start now, or None when no suite fits into the time that is left."""
    for suite in in_order(suites, record):
        past = record.get(suite.name, Past())
        reason = why(suite, past)
        seconds = budget.left if reason != Why.ROTATION else min(budget.left, budget.rotation)
        if seconds < SHORTEST:
            continue
        if estimate(suite, past) <= seconds:
            return Choice(suite, reason, seconds if reason != Why.ROTATION else budget.left)
        # A suite that is too long for every run would never be tested: the first suite of a run may be interrupted.
        if budget.fresh and suite.resumes and reason != Why.ROTATION:
            return Choice(suite, reason, seconds)
    return None


def why_left_out(suite, record, budget):
    past = record.get(suite.name, Past())
    reason = why(suite, past)
    if reason == Why.ROTATION:
        return "unchanged since it passed"
    minutes = max(1, round(estimate(suite, past) / 60))
    return f"{reason.value}; it takes about {minutes} min, and {max(0, int(budget.left // 60))} min are left"


def after(past, key, result, seconds, now):
    """The record of a suite after a run with the result "passed", "failed" or "interrupted"."""
    if result == "passed":
        keys = tuple(old for old in past.passed if old != key)[1 - KEYS_KEPT:] + (key,)
        return Past(keys, now, now, seconds, False)
    if result == "failed":
        return dataclasses.replace(past, last_run=now, failed=True)
    return dataclasses.replace(past, last_run=now, seconds=max(past.seconds, 1.5 * seconds))
