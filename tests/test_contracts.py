"""docs/launch_contracts.md and the golden orders say the same: every variable of a table is pinned by the golden file that
its row names, and every variable of a golden file has a row."""
import json
import re

import pytest
from conftest import ROOT

GOLDEN = ROOT / "src/dialect/golden"
COMMON = ["Every job", "Devices", "Networks"]
# Contracts that a framework or a platform takes over from another.
OTHERS = {"mindspore": ["mpi"], "horovod": ["mpi"], "modelarts": ["custom", "mindspore", "pytorch", "tensorflow"],
          "modelarts-v1": ["modelarts", "custom", "paddle", "tensorflow"], "apulis": ["custom", "horovod", "mpi"]}
OF_THE_TESTS = {"MODE", "MA_RUN_METHOD", "epochs", "BATCH_demo.0_HOSTS"}


def rows():
    """(section, name, golden file) for every variable of every table."""
    section = None
    for line in (ROOT / "docs/launch_contracts.md").read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3 and section != "Rank tables":
            for name in re.findall(r"`(\w+)`", cells[0]):
                yield section, name, cells[2]


def variables(path):
    names = set()
    for order in json.loads(path.read_text()):
        names |= set(order["env"])
        for rank in order["ranks"]:
            names |= set(rank["env"])
    return names


def test_document_has_a_section_for_every_framework():
    frameworks = {path.name.split("_")[0] for path in GOLDEN.glob("*.json")}
    assert frameworks == {section for section, _, _ in rows()} - set(COMMON)


@pytest.mark.parametrize("section, name, golden", list(rows()))
def test_each_row_matches_its_golden_file(section, name, golden):
    assert name in variables(GOLDEN / f"{golden}.json")


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_each_variable_of_a_golden_file_has_a_row(path):
    framework = path.name.split("_")[0]
    sections = COMMON + [framework] + OTHERS.get(framework, [])
    known = {name for section, name, _ in rows() if section in sections}
    assert variables(path) - known - OF_THE_TESTS == set()
