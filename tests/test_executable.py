"""The one file: static, small, and at home on any machine."""
import os
import re
import shutil
import subprocess

import pytest
from conftest import MUSTER

CHROOT = shutil.which("chroot", path="/usr/sbin:/usr/bin")


def test_executable_is_one_static_file_of_at_most_17_mb():
    assert os.path.getsize(MUSTER) <= 17_000_000  # with the web console
    kind = subprocess.run(["readelf", "-lW", MUSTER], capture_output=True, text=True, check=True).stdout
    assert "INTERP" not in kind, "it asks for a loader"
    needed = subprocess.run(["readelf", "-dW", MUSTER], capture_output=True, text=True, check=True).stdout
    assert "NEEDED" not in needed
    assert "DYN" in subprocess.run(["readelf", "-h", MUSTER], capture_output=True, text=True).stdout, "not position-independent"


def test_version_has_commit_and_build_date():
    text = subprocess.run([MUSTER, "--version"], capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"muster \d+\.\d+\.\d+ \(commit ([0-9a-f]{12}|unknown), built \d{4}-\d\d-\d\d\)\n", text), text


@pytest.mark.skipif(os.geteuid() != 0, reason="chroot is for root")
def test_executable_starts_in_an_empty_chroot(scratch):
    shutil.copy(MUSTER, scratch / "muster")
    result = subprocess.run([CHROOT, str(scratch), "/muster", "--version"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    # The server, too, asks nothing of a place that has nothing.
    process = subprocess.Popen([CHROOT, str(scratch), "/muster", "server", "--data", "/data", "--nodes", "1x1npu"],
                               stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if "listens on" in line:
                break
        listed = subprocess.run([CHROOT, str(scratch), "/muster", "nodes"], capture_output=True, text=True,
                                env={"MUSTER_DATA": "/data"}, timeout=60)
        assert listed.returncode == 0, listed.stderr
        assert "node-0" in listed.stdout
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()
