#!/bin/sh
# Every test: the unit tests beside the sources, then the whole program's in tests/.
# Ends with each skipped test and its reason, and "N passed, N failed". PYTEST_ARGS narrows the second part.
set -u
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
: > "$out/skips"
passed=0 failed=0 skipped=0

# usage: count REPORT. Adds the report's tests to the totals.
count() {
  set -- $(tools/test_report.py --skips "$out/skips" "$1")
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
  counts="$1 passed, $2 failed"
}

tools/build.sh release || exit 1
echo "Unit tests of $(ls src | wc -l) modules:"
for module in $(ls src); do
  name=${module}_test program=build/release/src/$module/${module}_test
  if ! "$program" --gtest_brief=1 --gtest_output="xml:$out/$name.xml" > "$out/$name.log" 2>&1; then
    cat "$out/$name.log"
  fi
  count "$out/$name.xml"
  echo "$name: $counts"
done

echo "Tests of the whole program, four at a time:"
MUSTER="${MUSTER:-$PWD/build/release/muster}" /usr/bin/python3 -m pytest -q -n 4 --dist loadfile \
  -p no:cacheprovider --junitxml "$out/pytest.xml" --ignore tests/torture --ignore tests/objects \
  --ignore tests/frameworks tests python/tests ${PYTEST_ARGS:-}
count "$out/pytest.xml"
if [ "$skipped" != 0 ]; then
  echo
  echo "$skipped skipped:"
  cat "$out/skips"
fi
echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
