"""The wrong changes that `make mutate` draws."""
import sys

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import mutants  # noqa: E402

SOURCE = '''#include "a == b.h"
// a == b
int F(const std::vector<int>& a, T&& b) {
  if (a.size() < 7 && !b.empty()) return "x == y";  // true
  char c = '<'; double d = 1.5; int e = 0x10;
  return true;
}
'''


def made():
    return {(one.old, one.new) for one in mutants.candidates("f.cc", SOURCE)}


def test_operators_constants_and_negations_are_changed():
    assert {(" < ", " <= "), (" && ", " || "), ("true", "false"), ("7", "8"), ("!", "")} <= made()


def test_comments_literals_includes_and_templates_are_left_alone():
    assert not [one for one in made() if "==" in one[0]]
    offsets = [one.offset for one in mutants.candidates("f.cc", SOURCE)]
    for text in ("<int>", "'<'", "1.5", "0x10", "// true"):
        start = SOURCE.index(text)
        assert not [at for at in offsets if start <= at < start + len(text)], text


def test_mutant_changes_one_place():
    for one in mutants.candidates("f.cc", SOURCE):
        changed = one.apply(SOURCE)
        assert changed != SOURCE and changed[:one.offset] == SOURCE[:one.offset]
        assert changed[one.offset + len(one.new):] == SOURCE[one.offset + len(one.old):]


def test_seed_repeats_the_sample():
    sources = {"a.cc": SOURCE, "b.cc": SOURCE * 3, "empty.cc": ""}
    first = mutants.draw(sources, 6, 1)
    assert first == mutants.draw(sources, 6, 1) != mutants.draw(sources, 6, 2)
    assert len(set(first)) == 6 and not [one for one in first if one.path == "empty.cc"]


def test_sample_larger_than_all_mutants_ends():
    assert len(mutants.draw({"a.cc": "int x = 1;\n"}, 10, 1)) == 1
