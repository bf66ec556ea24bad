"""The arithmetic and the table of the measures in perf/: no clock, no server."""
import math
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "perf"))

from frame import page, samples, table  # noqa: E402  (the path above must be there first)
from frame.timing import turns  # noqa: E402


def test_samples_have_median_and_interquartile_range():
    series = samples.Samples.of([5, 1, 4, 2, 3])
    assert series.median == 3
    assert series.spread == (2, 4)
    assert samples.Samples.of([1, 2]).spread == (1.25, 1.75)
    assert samples.Samples.of(7).spread == (7, 7)


@pytest.mark.parametrize("values", [[], [math.nan], [1, math.inf]])
def test_samples_without_finite_numbers_are_rejected(values):
    with pytest.raises(ValueError):
        samples.Samples.of(values)


def test_ratio_above_one_means_better_for_times_and_for_rates():
    assert samples.faster("m", "w", [10, 20, 30], "p", 60, 2).ratio == 3
    assert samples.more("m", "w", [10, 20, 30], "p", 5, 2).ratio == 4
    assert samples.faster("m", "w", 0, "p", 5).ratio == math.inf


def test_ratio_equal_to_the_bar_reaches_it():
    assert samples.faster("m", "w", 10, "p", 20, 2).reached is True
    assert samples.faster("m", "w", 10, "p", 19.9, 2).reached is False
    assert samples.limit("m", "w", 25, 25, "MB").reached is True
    assert samples.limit("m", "w", 25.1, 25, "MB").reached is False
    assert samples.reference("m", "w", 100, 190, "/s", False).reached is False
    assert samples.faster("m", "w", 10, "p", 20).reached is None


def test_slope_is_the_growth_per_unit():
    assert samples.slope([(0, 100), (10, 120), (20, 140)]) == pytest.approx(2)
    with pytest.raises(ValueError):
        samples.slope([(5, 1), (5, 2)])


def test_sides_alternate_after_one_warm_up_round():
    calls = []
    results = turns(2, lambda: calls.append("a") or len(calls), lambda: calls.append("b") or len(calls))
    assert "".join(calls) == "ab" + "ab" + "ba"
    assert results == [[3, 6], [4, 5]]
    assert turns(1, lambda: 1, warm=False) == [[1]]


@pytest.mark.parametrize("value, text", [(0, "0"), (0.0123, "0.012"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123"),
                                         (1_234_567, "1,234,567"), (math.inf, "–"), (None, "–")])
def test_numbers_have_three_significant_digits(value, text):
    assert table.number(value) == text


def test_table_has_one_line_per_row_and_marks_reference_values():
    rows = [samples.faster("submit", "muster run", [1, 2, 3], "mpirun", [4, 5, 6], 2, note="calm"),
            samples.reference("submit", "muster run", 2, 22, "ms", True)]
    lines = table.as_text(rows).splitlines()
    assert lines[0].split()[:3] == ["measure", "what", "Muster"]
    assert "2.50 ×" in lines[2] and lines[2].endswith("yes")
    assert "2.00 ms (1.50–2.50)" in lines[2]
    assert "22.0 ms *" in lines[3]
    assert "submit, muster run: calm" in lines and any(line.startswith("* reference") for line in lines)
    assert table.as_markdown(rows).count("\n") == 3


def test_results_contain_every_sample():
    row = samples.faster("m", "w", [1, 2, 3], "p", [2, 4, 6], 2).as_json()
    assert row["muster"] == {"median": 2, "p25": 1.5, "p75": 2.5, "values": [1, 2, 3]}
    assert (row["ratio"], row["bar"], row["reached"], row["kind"]) == (2, 2, True, "measured")


def test_publishing_replaces_only_the_previous_run():
    (begin, end), (other, other_end) = page.marks("jobs"), page.marks("buckets")
    text = f"above\n{begin}\nold\n{end}\nbelow\n{other}\nkept\n{other_end}\n"
    assert page.with_section(text, "jobs", "new") == f"above\nnew\nbelow\n{other}\nkept\n{other_end}\n"
    with pytest.raises(ValueError):
        page.with_section("a page without marks", "jobs", "new")


def test_missed_bar_shows_the_highest_possible_ratio():
    missed = samples.faster("copy", "store, down", 100, "MinIO", 120, 1.5, ceiling=1.31)
    reached = samples.faster("copy", "store, up", 100, "MinIO", 200, 1.5, ceiling=2.5)
    assert table.cells(missed)[6] == "1.50 × (at most 1.31 ×)"
    assert table.cells(reached)[6] == "1.50 ×"
    assert any("highest possible ratio" in line for line in table.notes([missed, reached]))
    assert not table.notes([reached])
