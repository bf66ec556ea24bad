"""`muster doctor SCRIPT`: faults of scripts, found without running them."""
import json
import re
import subprocess

import pytest
from conftest import MUSTER, ROOT

GOOD = "import os\nrank = int(os.environ['RANK'])\nprint(rank)\n"
BAD = "#!/bin/bash\npython3 train.py --master_addr=10.20.30.40 &\n"


def doctor(*words, cwd=None):
    return subprocess.run([MUSTER, "doctor", *map(str, words)], capture_output=True, text=True, timeout=60, cwd=cwd,
                          env={"NO_COLOR": "1", "PATH": "/usr/bin:/bin"})


@pytest.fixture
def scripts(tmp_path):
    (tmp_path / "train.py").write_text(GOOD)
    (tmp_path / "run.sh").write_text(BAD)
    return tmp_path


def test_exit_code_is_0_for_a_good_script_and_1_for_a_failure(scripts):
    good = doctor("train.py", cwd=scripts)
    assert good.returncode == 0 and good.stdout == "train.py: no findings\n"
    bad = doctor("train.py", "run.sh", cwd=scripts)
    assert bad.returncode == 1
    assert "run.sh:2: FAIL fixed-address: " in bad.stdout and "run.sh:2: FAIL left-behind: " in bad.stdout
    assert "    next: " in bad.stdout


def test_strict_makes_a_warning_a_failure(scripts):
    (scripts / "warn.sh").write_text("torchrun --nproc_per_node=8 train.py\n")
    assert doctor("warn.sh", cwd=scripts).returncode == 0
    assert doctor("--strict", "warn.sh", cwd=scripts).returncode == 1


def test_json_has_every_member(scripts):
    answer = json.loads(doctor("--json", "run.sh", cwd=scripts).stdout)
    (file,) = answer["files"]
    assert file["file"] == "run.sh" and file["language"] == "shell"
    for finding in file["findings"]:
        assert set(finding) == {"code", "grade", "line", "said", "reason", "next"}
        assert finding["grade"] in ("warn", "fail") and finding["line"] == 2


def test_unreadable_files_are_reported_with_the_reason(scripts):
    (scripts / "data.bin").write_bytes(b"\0\1\2")
    (scripts / "large.py").write_bytes(b"#" * (2 << 20))
    for name, code, words in (("absent.py", 1, "absent.py"), ("data.bin", 2, ".py or .sh"), ("large.py", 1, "large.py"),
                              (".", 1, ".")):
        result = doctor(name, cwd=scripts)
        assert result.returncode == code and words in result.stderr, (name, result.stderr)


def test_missing_file_does_not_hide_findings_of_the_others(scripts):
    result = doctor("absent.py", "run.sh", cwd=scripts)
    assert result.returncode == 1 and "absent.py" in result.stderr
    assert "run.sh:2: FAIL fixed-address: " in result.stdout
    answer = json.loads(doctor("--json", "absent.py", "run.sh", cwd=scripts).stdout)
    assert [sorted(file) for file in answer["files"]] == [["error", "file"], ["file", "findings", "language"]]


def test_syntax_errors_and_carriage_returns_are_failures(scripts):
    (scripts / "broken.py").write_text("import os\nfor x in range(3)\n    print(x)\n")
    (scripts / "broken.sh").write_text("if true; then\n  echo\ndone\n")
    (scripts / "windows.sh").write_bytes(b"#!/bin/bash\r\nif true; then\r\n  echo 1\r\nfi\r\n")
    result = doctor("broken.py", "broken.sh", "windows.sh", cwd=scripts)
    assert result.returncode == 1 and result.stderr == ""
    assert re.search(r"^broken.py:2: FAIL syntax-error: Python 3\.\d+: expected ':'", result.stdout, re.M), result.stdout
    assert "broken.sh:3: FAIL syntax-error: bash: syntax error near unexpected token" in result.stdout
    assert "windows.sh:0: FAIL carriage-returns: " in result.stdout and "windows.sh:1" not in result.stdout


def test_every_code_has_its_row_in_the_document():
    rows = set(re.findall(r'^\| `([a-z-]+)` \|', (ROOT / "docs/formats/doctor.md").read_text(), re.M))
    codes = set(re.findall(r'Fault::k\w+,\s*"([a-z-]+)"', (ROOT / "src/checkup/finding.cc").read_text()))
    assert codes and rows == codes
