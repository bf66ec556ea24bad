"""`make install`: what it puts where, and that the manual pages are readable."""
import re
import shutil
import subprocess

import pytest

from conftest import MUSTER, ROOT


@pytest.fixture
def installed(tmp_path):
    destination = tmp_path / "package root"
    done = subprocess.run([ROOT / "tools/install.sh"], env={"PATH": "/usr/bin:/bin", "MUSTER": MUSTER, "DESTDIR": str(destination),
                                                            "PREFIX": "/opt/muster"}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    prefix = destination / "opt/muster"
    assert done.stdout.splitlines()[0] == str(prefix / "bin/muster")
    return prefix


def muster(*arguments):
    return subprocess.run([MUSTER, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


def test_installed_executable_runs_and_completions_are_its_own(installed):
    done = subprocess.run([installed / "bin/muster", "version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == muster("version")
    for shell, path in (("bash", "share/bash-completion/completions/muster"), ("zsh", "share/zsh/site-functions/_muster"),
                        ("fish", "share/fish/vendor_completions.d/muster.fish")):
        assert (installed / path).read_text() == muster("completion", shell)


def test_every_verb_has_a_manual_page(installed):
    verbs = [line.split()[0].rstrip(",") for line in re.findall(r"^  (\S.*)", muster("help"), re.MULTILINE)]
    pages = {page.name for page in (installed / "share/man/man1").iterdir()}
    assert len(verbs) > 15 and pages == {"muster.1", *(f"muster-{verb}.1" for verb in verbs)}


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed (apt-get install groff)")
def test_manual_pages_are_formatted_without_a_warning(installed):
    for page in sorted((installed / "share/man/man1").iterdir()):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-cbou", page], capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", (page.name, done.stderr)
    assert "--nodes" in subprocess.run(["groff", "-man", "-Tutf8", "-P-cbou", installed / "share/man/man1/muster-run.1"], capture_output=True,
                                       text=True).stdout


def test_unit_runs_the_installed_executable_and_leaves_jobs_running(installed):
    unit = (installed / "lib/systemd/system/muster.service").read_text()
    assert "ExecStart=/opt/muster/bin/muster server " in unit and "@" not in unit and "package root" not in unit
    assert "KillMode=process\n" in unit and "User=muster\n" in unit
    assert "u muster " in (installed / "lib/sysusers.d/muster.conf").read_text()


def test_relative_prefix_is_refused(tmp_path):
    done = subprocess.run([ROOT / "tools/install.sh"], env={"PATH": "/usr/bin:/bin", "MUSTER": MUSTER, "PREFIX": "local"}, capture_output=True,
                          text=True)
    assert done.returncode == 2 and "PREFIX must be an absolute path" in done.stderr


def test_build_prints_progress_without_a_terminal(tmp_path):
    """A stand-in for ninja: its status lines become few progress lines; everything else is kept."""
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy(ROOT / "tools/build.sh", tools)
    (tmp_path / "build/release").mkdir(parents=True)
    (tmp_path / "build/release/build.ninja").touch()
    ninja = tmp_path / "bin/ninja"
    ninja.parent.mkdir()
    ninja.write_text('#!/bin/sh\necho "ninja: Entering directory"\nfor i in 1 2 3; do echo "${NINJA_STATUS}Building" | '
                     'sed "s/%f/$i/; s/%t/3/"; done\necho "x.cc:1: error: wrong"\nexit ${FAILS:-0}\n')
    ninja.chmod(0o755)
    for fails in (0, 1):
        done = subprocess.run([tools / "build.sh", "release"], capture_output=True, text=True,
                              env={"PATH": f"{ninja.parent}:/usr/bin:/bin", "PROGRESS_SECONDS": "0", "FAILS": str(fails)})
        assert done.returncode == fails
        assert done.stdout == "Compiling: 1 of 3\nCompiling: 2 of 3\nCompiling: 3 of 3\nx.cc:1: error: wrong\n"
