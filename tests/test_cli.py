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


def test_run_without_server_starts_one_and_reports_it(scratch):
    muster = Muster(scratch / "own")
    result = muster.run("run", "--", "echo", "hello")
    assert "hello" in result.stdout and "started a server" in result.stderr
    assert "started a server" not in muster.run("run", "--", "echo", "again").stderr
    assert oct((muster.data / "endpoint.json").stat().st_mode)[-3:] == "600"
    muster.run("server", "--stop")
    wait_until(lambda: not (muster.data / "endpoint.json").exists())


def test_submit_shows_next_commands_and_detached_run_prints_only_the_id(server):
    result = server.run("run", "-d", "--", "true")
    assert result.stdout.strip().isdigit()
    for word in ("muster logs", "muster describe", "muster stop"):
        assert word in result.stderr


@pytest.mark.parametrize("words", [["ps"], ["queue"], ["ls"], ["nodes"], ["events"], ["doctor"], ["version"], ["schema"],
                                   ["describe", "1"], ["why", "1"], ["wait", "1"], ["logs", "1"], ["plan", "--", "true"]])
def test_json_flag_prints_valid_json(server, words):
    server.wait_end(server.submit("--", "true"))
    result = server.run(words[0], "--json", *words[1:])
    for text in result.stdout.splitlines() if words[0] == "logs" else [result.stdout]:
        json.loads(text)


def test_describe_has_the_stable_members(server):
    server.wait_end(server.submit("--", "false"))
    job = json.loads(server.run("describe", "1", "--json").stdout)
    assert {"id", "name", "state", "framework", "attempts", "ranks", "verdict"} <= set(job)


@pytest.mark.parametrize("alias", ["cancel", "kill", "stop"])
def test_aliases_run_their_verbs(server, alias):
    job_id = int(server.run("submit", "-d", "--", "sleep", "1000").stdout)
    server.wait_state(job_id, "running")
    server.run(alias, job_id)
    assert server.job(job_id)["state"] == "stopped"
    assert int(server.run("launch", "-d", "--", "true").stdout) == job_id + 1


def test_mistyped_verbs_get_a_suggestion(server):
    for words, hint in ((["pss"], "ps"), (["run", "--nodez", "2"], "--nodes"), (["describe", "999"], "muster ps"), (["run"], "muster run")):
        result = server.run(*words, check=False)
        assert result.returncode != 0 and hint in result.stderr, result.stderr


def test_server_without_data_folder_is_refused():
    result = subprocess.run([MUSTER, "server", "--data", ""], capture_output=True, text=True, timeout=60)
    assert result.returncode in (1, 2)
    assert "--data is empty" in result.stderr and "name a folder" in result.stderr


def test_every_verb_has_an_example_and_completion_scripts_parse(server, scratch):
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


def test_ctrl_c_on_a_terminal_asks_and_detach_keeps_the_job(server):
    terminal = Terminal([MUSTER, "run", "-g", "npu:2", "--", "sh", "-c", "echo underway; sleep 1000"], server.env, server.data.parent)
    terminal.expect("underway")
    terminal.type("\x03")
    terminal.expect("[d]etach")
    terminal.type("d")
    terminal.wait()
    job = server.wait_state(server.get("/jobs?limit=1")["jobs"][0]["id"], "running")
    terminal = Terminal([MUSTER, "logs", "-f", str(job["id"])], server.env, server.data.parent)
    terminal.expect("[rank 1]")
    terminal.type("\x03")
    terminal.wait()
    assert server.job(job["id"])["state"] == "running"


def test_ctrl_c_on_a_terminal_can_stop_the_job(server):
    terminal = Terminal([MUSTER, "run", "--", "sh", "-c", "echo underway; sleep 1000"], server.env, server.data.parent)
    terminal.expect("underway")
    terminal.type("\x03")
    terminal.expect("[s]top")
    terminal.type("s")
    assert terminal.wait() == 130
    assert server.get("/jobs?limit=1")["jobs"][0]["state"] == "stopped"
    assert not marked_processes(server.data)


def test_terminal_has_a_status_line_and_pipe_has_plain_text(server):
    env = {k: v for k, v in server.env.items() if k != "NO_COLOR"}
    terminal = Terminal([MUSTER, "run", "-g", "npu:2", "--", "sh", "-c", "echo '{\"loss\": 0.25}'; sleep 2"], env, server.data.parent)
    terminal.expect("loss 0.25", "running")
    assert terminal.wait() == 0
    assert "\x1b[" in terminal.text
    piped = server.run("run", "-g", "npu:2", "--", "echo", "x", env=env)
    assert "\x1b" not in piped.stdout + piped.stderr and "[rank 1] x" in piped.stdout


def test_logs_of_one_rank_are_unchanged_and_tail_counts_lines(server):
    job_id = server.submit("-g", "npu:2", "--", "sh", "-c", "for i in 1 2 3 4 5; do echo $MUSTER_RANK-$i; done")
    server.wait_end(job_id)
    assert server.run("logs", "-r", "1", job_id).stdout == "1-1\n1-2\n1-3\n1-4\n1-5\n"
    assert server.run("logs", "-r", "1", "-n", "2", job_id).stdout == "1-4\n1-5\n"
    assert server.run("logs", "-n", "1", job_id).stdout.split("\n")[:2] == ["[rank 0] 0-5", "[rank 1] 1-5"]


def test_wait_returns_the_exit_code_of_the_first_failed_job(server):
    good, bad = server.submit("--", "true"), server.submit("--", "sh", "-c", "exit 12")
    assert server.run("wait", good).returncode == 0
    assert server.run("wait", good, bad, check=False).returncode == 12
    assert server.run("wait", "--timeout", "200ms", server.submit("--", "sleep", "1000"), check=False).returncode not in (0, 12)


def test_plan_needs_no_server(scratch):
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


# -- jobs that cannot start, and lists

def test_job_that_never_fits_is_warned_about_at_submit_and_in_every_view(server):
    result = server.run("run", "-d", "-N", "99", "-g", "npu:2", "--", "true")
    job_id = int(result.stdout)
    assert "warning: the job can never start on this server: needs 2 npu on each of 99 nodes, only 8 nodes have so many" in result.stderr
    assert "with -N 8 it could start here" in result.stderr
    expected = "can never start here: needs 2 npu on each of 99 nodes"
    assert expected in server.run("ps").stdout and "REASON" in server.run("ps").stdout
    assert expected in server.run("describe", job_id).stdout
    assert server.get("/jobs")["jobs"][0]["reason"].startswith(expected)
    plan = server.run("plan", "-N", "99", "-g", "npu:2", "--", "true").stdout
    assert "note: can never start on this server: needs 2 npu on each of 99 nodes" in plan
    detached = json.loads(server.run("run", "-d", "--json", "-N", "99", "--", "true").stdout)
    assert "99 nodes" in detached["warning"]


def test_waiting_job_shows_its_reason_in_ps_describe_and_the_live_line(server):
    holder = server.submit("-N", "8", "-g", "npu:8", "--", "sleep", "1000")
    server.wait_state(holder, "running")
    waiting = server.submit("-g", "npu:4", "--", "true")
    behind = server.submit("--after", waiting, "--", "true")
    rows = {job["id"]: job for job in server.get("/jobs")["jobs"]}
    assert rows[waiting]["reason"].startswith("needs 4 npu on one node; free now: ")
    assert rows[behind]["reason"] == f"waits for job {waiting} (queued) to end"
    assert rows[waiting]["reason"] in server.run("ps").stdout
    assert rows[waiting]["reason"] in server.run("describe", waiting).stdout
    terminal = Terminal([MUSTER, "logs", "-f", str(waiting)], server.env, server.data.parent)
    terminal.expect("queued", "needs 4 npu")
    server.run("stop", holder)
    terminal.wait()
    assert server.wait_end(behind)["state"] == "succeeded"


def test_ps_shows_progress_of_running_jobs_and_long_silence(server):
    job_id = server.submit("--", "sh", "-c", "echo '{\"step\": 5, \"loss\": 0.25}'; sleep 1000")
    row = wait_until(lambda: (r := server.get("/jobs")["jobs"][0])["progress"] and r, what="progress in the list")
    assert "loss 0.25" in row["progress"] and row["output_ms"] > 0
    assert "loss 0.25" in server.run("ps").stdout and "no output" not in server.run("ps").stdout
    log = server.data / f"jobs/{job_id}/attempts/1/node0/rank0.log"
    os.utime(log, (1_000_000_000, 1_000_000_000))
    assert "no output for" in server.run("ps").stdout
    server.run("stop", job_id)
    assert "no output" not in server.run("ps").stdout


def test_ps_filters_by_label(server):
    ids = [server.submit("-l", f"team={team}", "-l", "kind=test", "--", "true") for team in ("a", "b", "a")]
    listed = [int(line) for line in server.run("ps", "-a", "-q", "-l", "team=a").stdout.split()]
    assert listed == [ids[2], ids[0]]
    assert "No job matches" in server.run("ps", "-l", "team=c").stderr
    assert server.run("ps", "-l", "team", check=False).returncode == 2
    assert server.request("GET", "/jobs?label=team")[0] == 400


# -- words of other systems, and JSON everywhere

@pytest.mark.parametrize("words, hint", [
    (["status", "3"], "muster describe ID"), (["delete", "3"], "muster stop ID"), (["squeue"], "muster ps"),
    (["run", "--gpus", "2", "--", "true"], "-g gpu:COUNT"), (["run", "--mem=4G", "--", "true"], "--memory"),
    (["run", "-n", "4", "--", "true"], "--ranks"), (["run", "-f", "job.yaml"], "muster run job.yaml"),
])
def test_habits_of_other_systems_get_a_hint(server, words, hint):
    result = server.run(*words, check=False)
    assert result.returncode == 2 and hint in result.stderr, result.stderr
    error = json.loads(server.run(*words[:1], "--json", *words[1:], check=False).stderr)["error"]
    assert error["code"] == "invalid" and hint in error["next"]


def test_faults_of_plan_and_run_are_json_with_their_places(server, scratch):
    (scratch / "job.yaml").write_text("run: x\nretries: -1\nresources: {nodes: 0}\n")
    for verb in (["plan"], ["plan", "--offline"], ["run", "-d"]):
        result = server.run(*verb, "--json", scratch / "job.yaml", check=False)
        assert result.returncode == 2 and result.stdout == ""
        faults = json.loads(result.stderr)["error"]["faults"]
        assert [(f["path"], f["line"]) for f in faults] == [("retries", 2), ("resources.nodes", 3)]


def test_every_verb_takes_json(server, scratch):
    job_id = server.submit("--", "true")
    server.wait_end(job_id)
    for words in (["version"], ["help"], ["help", "run"], ["schema"], ["schema", "server"], ["completion", "bash"], ["rerun", "-d", job_id]):
        json.loads(server.run(*words, "--json").stdout)
    own = Muster(scratch / "own").start()
    stopped = json.loads(own.run("server", "--stop", "--json").stdout)
    own.process.wait(20)
    assert stopped["ended"] is True and stopped["server"].startswith("http://")


# -- the server's configuration

def test_all_faults_of_the_configuration_are_reported_at_once(scratch):
    config = scratch / "server.yaml"
    config.write_text("listen: nowhere\nengine: slurm\ndevices: {npu: many}\nlistne: x\nstore_sync: maybe\nmemory: 3\n")
    result = subprocess.run([MUSTER, "server", "--data", str(scratch / "d"), "--config", str(config)], capture_output=True, text=True, timeout=20)
    assert result.returncode == 2
    for place in ("server.yaml:1:9: listen", "server.yaml:2:9: engine", "server.yaml:3:16: devices.npu", "server.yaml:4:9: listne",
                  "server.yaml:5:13: store_sync", "server.yaml:6:9: memory", 'did you mean "listen"'):
        assert place in result.stderr, result.stderr
    assert not (scratch / "d").exists()
    flags = ["--listen", "nowhere", "--engine", "kubernetes", "--nodes", "many"]
    result = subprocess.run([MUSTER, "server", "--data", str(scratch / "d"), *flags], capture_output=True, text=True, timeout=20)
    assert result.returncode == 2 and all(word in result.stderr for word in ("listen", "engine", "nodes", "local"))


def test_schema_of_the_configuration_matches_what_is_read(server, scratch):
    import jsonschema
    schema = json.loads(server.run("schema", "server").stdout)
    good = {"listen": "127.0.0.1:0", "nodes": "2x2npu", "engine": "local", "cpu_slots": 4, "devices": {"npu": 2}, "memory": "2G",
            "s3_domain": "s3.example.org", "store_sync": "none", "store_sigv2": False, "input_cache": "1G", "hccn_conf": "/etc/hccn.conf"}
    jsonschema.Draft202012Validator(schema).validate(good)
    assert set(good) | {"tls", "s3_listen"} == set(schema["properties"])
    assert all(member["description"] for member in schema["properties"].values())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate({"engine": "slurm"})
    (scratch / "server.json").write_text(json.dumps(good))
    own = Muster(scratch / "own", "--config", str(scratch / "server.json")).start()
    assert len(own.get("/nodes")["nodes"]) == 2 and own.get("/nodes")["nodes"][0]["memory"]["total"] == 2 << 30
    own.run("server", "--stop")
    own.process.wait(20)
