"""The include arrows between the modules, held to the table in tools/check_sources.py."""
import subprocess
import sys

from conftest import PYTHON, ROOT

sys.path.insert(0, str(ROOT / "tools"))
import check_sources  # noqa: E402


def test_includes_point_down_and_pure_modules_are_pure():
    result = subprocess.run([PYTHON, str(ROOT / "tools/check_sources.py")], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_every_module_has_a_row():
    modules = {p.name for p in (ROOT / "src").iterdir() if p.is_dir()}
    assert modules == set(check_sources.ALLOWED)


def test_wrong_include_is_detected():
    wrong = '#include "store/journal.h"\n#include <ctime>\n'
    faults = list(check_sources.layer_faults("src/dialect/x.cc", wrong, check_sources.ALLOWED, False))
    assert len(faults) == 2
    fine = '#include "engines/engine.h"\n'
    assert not list(check_sources.layer_faults("src/lifecycle/x.cc", fine, check_sources.ALLOWED, False))
    local = '#include "engines/local/local_engine.h"\n'
    assert list(check_sources.layer_faults("src/lifecycle/x.cc", local, check_sources.ALLOWED, False))


def test_skip_whose_reason_comes_from_the_code_under_test_is_found():
    skip = "pytest." + "skip"  # in two parts, for this file is checked as well
    for bad in ("  GTEST_" + "SKIP() << group.error().text;", "  if (!x) GTEST_" + 'SKIP() << "no: " << x.error().text;', f"    {skip}(notes(job)[0])"):
        assert list(check_sources.skip_faults("src/x/x_test.cc", bad)), bad
    for good in ("  if (!MachineAllowsMounts()) GTEST_" + 'SKIP() << "no mounts";', f'    {skip}("not root")', f'    {skip}(f"{{name}}: not here")'):
        assert not list(check_sources.skip_faults("src/x/x_test.cc", good)), good
