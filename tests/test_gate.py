"""What the gate runs before a merge: the choice of the heavy suites, the files they depend on, the counting of tests."""
import dataclasses
import subprocess
import sys

from conftest import PYTHON, ROOT

sys.path.insert(0, str(ROOT / "tools"))
import gate  # noqa: E402
import gate_plan  # noqa: E402
import gate_suites  # noqa: E402
import test_report  # noqa: E402
from gate_plan import Budget, Past, Suite, Why  # noqa: E402


def suite(name, key="new", estimate=100, resumes=True):
    return Suite(name, key, (), estimate, resumes)


def passed(key="new", last_run=1000, seconds=100):
    return Past((key,), last_run, last_run, seconds, False)


def chosen(suites, record, left, rotation=240, fresh=True):
    choice = gate_plan.choose(suites, record, Budget(left, rotation, fresh))
    return choice and (choice.suite.name, choice.why)


def names_until_the_time_is_over(suites, record, left, rotation=240):
    """Plays a gate run in which every suite takes its estimated time."""
    ran, waiting, fresh = [], list(suites), True
    while choice := gate_plan.choose(waiting, record, Budget(left, rotation, fresh)):
        waiting.remove(choice.suite)
        seconds = min(gate_plan.estimate(choice.suite, record.get(choice.suite.name, Past())), choice.seconds)
        left -= seconds
        if choice.why == Why.ROTATION:
            rotation -= seconds
        else:
            fresh = False
        ran.append(choice.suite.name)
    return ran, left


def test_changed_suite_runs_before_suite_that_passed_with_same_files():
    record = {"a": passed(last_run=1), "b": passed(key="old", last_run=2)}
    assert chosen([suite("a"), suite("b")], record, 600) == ("b", Why.CHANGED)


def test_unchanged_suites_rotate_oldest_run_first():
    record = {"a": passed(last_run=30), "b": passed(last_run=10), "c": passed(last_run=20)}
    ran, _ = names_until_the_time_is_over([suite("a"), suite("b"), suite("c")], record, 600)
    assert ran == ["b", "c"]  # 240 s for rotation hold two suites of 100 s


def test_failed_suite_runs_first():
    record = {"a": Past((), 0, 5, 100, False), "b": dataclasses.replace(passed(last_run=9), failed=True)}
    assert chosen([suite("a"), suite("b")], record, 600) == ("b", Why.FAILED)


def test_budget_wins_when_every_suite_changed():
    suites = [suite(f"s{i}") for i in range(50)]
    ran, left = names_until_the_time_is_over(suites, {}, 840)
    assert len(ran) == 8 and 0 <= left < 100


def test_no_suite_starts_in_the_last_minute():
    assert chosen([suite("a", estimate=10)], {}, 59) is None
    assert chosen([suite("a", estimate=10)], {}, 60) == ("a", Why.NEW)


def test_first_suite_longer_than_the_budget_is_started_and_interrupted():
    choice = gate_plan.choose([suite("long", estimate=2000)], {}, Budget(300, 240, True))
    assert (choice.suite.name, choice.seconds) == ("long", 300)
    assert chosen([suite("long", estimate=2000)], {}, 300, fresh=False) is None


def test_suite_that_keeps_nothing_when_interrupted_starts_only_where_it_fits():
    assert chosen([suite("torture", estimate=2000, resumes=False)], {}, 300) is None
    assert chosen([suite("torture", estimate=200, resumes=False)], {}, 300) == ("torture", Why.NEW)


def test_interrupted_suite_goes_to_the_end_of_its_group():
    record = {"a": gate_plan.after(Past(), "new", "interrupted", 300, now=50)}
    assert record["a"].seconds == 450 and record["a"].passed == ()
    assert chosen([suite("a"), suite("b")], record, 600) == ("b", Why.NEW)


def test_all_suites_run_within_a_few_gates_although_each_has_time_for_two():
    suites, record, seen = [suite(f"s{i}") for i in range(6)], {}, []
    for now in range(1, 4):
        ran, _ = names_until_the_time_is_over(suites, record, 250)
        for name in ran:
            record[name] = gate_plan.after(record.get(name, Past()), "new", "passed", 100, now)
        seen += ran
    assert sorted(seen) == [f"s{i}" for i in range(6)]


def test_content_that_passed_before_is_known_after_a_switch_between_branches():
    past = gate_plan.after(passed(key="one"), "two", "passed", 100, 2000)
    assert gate_plan.why(suite("a", key="one"), past) == Why.ROTATION
    assert gate_plan.why(suite("a", key="three"), past) == Why.CHANGED


def test_left_out_suite_names_the_reason():
    record = {"a": passed(key="old", seconds=480), "b": passed()}
    budget = Budget(190, 240, False)
    assert gate_plan.why_left_out(suite("a"), record, budget) == "changed since it last passed; it takes about 8 min, and 3 min are left"
    assert gate_plan.why_left_out(suite("b"), record, budget) == "unchanged since it passed"


def test_module_suites_depend_on_their_own_tests_and_on_lower_product_sources():
    files = gate_suites.sources_of("http")
    assert "src/http/server_test.cc" in files and "src/os/file.cc" in files and "cmake/options.cmake" in files
    assert not [name for name in files if name.startswith(("src/cli/", "src/launcher/"))]
    assert not [name for name in files if name.startswith("src/os/") and name.endswith("_test.cc")]


def test_every_module_and_every_fuzz_target_has_a_suite():
    names = [one.name for one in gate_suites.all_suites()]
    assert len(set(names)) == len(names)
    for module in gate_suites.modules():
        assert f"asan {module}" in names
    commands = " ".join(" ".join(one.command) for one in gate_suites.all_suites())
    for target in (ROOT / "src").glob("*/*_fuzz.cc"):
        assert target.stem.removesuffix("_fuzz") in commands


def test_interrupted_step_ends_with_its_children_and_counts_no_failure():
    step = gate.run("sleeping", ["sh", "-c", "echo begun; sleep 600 & wait"], limit=1)
    assert step.result == "interrupted" and step.counts == (0, 0) and step.seconds < 30


def test_failed_step_without_counts_is_one_failure():
    assert gate.run("failing", ["sh", "-c", "exit 3"]).counts == (0, 1)
    assert gate.run("counting", ["sh", "-c", "echo 7 passed, 2 failed; exit 1"]).counts == (7, 2)
    assert gate.run("pytest", ["sh", "-c", "echo '12 passed, 1 skipped in 3.21s'"]).counts == (12, 0)


def test_step_reports_what_it_left_out():
    assert gate.run("lint", ["echo", "left out: clang-tidy of 3 sources"]).left_out == ["clang-tidy of 3 sources"]


def test_record_survives_and_a_damaged_record_is_empty(tmp_path, monkeypatch):
    monkeypatch.setattr(gate, "RECORD", tmp_path / "muster/gate.json")
    gate.note("a", "key", "passed", 12.5)
    gate.note("b", "key", "failed", 1)
    record = gate.read_record()
    assert record["a"].passed == ("key",) and record["a"].seconds == 12.5 and record["b"].failed
    gate.RECORD.write_text('{"a": ')
    assert gate.read_record() == {}


def test_skipped_tests_are_listed_with_their_reasons(tmp_path):
    report = tmp_path / "os_test.xml"
    report.write_text('<testsuites><testsuite name="S">'
                      '<testcase classname="S" name="Good" status="run" result="completed"/>'
                      '<testcase classname="S" name="Bad" status="run"><failure message="x"/></testcase>'
                      '<testcase classname="S" name="Off" status="notrun" result="suppressed"/>'
                      '<testcase classname="S" name="V6" status="run" result="skipped">'
                      '<skipped message="/a/machine_test.cc:116&#x0A;this machine has no IP version 6&#x0A;"/></testcase>'
                      '</testsuite></testsuites>')
    skips = tmp_path / "skips"
    done = subprocess.run([PYTHON, ROOT / "tools/test_report.py", "--skips", skips, report], capture_output=True, text=True, check=True)
    assert done.stdout == "1 1 1\n"
    assert skips.read_text() == "  S.V6: this machine has no IP version 6\n"


def test_report_of_a_crashed_program_counts_as_one_failure(tmp_path):
    assert test_report.read(tmp_path / "missing.xml") == ({"failed": 1}, [])


def played(tmp_path, monkeypatch, capfd, suites, everything=False, minutes=20):
    """A gate whose suites are these commands, and what it prints at its end."""
    monkeypatch.setattr(gate, "RECORD", tmp_path / "gate.json")
    monkeypatch.setattr(gate_suites, "all_suites", lambda: [Suite(name, "key", ("sh", "-c", command), 60) for name, command in suites])
    one = gate.Gate(everything)
    one.minutes = minutes
    one.heavy()
    code = one.report()
    return code, capfd.readouterr().out.splitlines()


def test_gate_lists_what_ran_and_what_was_left_out_and_counts_last(tmp_path, monkeypatch, capfd):
    code, lines = played(tmp_path, monkeypatch, capfd, [("one", "echo 3 passed, 0 failed"), ("two", "echo 2 passed, 0 failed")])
    assert code == 0 and lines[-1] == "5 passed, 0 failed"
    assert any("one: passed in 0 min 0 s, 3 passed, 0 failed (has not passed yet)" in line for line in lines)
    assert not [line for line in lines if line.startswith("Left out")]
    assert gate.read_record()["two"].passed == ("key",)


def test_gate_leaves_suites_out_after_a_failure(tmp_path, monkeypatch, capfd):
    code, lines = played(tmp_path, monkeypatch, capfd, [("one", "echo 1 passed, 2 failed; exit 1"), ("two", "true")])
    assert code == 1 and lines[-1] == "1 passed, 2 failed"
    assert "  two: an earlier step failed" in lines
    assert gate.read_record()["one"].failed and "two" not in gate.read_record()


def test_gate_without_time_runs_nothing_and_says_so(tmp_path, monkeypatch, capfd):
    code, lines = played(tmp_path, monkeypatch, capfd, [("one", "exit 1")], minutes=0.5)
    assert code == 0 and lines[-1] == "0 passed, 0 failed"
    assert "  one: has not passed yet; it takes about 1 min, and 0 min are left" in lines


def test_check_runs_all_suites_although_one_fails(tmp_path, monkeypatch, capfd):
    code, lines = played(tmp_path, monkeypatch, capfd, [("one", "exit 1"), ("two", "echo 4 passed")], everything=True)
    assert code == 1 and lines[-1] == "4 passed, 1 failed"
