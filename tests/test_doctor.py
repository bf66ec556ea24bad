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


def test_a_good_script_ends_with_0_and_a_bad_one_with_1(scripts):
    good = doctor("train.py", cwd=scripts)
    assert good.returncode == 0 and good.stdout == "train.py: nothing found\n"
    bad = doctor("train.py", "run.sh", cwd=scripts)
    assert bad.returncode == 1
    assert "run.sh:2: FAIL fixed-address: " in bad.stdout and "run.sh:2: FAIL left-behind: " in bad.stdout
    assert "    next: " in bad.stdout


def test_a_warning_counts_when_asked_to(scripts):
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


def test_what_cannot_be_looked_at_is_told_in_words(scripts):
    (scripts / "data.bin").write_bytes(b"\0\1\2")
    (scripts / "large.py").write_bytes(b"#" * (2 << 20))
    for name, code, words in (("absent.py", 1, "absent.py"), ("data.bin", 2, ".py or .sh"), ("large.py", 1, "large.py"),
                              (".", 1, ".")):
        result = doctor(name, cwd=scripts)
        assert result.returncode == code and words in result.stderr, (name, result.stderr)


def test_every_code_has_its_row_in_the_document():
    rows = set(re.findall(r'^\| `([a-z-]+)` \|', (ROOT / "docs/formats/doctor.md").read_text(), re.M))
    codes = set(re.findall(r'Fault::k\w+,\s*"([a-z-]+)"', (ROOT / "src/checkup/finding.cc").read_text()))
    assert codes and rows == codes
