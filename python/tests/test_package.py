"""The package itself: every Python from 3.7 on reads it, and it knows the others of its name."""
import ast
import os
import pathlib
import re
import subprocess
import sys

import pytest
from support import PYTHON, no_store  # noqa: F401

VERSIONS = ["3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13"]


def find_python(version):
    """An interpreter of this version: on the path, or among those of pyenv."""
    for place in os.environ.get("PATH", "").split(":"):
        if os.access(pathlib.Path(place) / ("python" + version), os.X_OK) and "shims" not in place:
            return pathlib.Path(place) / ("python" + version)
    found = sorted(pathlib.Path(os.path.expanduser("~/.pyenv/versions")).glob(version + ".*/bin/python"))
    return found[0] if found else None


def run(python, text, *path, **env):
    return subprocess.run([str(python), "-B", "-c", text], capture_output=True, text=True, timeout=120,
                          env={"PYTHONPATH": ":".join(map(str, path)), "PATH": os.environ["PATH"], **env})


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_imports_and_copies(version, tmp_path):
    python = find_python(version)
    if python is None:
        pytest.skip("there is no Python %s on this machine" % version)
    (tmp_path / "a").write_text("x")
    text = ("import sys, warnings; warnings.simplefilter('error')\nimport moxing as mox\n"
            "assert sys.version_info[:2] == (%s)\n"
            "mox.file.copy_parallel(%r, %r); mox.file.shift('os', 'mox'); print(mox.file.list_directory(%r))" %
            (version.replace(".", ", "), str(tmp_path), str(tmp_path) + "-to", str(tmp_path) + "-to"))
    done = run(python, text, PYTHON)
    assert done.stdout == "['a']\n", done.stderr


def test_it_is_written_in_the_python_of_3_7():
    for path in sorted(PYTHON.glob("moxing/**/*.py")):
        ast.parse(path.read_text(), feature_version=(3, 7))
        assert len(path.read_text().splitlines()) <= 400, path


def test_the_build_lists_every_file():
    listed = re.search(r"set\(MUSTER_PYTHON_FILES(.*?)\)", (PYTHON / "CMakeLists.txt").read_text(), re.DOTALL).group(1).split()
    assert sorted(listed) == sorted(str(p.relative_to(PYTHON)) for p in PYTHON.glob("moxing/**/*.py"))


def package(folder, **files):
    for name, text in files.items():
        path = folder / "moxing" / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for above in path.parents:
            if above == folder:
                break
            init = above / "__init__.py"
            init.touch()
    return folder


def test_the_genuine_package_is_left_alone(tmp_path):
    genuine = package(tmp_path, framework__file__file_io="def copy_parallel(*_): return 'genuine'\n")
    (genuine / "moxing/__init__.py").write_text("from moxing.framework.file import file_io as file\n")
    done = run(sys.executable, "import moxing as mox\nprint(mox.file.copy_parallel('a', 'b'), mox.__file__)\n"
               "import moxing.framework.file.file_io as f\nprint(f.__file__)", PYTHON, genuine)
    assert done.stdout.split() == ["genuine", str(genuine / "moxing/__init__.py"),
                                   str(genuine / "moxing/framework/file/file_io.py")], done.stderr


def test_an_unrelated_package_is_passed_over_and_named_once(tmp_path):
    other = package(tmp_path, server="raise SystemExit('the wrong package')\n")
    text = "import moxing as mox\nimport moxing\nprint(mox.file.exists('/'))"
    done = run(sys.executable, text, PYTHON, other)
    assert done.stdout == "True\n" and done.stderr.count("is another package of this name") == 1
    assert str(other) in done.stderr
    assert run(sys.executable, text, PYTHON, other, MUSTER_RANK="3").stderr == ""
    assert run(sys.executable, text, PYTHON, other, MOX_SILENT_MODE="1").stderr == ""


@pytest.mark.parametrize("silent, said", [("0", 1), ("1", 0)])
def test_an_empty_source_is_told_unless_silent(tmp_path, silent, said):
    text = "import moxing as mox; mox.file.copy_parallel(%r, %r)" % (str(tmp_path), str(tmp_path) + "-to")
    done = run(sys.executable, text, PYTHON, MOX_SILENT_MODE=silent)
    assert done.returncode == 0 and done.stderr.count("No files to copy") == said


def test_alone_it_says_nothing():
    done = run(sys.executable, "import moxing as mox; mox.file.exists('/')", PYTHON)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
