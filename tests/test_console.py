"""The web console: its unit tests, and the pages in Chromium against a real server."""
import os
import pathlib
import shutil
import subprocess

import pytest

from conftest import MUSTER, ROOT

CONSOLE = ROOT / "console"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
STORIES = sorted(path.name for path in (ROOT / "tests/console").glob("*.test.mjs"))

pytestmark = pytest.mark.skipif(not (shutil.which("npm") and (CONSOLE / "node_modules").is_dir()), reason="npm is not installed")


def run(*command, cwd, seconds, env=None):
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=seconds, env={**os.environ, "NO_COLOR": "1", **(env or {})})
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr[-4000:]


def test_types_are_right():
    run("node_modules/.bin/tsc", "--noEmit", cwd=CONSOLE, seconds=120)


def test_unit_tests_pass():
    run("node_modules/.bin/vitest", "run", cwd=CONSOLE, seconds=120)


@pytest.mark.skipif(not pathlib.Path(CHROMIUM).exists(), reason="chromium is not installed")
@pytest.mark.parametrize("story", STORIES)
def test_pages_in_chromium(story):
    run("node", "--test", f"tests/console/{story}", cwd=ROOT, seconds=240, env={"MUSTER": MUSTER, "CHROMIUM": CHROMIUM})
