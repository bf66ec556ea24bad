"""tools/frameworks.py itself: environments are complete or absent, and what cannot be had is said."""
import base64
import hashlib
import importlib.util
import os
import subprocess
import sys
import zipfile

import pytest

from conftest import ROOT

TOOL = ROOT / "tools/frameworks.py"


@pytest.fixture
def tool(scratch, monkeypatch):
    """The tool with one framework, `tiny`, whose wheel lies in a folder, and with a cache of its own."""
    spec = importlib.util.spec_from_file_location("frameworks_tool", TOOL)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "CACHE", scratch / "cache")
    monkeypatch.setattr(module, "PINS", scratch)
    (scratch / "tiny.txt").write_text("# pinned\ntiny==1.0\n")
    write_wheel(scratch)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(scratch))
    return module


def write_wheel(folder):
    files = {"tiny.py": "answer = 42\n", "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
             "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = ""
    with zipfile.ZipFile(folder / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(text)}\n"
        wheel.writestr("tiny-1.0.dist-info/RECORD", record + "tiny-1.0.dist-info/RECORD,,\n")


def test_environment_is_created_once_and_again_if_incomplete(tool):
    framework = tool.Framework("import tiny; assert tiny.answer == 42")
    python = tool.environment("tiny", framework)
    assert subprocess.run([python, "-c", framework.check]).returncode == 0
    folder = next(path for path in tool.CACHE.iterdir() if path.is_dir())
    (folder / "mark").touch()
    assert tool.environment("tiny", framework) == python
    assert (folder / "mark").exists()
    (folder / "ready").unlink()  # as a killed installation leaves it
    assert tool.environment("tiny", framework) == python
    assert not (folder / "mark").exists()


def test_broken_installation_is_not_kept(tool):
    with pytest.raises(tool.CannotBeHad, match="import tiny.missing"):
        tool.environment("tiny", tool.Framework("import tiny.missing"))
    assert not list(tool.CACHE.glob("tiny-*/ready"))


def test_unreachable_package_index_is_reported_with_the_next_step(scratch):
    env = {**os.environ, "MUSTER_CACHE": str(scratch), "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        env.pop(name, None)
    run = subprocess.run([TOOL, "--out", scratch / "found", "paddle"], env=env, capture_output=True, text=True, timeout=300)
    assert run.returncode == 1
    assert run.stderr.startswith("paddle: NOT AVAILABLE: `")
    assert "-m pip install" in run.stderr and "requirements/paddle.txt` ended with 1" in run.stderr
    assert "Next: see that pip reaches its index" in run.stderr
    assert "missing" in (scratch / "found").read_text()
    assert not list(scratch.glob("frameworks/paddle-*/ready"))


def test_missing_interpreter_is_named(tool, monkeypatch):
    monkeypatch.setenv("MUSTER_PYTHONS", "/nonexistent:/usr/bin/python3")
    with pytest.raises(tool.CannotBeHad, match="it needs Python 2.1, and none was found in MUSTER_PYTHONS"):
        tool.find_python(("2.1",))
    assert tool.find_python((tool.version_of("/usr/bin/python3"),)) == "/usr/bin/python3"


def test_unknown_framework_is_refused():
    run = subprocess.run([TOOL, "tensorflwo"], capture_output=True, text=True)
    assert run.returncode == 2 and "unknown: tensorflwo; there are pytorch " in run.stderr
