"""The environment of a job: that of the shell which submits it, not of the shell which started the server."""
import json
import subprocess

import pytest
from conftest import PYTHON

SHOW = "import own, os, sys; print('OWN', own.NAME, sys.prefix, os.environ.get('VIRTUAL_ENV'))"


class Shell:
    """A shell with an activated virtual environment that has a module of its own."""

    def __init__(self, folder, name):
        self.venv = folder / f"venv-{name}"
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", str(self.venv)], check=True, timeout=60)
        site = next((self.venv / "lib").glob("python3*")) / "site-packages"
        (site / "own.py").write_text(f"NAME = {name!r}\n")
        self.folder = folder / f"home-{name}"
        self.folder.mkdir()
        self.env = {"VIRTUAL_ENV": str(self.venv), "PATH": f"{self.venv}/bin:/usr/bin:/bin"}

    def expected(self, name):
        return f"OWN {name} {self.venv} {self.venv}"


@pytest.fixture
def shells(scratch):
    return Shell(scratch, "a"), Shell(scratch, "b")


@pytest.fixture
def server(scratch, monkeypatch, start_server):
    """A server that was started in a shell with an environment and secrets of its own."""
    server_shell = Shell(scratch, "server")
    library = scratch / "server-lib"
    library.mkdir()
    with monkeypatch.context() as patch:
        for name, value in {**server_shell.env, "PYTHONPATH": str(library), "LC_ALL": "C", "SERVER_SETTING": "1",
                            "HF_TOKEN": "server-secret", "DB_PASSWORD": "server-secret", "SSH_CLIENT": "1.2.3.4"}.items():
            patch.setenv(name, value)
        started = start_server("--nodes", "2x2npu+2cpu")
    started.env = {k: v for k, v in started.env.items() if k.startswith("MUSTER_") or k in ("HOME", "USER", "NO_COLOR", "PATH")}
    started.shell = server_shell
    started.library = library
    return started


def run(server, shell, *words, **kwargs):
    return server.run(*words, env={**shell.env, **kwargs.pop("env", {})}, cwd=shell.folder, **kwargs)


def environment_of(server, shell, *flags, env=None):
    """The environment of a job's process, as a dictionary."""
    text = run(server, shell, "run", *flags, "--", "env", "-0", env=env or {}).stdout
    return dict(entry.partition("=")[::2] for entry in text.split("\0") if "=" in entry)


def submit(server, shell, *words):
    return int(run(server, shell, "run", "-d", *words).stdout.split()[0])


def test_two_shells_use_their_own_virtual_environments_on_one_server(server, shells):
    ids = [submit(server, shell, "--", "python3", "-c", SHOW) for shell in shells * 2]
    for job_id, shell, name in zip(ids, shells * 2, "abab"):
        assert server.wait_end(job_id)["state"] == "succeeded"
        assert server.rank_log(job_id).decode().strip() == shell.expected(name)


def test_script_of_the_current_folder_runs_in_the_environment_of_its_shell(server, shells):
    for shell, name in zip(shells, "ab"):
        (shell.folder / "main.py").write_text(SHOW)
        result = run(server, shell, "run", "--", "main.py")
        assert shell.expected(name) in result.stdout
        assert f"env: VIRTUAL_ENV of this shell: {shell.venv}" in result.stderr


def test_retry_rerun_and_sweep_keep_the_environment_of_the_submit(server, shells):
    a, b = shells
    failing = submit(server, a, "--retries", "1", "--", "python3", "-c", SHOW + "; sys.exit(3)")
    assert server.wait_end(failing)["state"] == "failed"
    assert [server.rank_log(failing, attempt=n).decode().strip() for n in (1, 2)] == [a.expected("a")] * 2

    again = int(run(server, b, "rerun", "-d", failing).stdout.split()[0])
    server.wait_end(again)
    assert server.rank_log(again).decode().strip() == a.expected("a")

    run(server, b, "run", "-d", "--sweep", "lr=1,2", "--", "python3", "-c", SHOW)
    jobs = [job["id"] for job in server.get("/jobs")["jobs"] if job["group"]]
    assert len(jobs) == 2
    for job_id in jobs:
        server.wait_end(job_id)
        assert server.rank_log(job_id).decode().strip() == b.expected("b")


def test_queued_job_keeps_its_environment_over_a_restart_of_the_server(server, shells):
    a, _ = shells
    holder = submit(server, a, "-N", "2", "-g", "npu:2", "--", "sleep", "1000")
    server.wait_state(holder, "running")
    queued = submit(server, a, "-g", "npu:1", "--", "python3", "-c", SHOW)
    server.kill()
    server.start()
    server.run("stop", holder)
    assert server.wait_end(queued)["state"] == "succeeded"
    assert server.rank_log(queued).decode().strip() == a.expected("a")


def test_variables_of_the_servers_shell_do_not_reach_the_job(server, shells):
    env = environment_of(server, shells[0], env={"PYTHONPATH": "/from/a", "LD_LIBRARY_PATH": "libs", "CONDA_PREFIX": "/conda"})
    assert env["PATH"] == shells[0].env["PATH"]
    assert env["VIRTUAL_ENV"] == str(shells[0].venv)
    assert env["PYTHONPATH"].split(":")[-1] == "/from/a" and str(server.library) not in env["PYTHONPATH"]
    assert env["LD_LIBRARY_PATH"] == f"{shells[0].folder}/libs" and env["CONDA_PREFIX"] == "/conda"
    assert env["MUSTER_SUBMIT_DIR"] == str(shells[0].folder)
    assert env["SERVER_SETTING"] == "1" and "LC_ALL" not in env
    assert "server-secret" not in env.values() and "SSH_CLIENT" not in env


def test_secrets_are_taken_only_by_their_full_names(server, shells):
    shell = {"HF_TOKEN": "s3cret", "HF_HOME": "/hf", "CONDA_TOKEN": "s3cret", "OTHER": "x"}
    assert not {"HF_TOKEN", "HF_HOME", "CONDA_TOKEN", "OTHER"} & set(environment_of(server, shells[0], env=shell))
    env = environment_of(server, shells[0], "--export", "inherit,HF_*", env=shell)
    assert env["HF_HOME"] == "/hf" and "HF_TOKEN" not in env and env["VIRTUAL_ENV"]
    assert environment_of(server, shells[0], "--export", "HF_TOKEN", env=shell)["HF_TOKEN"] == "s3cret"
    assert environment_of(server, shells[0], "-e", "HF_TOKEN", "-e", "A=1", env=shell)["HF_TOKEN"] == "s3cret"
    missing = run(server, shells[0], "run", "-e", "NO_SUCH", "--", "true", check=False)
    assert missing.returncode == 2 and "NO_SUCH" in missing.stderr
    everything = run(server, shells[0], "run", "--export", "ALL", "--", "true", check=False)
    assert everything.returncode == 2 and "inherit" in everything.stderr


@pytest.mark.parametrize("choice, expected", [
    ("inherit", {"VIRTUAL_ENV": "a", "HF_HOME": None, "A": None}),
    ("none", {"VIRTUAL_ENV": "server", "HF_HOME": None, "A": None}),
    ("[HF_HOME, A=1]", {"VIRTUAL_ENV": "server", "HF_HOME": "/hf", "A": "1"}),
    ("[inherit, HF_HOME]", {"VIRTUAL_ENV": "a", "HF_HOME": "/hf", "A": None}),
    ("{A: 2}", {"VIRTUAL_ENV": "a", "HF_HOME": None, "A": "2"}),
])
def test_job_file_chooses_what_is_taken(server, shells, choice, expected):
    a = shells[0]
    job = a.folder / "job.yaml"
    job.write_text(f"run: [env, '-0']\nenv: {choice}\n")
    text = run(server, a, "run", job, env={"HF_HOME": "/hf"}).stdout
    env = dict(entry.partition("=")[::2] for entry in text.split("\0"))
    venvs = {"a": str(a.venv), "server": str(server.shell.venv)}
    assert {name: env.get(name) for name in expected} == {name: venvs.get(value, value) for name, value in expected.items()}


def test_job_of_the_http_api_gets_the_servers_environment_without_secrets(server):
    _, answer = server.post("/jobs", {"spec": {"run": ["env", "-0"]}}, expect=201)
    job_id = answer["jobs"][0]["id"]
    server.wait_end(job_id)
    env = dict(entry.partition("=")[::2] for entry in server.rank_log(job_id).decode().split("\0"))
    assert env["VIRTUAL_ENV"] == str(server.shell.venv) and env["SERVER_SETTING"] == "1" and env["LC_ALL"] == "C"
    assert not {"HF_TOKEN", "DB_PASSWORD", "SSH_CLIENT", "MUSTER_SUBMIT_DIR"} & set(env)
    status, refused = server.post("/jobs", {"spec": {"run": "x", "env": ["HF_TOKEN"]}})
    assert status == 400 and "HF_TOKEN" in json.dumps(refused)


def test_plan_shows_each_value_with_its_source(server, shells):
    a = shells[0]
    words = ["-e", "LR=1", "--export", "inherit,HF_TOKEN", "--", "python3", "-c", "pass"]
    page = run(server, a, "plan", *words, env={"HF_TOKEN": "s3cret"}).stdout
    shell, job, muster, rest = [page.index(f"every rank, from {x}") for x in ("this shell", "the job", "Muster", "the server's environment")]
    assert shell < page.index(f"VIRTUAL_ENV={a.venv}") < job < page.index("LR=1") < muster < page.index("MUSTER_JOB_ID") < rest
    assert "s3cret" not in page and "HF_TOKEN=" in page
    plan = json.loads(run(server, a, "plan", "--json", *words, env={"HF_TOKEN": "s3cret"}).stdout)
    assert plan["env_sources"] == {"VIRTUAL_ENV": "shell", "PATH": "shell", "HF_TOKEN": "shell", "LR": "job"}
    offline = json.loads(run(server, a, "plan", "--offline", "--json", *words, env={"HF_TOKEN": "s3cret"}).stdout)
    assert offline["nodes"][0]["env"]["VIRTUAL_ENV"] == str(a.venv)


@pytest.mark.parametrize("platform", ["modelarts", "apulis"])
def test_platform_job_finds_the_submitters_virtual_environment(server, shells, platform):
    a = shells[0]  # below /tmp, which the platform replaces
    job_id = submit(server, a, "--platform", platform, "--", "python3", "-c", SHOW)
    assert server.wait_end(job_id)["state"] == "succeeded", server.rank_log(job_id)
    assert a.expected("a") in server.rank_log(job_id).decode()
