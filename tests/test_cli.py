"""The verbs as a person and a script meet them."""
import json
import os
import pty
import select
import signal
import subprocess
import time

import pytest
from conftest import MUSTER, Muster, marked_processes, wait_until


class Terminal:
    """A program on a terminal of its own, read and typed to like a person would."""

    def __init__(self, arguments, env, cwd):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background test run has it ignored
            os.chdir(cwd)
            os.execvpe(arguments[0], arguments, {**env, "TERM": "xterm-256color"})
        self.text = ""

    def read(self):
        ready, _, _ = select.select([self.fd], [], [], 0.05)
        if ready:
            try:
                self.text += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                pass
        return self.text

    def expect(self, *words, seconds=20):
        try:
            wait_until(lambda: all(w in self.read() for w in words), seconds)
        except AssertionError:
            raise AssertionError(f"no {words} in {self.text!r}") from None

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def wait(self, seconds=20):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError(f"still running: {self.text!r}")


def test_run_without_a_server_starts_one_and_says_so(scratch):
    muster = Muster(scratch / "own")
    result = muster.run("run", "--", "echo", "hello")
    assert "hello" in result.stdout and "started a server" in result.stderr
    assert "started a server" not in muster.run("run", "--", "echo", "again").stderr
    assert oct((muster.data / "endpoint.json").stat().st_mode)[-3:] == "600"
    muster.run("server", "--stop")
    wait_until(lambda: not (muster.data / "endpoint.json").exists())


def test_after_a_submit_the_next_commands_are_shown_and_detached_runs_print_the_id_alone(server):
    result = server.run("run", "-d", "--", "true")
    assert result.stdout.strip().isdigit()
    for word in ("muster logs", "muster describe", "muster stop"):
        assert word in result.stderr


@pytest.mark.parametrize("words", [["ps"], ["queue"], ["ls"], ["nodes"], ["events"], ["doctor"], ["version"], ["schema"],
                                   ["describe", "1"], ["why", "1"], ["wait", "1"], ["logs", "1"], ["plan", "--", "true"]])
def test_json_is_json(server, words):
    server.wait_end(server.submit("--", "true"))
    result = server.run(words[0], "--json", *words[1:])
    for text in result.stdout.splitlines() if words[0] == "logs" else [result.stdout]:
        json.loads(text)


def test_describe_has_the_pinned_members(server):
    server.wait_end(server.submit("--", "false"))
    job = json.loads(server.run("describe", "1", "--json").stdout)
    assert {"id", "name", "state", "framework", "attempts", "ranks", "verdict"} <= set(job)


@pytest.mark.parametrize("alias", ["cancel", "kill", "stop"])
def test_aliases_do_what_they_stand_for(server, alias):
    job_id = int(server.run("submit", "-d", "--", "sleep", "1000").stdout)
    server.wait_state(job_id, "running")
    server.run(alias, job_id)
    assert server.job(job_id)["state"] == "stopped"
    assert int(server.run("launch", "-d", "--", "true").stdout) == job_id + 1


def test_wrong_words_get_the_right_ones(server):
    for words, hint in ((["pss"], "ps"), (["run", "--nodez", "2"], "--nodes"), (["describe", "999"], "muster ps"), (["run"], "muster run")):
        result = server.run(*words, check=False)
        assert result.returncode != 0 and hint in result.stderr, result.stderr


def test_a_server_without_a_data_folder_says_so():
    result = subprocess.run([MUSTER, "server", "--data", ""], capture_output=True, text=True, timeout=60)
    assert result.returncode in (1, 2)
    assert "--data is empty" in result.stderr and "name a folder" in result.stderr


def test_help_of_every_verb_has_an_example_and_completion_scripts_parse(server, scratch):
    names = [line.split()[0].strip(",") for line in server.run("help").stdout.splitlines() if line.startswith("  ") and line[2] != " "]
    assert {"run", "ps", "logs", "describe", "why", "wait", "stop", "rerun", "plan", "nodes", "events", "rm", "doctor"} <= set(names)
    for name in names:
        assert "usage" in server.run(name, "--help").stdout
    for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])):
        script = scratch / f"completion.{shell}"
        script.write_text(server.run("completion", shell).stdout)
        assert subprocess.run([*check, str(script)], capture_output=True).returncode == 0


def test_bash_completes_verbs_flags_and_jobs(server, scratch):
    job_id = server.submit("--", "true")
    script = scratch / "c.bash"
    script.write_text(server.run("completion", "bash").stdout)
    ask = f"""source {script}; muster() {{ {MUSTER} "$@"; }}
    try() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMP_LINE="$*"; COMP_POINT=${{#COMP_LINE}}; COMPREPLY=();
             $(complete -p muster | sed 's/.*-F \\([^ ]*\\).*/\\1/') muster "${{@: -1}}" "${{@: -2:1}}"; echo "${{COMPREPLY[@]}}"; }}
    try muster des; try muster run --ret; try muster describe ''"""
    result = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, env={**server.env, "PATH": os.environ["PATH"]})
    lines = result.stdout.splitlines()
    assert "describe" in lines[0] and "--retries" in lines[1], result
    assert str(job_id) in lines[2].split()


def test_on_a_terminal_ctrl_c_asks_and_detach_leaves_the_job(server):
    terminal = Terminal([MUSTER, "run", "-g", "npu:2", "--", "sh", "-c", "echo underway; sleep 1000"], server.env, server.data.parent)
    terminal.expect("underway")
    terminal.type("\x03")
    terminal.expect("[d]etach")
    terminal.type("d")
    terminal.wait()
    job = server.get("/jobs?limit=1")["jobs"][0]
    assert job["state"] == "running"
    terminal = Terminal([MUSTER, "logs", "-f", str(job["id"])], server.env, server.data.parent)
    terminal.expect("[rank 1]")
    terminal.type("\x03")
    terminal.wait()
    assert server.job(job["id"])["state"] == "running"


def test_on_a_terminal_ctrl_c_can_stop_the_job(server):
    terminal = Terminal([MUSTER, "run", "--", "sh", "-c", "echo underway; sleep 1000"], server.env, server.data.parent)
    terminal.expect("underway")
    terminal.type("\x03")
    terminal.expect("[s]top")
    terminal.type("s")
    assert terminal.wait() == 130
    assert server.get("/jobs?limit=1")["jobs"][0]["state"] == "stopped"
    assert not marked_processes(server.data)


def test_a_terminal_gets_a_status_line_and_a_pipe_gets_plain_text(server):
    env = {k: v for k, v in server.env.items() if k != "NO_COLOR"}
    terminal = Terminal([MUSTER, "run", "-g", "npu:2", "--", "sh", "-c", "echo '{\"loss\": 0.25}'; sleep 2"], env, server.data.parent)
    terminal.expect("loss 0.25", "running")
    assert terminal.wait() == 0
    assert "\x1b[" in terminal.text
    piped = server.run("run", "-g", "npu:2", "--", "echo", "x", env=env)
    assert "\x1b" not in piped.stdout + piped.stderr and "[rank 1] x" in piped.stdout


def test_logs_of_one_rank_are_its_very_bytes_and_tail_counts_lines(server):
    job_id = server.submit("-g", "npu:2", "--", "sh", "-c", "for i in 1 2 3 4 5; do echo $MUSTER_RANK-$i; done")
    server.wait_end(job_id)
    assert server.run("logs", "-r", "1", job_id).stdout == "1-1\n1-2\n1-3\n1-4\n1-5\n"
    assert server.run("logs", "-r", "1", "-n", "2", job_id).stdout == "1-4\n1-5\n"
    assert server.run("logs", "-n", "1", job_id).stdout.split("\n")[:2] == ["[rank 0] 0-5", "[rank 1] 1-5"]


def test_wait_gives_the_code_of_the_first_that_failed(server):
    good, bad = server.submit("--", "true"), server.submit("--", "sh", "-c", "exit 12")
    assert server.run("wait", good).returncode == 0
    assert server.run("wait", good, bad, check=False).returncode == 12
    assert server.run("wait", "--timeout", "200ms", server.submit("--", "sleep", "1000"), check=False).returncode not in (0, 12)


def test_plan_works_without_any_server(scratch):
    muster = Muster(scratch / "none")
    result = muster.run("plan", "--offline", "-f", "pytorch", "-N", "2", "-g", "npu:8", "--", "python3", "train.py")
    assert "16 ranks" in result.stdout and "MASTER_ADDR" in result.stdout
    assert not (scratch / "none/endpoint.json").exists()


def test_the_schema_accepts_the_examples(server):
    import jsonschema
    import yaml
    from conftest import ROOT
    schema = json.loads(server.run("schema").stdout)
    for path in (ROOT / "examples").glob("*/*.yaml"):
        jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(path.read_text()))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate({"run": "x", "nodes": 3})
