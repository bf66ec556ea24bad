"""Which folder is sent as a job's code, and what its command may name."""
import textwrap

import pytest
from conftest import PYTHON

MAIN = """
import sys
import helper
print(helper.NAME, sys.executable, sys.argv[1:])
"""


@pytest.fixture
def project(scratch):
    """A folder with a script that imports a module beside it."""
    folder = scratch / "project"
    folder.mkdir()
    (folder / "main.py").write_text(MAIN)
    (folder / "helper.py").write_text("NAME = 'own helper'\n")
    return folder


def write(folder, name, text):
    (folder / name).write_text(textwrap.dedent(text))
    return folder / name


def no_jobs(server):
    assert server.get("/jobs")["jobs"] == []


@pytest.mark.parametrize("command", ["main.py -a 'x y'", "./main.py -a 'x y'", "[main.py, -a, x y]", "main.py -a \"x y\" $NOTHING",
                                     f"{PYTHON} main.py -a 'x y'"])
def test_script_of_a_job_file_runs_with_its_module_and_arguments(server, project, command):
    job = write(project, "job.yaml", f"python: {PYTHON}\nrun: {command}\n")
    result = server.run("run", job, cwd="/")
    assert f"own helper {PYTHON} ['-a', 'x y']" in result.stdout
    assert f"code: {project} (the command names main.py): 3 files" in result.stderr


@pytest.mark.parametrize("words", [["main.py", "-a", "x y"], ["./main.py", "-a", "x y"], [PYTHON, "-u", "main.py", "-a", "x y"],
                                   ["sh", "-c", f"{PYTHON} main.py -a 'x y'"], [PYTHON, "-m", "main", "-a", "x y"]])
def test_script_on_the_command_line_runs_with_its_module_and_arguments(server, project, words):
    result = server.run("run", "--python", PYTHON, "--", *words, cwd=project)
    assert f"own helper {PYTHON} ['-a', 'x y']" in result.stdout
    assert f"code: {project} (the command names main.py): 2 files" in result.stderr


def test_shell_script_needs_no_execute_bit(server, project):
    write(project, "run.sh", "echo script of $1 in $(ls | tr '\\n' ' ')\n")
    assert "script of bash in helper.py main.py run.sh" in server.run("run", "--", "run.sh", "bash", cwd=project).stdout


def test_job_without_files_sends_no_code_and_says_so(server, project):
    result = server.run("run", "--", "echo", "hello", cwd=project)
    assert f"code: none is sent (the command names no file in {project})" in result.stderr
    assert "snapshot" not in result.stderr


def test_excluded_script_is_refused_with_the_line_that_sends_it(server, project):
    write(project, ".gitignore", "main*\n")
    result = server.run("run", "-d", "--", PYTHON, "main.py", cwd=project, check=False)
    assert result.returncode == 2
    assert "main.py is left out of the code" in result.stderr and ".musterignore" in result.stderr
    no_jobs(server)
    write(project, ".musterignore", "!/main.py\n")
    assert "own helper" in server.run("run", "--", PYTHON, "main.py", cwd=project).stdout


def test_excluded_own_module_is_refused_instead_of_called_missing(server, project):
    write(project, ".gitignore", "helper.py\n")
    result = server.run("run", "-d", "--", PYTHON, "main.py", cwd=project, check=False)
    assert result.returncode == 2
    assert "main.py imports helper.py" in result.stderr and "'!/helper.py'" in result.stderr
    no_jobs(server)


def test_data_file_in_an_excluded_folder_is_refused(server, project):
    write(project, ".gitignore", "data/\n")
    (project / "data").mkdir()
    write(project, "data/a.csv", "1\n")
    result = server.run("run", "-d", "--", "cat", "data/a.csv", cwd=project, check=False)
    assert result.returncode == 2 and "data/ is left out" in result.stderr
    no_jobs(server)
    assert server.run("run", "--", "cat", project / "data/a.csv", cwd=project).stdout == "1\n"


@pytest.mark.parametrize("flags, words", [(["--code", "none"], ["without code"]), (["--code", "sub"], ["not in the code folder"])])
def test_script_outside_of_the_named_code_is_refused(server, project, flags, words):
    (project / "sub").mkdir()
    result = server.run("run", "-d", *flags, "--", PYTHON, "main.py", cwd=project, check=False)
    assert result.returncode == 2
    assert all(word in result.stderr for word in words)
    plan = server.run("plan", *flags, "--", PYTHON, "main.py", cwd=project, check=False)
    assert plan.returncode == 2 and words[0] in plan.stderr
    no_jobs(server)


def test_advice_for_an_own_module_names_the_search_path_and_no_installation(server, project):
    (project / "tools").mkdir()
    write(project, "tools/go.py", "import helper\n")
    result = server.run("run", "--", PYTHON, "tools/go.py", cwd=project, check=False)
    assert result.returncode == 1
    assert "helper is in the job's own code (helper.py)" in result.stderr and "PYTHONPATH" in result.stderr
    assert "nstall" not in result.stderr
    fixed = server.run("run", "-e", "PYTHONPATH=.", "--", PYTHON, "tools/go.py", cwd=project)
    assert fixed.returncode == 0


def test_advice_for_a_job_without_code_offers_to_send_it(server, project):
    result = server.run("run", "--", PYTHON, "-c", "import helper", cwd=project, check=False)
    assert "if helper is a module of your own, send its folder" in result.stderr


def test_missing_program_is_reported_without_the_search_path(server):
    path = "/bin:/usr/bin:/some/long/folder"
    result = server.run("run", "-e", f"PATH={path}", "--", "no-such-program", "x", check=False)
    assert result.returncode == 127
    assert 'cannot find the program "no-such-program" in any folder of PATH' in result.stderr
    listing = server.run("ps", "-a").stdout + server.run("describe", server.get("/jobs")["jobs"][0]["id"]).stdout
    assert "/some/long/folder" not in result.stderr + listing


def test_virtual_environment_in_the_project_is_left_out_and_usable_by_its_path(server, project):
    (project / "venv/bin").mkdir(parents=True)
    write(project, "venv/pyvenv.cfg", "home = /usr/bin\n")
    (project / "venv/bin/python").symlink_to(PYTHON)
    result = server.run("run", "--python", "venv/bin/python", "--", "main.py", cwd=project)
    assert f"own helper {project}/venv/bin/python []" in result.stdout
    assert "left out of the code" in result.stderr and "venv/" in result.stderr
