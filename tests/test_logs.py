"""`muster logs`, `events`, and verbs on groups, as a user types them."""
import json
import os
import pty
import re
import select
import subprocess
import time

import pytest

from conftest import MUSTER, wait_until


@pytest.fixture
def two_ranks(server):
    """A job with three ranks that print one line each, and its id."""
    job = server.submit("-g", "cpu:3", "--", "sh -c 'echo first $MUSTER_RANK; echo loss 0.$MUSTER_RANK'")
    assert server.wait_end(job)["state"] == "succeeded"
    return job


def lines(result):
    return sorted(result.stdout.splitlines())


def terminal_output(server, *arguments):
    """What a verb writes to a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([MUSTER, *map(str, arguments)], env={**server.env, "TERM": "xterm"}, stdin=subprocess.DEVNULL,
                               stdout=slave, stderr=slave)
    os.close(slave)
    out = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    process.wait(30)
    os.close(master)
    return out


@pytest.mark.parametrize("ranks, shown", [(["-r", "0,2"], [0, 2]), (["-r", "0-1"], [0, 1]), (["-r", "2", "-r", "0-1"], [0, 1, 2]),
                                          (["-r", "1"], None)])
def test_logs_of_some_ranks(server, two_ranks, ranks, shown):
    shown_lines = lines(server.run("logs", two_ranks, *ranks, "-n", "1"))
    assert shown_lines == (["loss 0.1"] if shown is None else [f"[rank {rank}] loss 0.{rank}" for rank in shown])


@pytest.mark.parametrize("ranks", ["3", "0-3", "2-1", "x", "0,,1", "-1"])
def test_wrong_ranks_are_one_clear_error(server, two_ranks, ranks):
    failed = server.run("logs", two_ranks, f"--rank={ranks}", check=False)
    assert failed.returncode in (1, 2) and failed.stdout == ""
    assert re.search(r"has no rank 3; it has 3|expected ranks such as 3 or 0,2-4", failed.stderr), failed.stderr


def test_grep_and_timestamps(server, two_ranks):
    shown = lines(server.run("logs", two_ranks, "-t", "-g", "loss .*[12]$"))
    assert [re.sub(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME", line) for line in shown] == \
        ["[rank 1] TIME loss 0.1", "[rank 2] TIME loss 0.2"]
    assert "expected" not in server.run("logs", two_ranks, "--grep", "[", check=False).stdout
    assert "--grep:" in server.run("logs", two_ranks, "--grep", "[", check=False).stderr


def test_since_shows_only_newer_output(server):
    job = server.submit("--", "sh -c 'echo old; while [ ! -e $MUSTER_JOB_DIR/go ]; do sleep 0.05; done; echo new'")
    index = server.data / f"jobs/{job}/attempts/1/node0/rank0.idx"
    wait_until(lambda: index.exists() and index.read_text(), what="the first look at the log")
    looked_ms = int(index.read_text().split()[0])
    (server.data / f"jobs/{job}/go").touch()
    server.wait_end(job)
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(looked_ms / 1000 - 60))
    assert server.run("logs", job, "--since", since).stdout == "old\nnew\n"
    stream = server.raw(f"/jobs/{job}/logs?since={looked_ms + 1}").decode()
    assert '"text":"new\\n"' in stream and "old" not in stream
    assert server.run("logs", job, "--since", "2099-01-01").stdout == ""
    assert "expected a time" in server.run("logs", job, "--since", "soon", check=False).stderr


def test_following_ends_when_its_reader_has_gone(server):
    job = server.submit("--", "sh -c 'echo one; exec sleep 600'")
    server.wait_state(job, "running")
    for flags in ([], ["-t"]):
        began = time.monotonic()
        process = subprocess.Popen([MUSTER, "logs", "-f", *flags, str(job)], env=server.env, stdout=subprocess.PIPE)
        assert process.stdout.readline().endswith(b"one\n")
        process.stdout.close()
        process.wait(20)
        assert time.monotonic() - began < 10
    server.run("stop", job)


HOSTILE = r"printf '\033[31mred\033[0m \033]0;title\007\033[2J\033]52;c;Zm9v\033\\\302\233x \342\200\256y\r\nend\n'"
SAFE = b"\x1b[31mred\x1b[0m x y\r\n"


@pytest.mark.parametrize("flags", [[], ["-t", "--since", "1h"], ["-f"]])
def test_only_colours_and_carriage_returns_reach_a_terminal(server, flags):
    job = server.submit("--", HOSTILE)
    server.wait_end(job)
    shown = terminal_output(server, "logs", *flags, job)
    assert b"end" in shown
    assert b"title" not in shown and b"\x1b[2J" not in shown and b"Zm9v" not in shown
    assert b"\xc2\x9b" not in shown and b"\xe2\x80\xae" not in shown
    assert b"\x1b[31mred\x1b[0m x y" in shown
    assert b"\x1b]0;title\x07\x1b[2J" in terminal_output(server, "logs", "--raw", job)


def test_a_pipe_gets_the_bytes_unchanged(server):
    job = server.submit("--", HOSTILE)
    server.wait_end(job)
    raw = subprocess.run([MUSTER, "logs", str(job)], env=server.env, capture_output=True, check=True).stdout
    assert raw == server.rank_log(job)
    assert b"\x1b]0;title\x07\x1b[2J" in raw and b"\xc2\x9bx \xe2\x80\xaey\r\nend\n" in raw


def test_live_view_and_page_of_a_job_do_not_write_its_control_sequences(server):
    shown = terminal_output(server, "run", "--", HOSTILE + "; exit 3")
    job = json.loads(server.run("ps", "-a", "--json").stdout)["jobs"][0]["id"]
    for text in (shown, terminal_output(server, "describe", job), terminal_output(server, "events", job)):
        assert b"\x1b]" not in text and b"\x1b[2J" not in text and b"\xc2\x9b" not in text and b"\xe2\x80\xae" not in text


def test_groups_in_wait_logs_describe_and_rm(server, scratch):
    swept = server.run("run", "-d", "--sweep", "x=1,2", "--", "echo value", cwd=scratch)
    ids = [int(word) for word in swept.stdout.split()]
    group = server.job(ids[0])["group"]
    assert server.run("wait", group).stdout.count("succeeded") == 2
    shown = server.run("logs", group, "-n", "1").stdout
    assert shown.startswith(f"==> job {ids[0]} <==\nvalue") and f"==> job {ids[1]} <==\nvalue" in shown
    assert server.run("describe", *ids).stdout.count("succeeded") >= 2
    assert [job["id"] for job in json.loads(server.run("describe", "--json", *ids).stdout)["jobs"]] == ids
    assert "takes one job" in server.run("logs", "-f", group, check=False).stderr
    assert "there is no group nowhere-1" in server.run("wait", "nowhere-1", check=False).stderr
    assert server.run("rm", group).stdout == "".join(f"removed job {job}\n" for job in ids)
    assert server.request("GET", f"/jobs/{ids[0]}")[0] == 404


def test_stop_takes_a_group(server, scratch):
    swept = server.run("run", "-d", "--sweep", "x=1,2", "--", "sh -c 'sleep 600'", cwd=scratch)
    ids = [int(word) for word in swept.stdout.split()]
    server.run("stop", server.job(ids[0])["group"])
    assert [server.job(job)["state"] for job in ids] == ["stopped", "stopped"]


def test_rm_by_state_and_age(server):
    good, bad = server.submit("--", "true"), server.submit("--", "false")
    server.wait_end(good), server.wait_end(bad)
    assert server.run("rm", "--state", "failed", "--older-than", "1h").stdout == ""
    assert server.run("rm", "--state", "failed", "--dry-run").stdout == f"would remove job {bad}\n"
    assert server.run("rm", "--state", "failed").stdout == f"removed job {bad}\n"
    assert server.job(good)["state"] == "succeeded"
    for flags, message in ((["--state", "running"], "expected succeeded, failed or stopped"), (["--older-than", "x"], "--older-than"),
                           ([good, "--state", "failed"], "takes either ids and groups"), ([], "takes either ids and groups")):
        failed = server.run("rm", *flags, check=False)
        assert failed.returncode == 2 and message in failed.stderr, failed.stderr
    assert server.run("rm", "--older-than", "0s").stdout == f"removed job {good}\n"


def sequence(result):
    return [int(number) for number in re.findall(r"^#(\d+)  20", result.stdout, re.M)]


def test_events_show_the_newest_last(server):
    jobs = [server.submit("--", "true") for _ in range(30)]
    for job in jobs:
        server.wait_end(job)
    every = sequence(server.run("events", "--after", "0"))
    assert len(every) > 110 and every == sorted(every)
    shown = server.run("events")
    assert sequence(shown) == every[-100:]
    assert "these are the last 100 events" in shown.stderr
    assert sequence(server.run("events", "-n", "2")) == every[-2:]
    assert sequence(server.run("events", "--after", every[-3])) == every[-2:]
    assert sequence(server.run("events", "--since", "1h", "-n", "3")) == every[-3:]
    assert sequence(server.run("events", "--since", "2099-01-01")) == []
    own = server.run("events", jobs[0])
    assert sequence(server.run("events", jobs[0], "-n", "1")) == sequence(own)[-1:]
    assert f"job {jobs[0]}  state  from=running  to=succeeded" in own.stdout.splitlines()[-1]
    server.run("rm", *jobs[2:])  # gaps in the numbers
    assert len(sequence(server.run("events", "-n", "5"))) == 5


def test_events_refuse_contradictions(server):
    failed = server.run("events", "--after", "1", "--since", "1h", check=False)
    assert failed.returncode == 2 and "--after and --since both say where to begin" in failed.stderr
    status, body, _ = server.request("GET", "/events?tail=1&after=2")
    assert status == 400 and b"tail does not go with after or limit" in body
