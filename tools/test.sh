#!/bin/sh
# Every test: the unit tests beside the sources, then the whole program's in tests/.
# Ends with "N passed, N failed". PYTEST_ARGS narrows the second part, for working on one.
set -u
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

tools/build.sh release || exit 1
passed=0 failed=0
for module in $(ls src); do
  name=${module}_test program=build/release/src/$module/${module}_test
  if ! "$program" --gtest_brief=1 --gtest_output="json:$out/$name.json" > "$out/$name.log" 2>&1; then
    cat "$out/$name.log"
  fi
  counts=$(/usr/bin/python3 - "$out/$name.json" <<'PY'
import json, sys
try:
    report = json.load(open(sys.argv[1]))
    bad = report["failures"] + report.get("errors", 0)
    print(report["tests"] - bad - report.get("disabled", 0), bad)
except (OSError, ValueError):
    print(0, 1)  # it crashed before it could report
PY
)
  passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
  echo "$name: ${counts% *} passed, ${counts#* } failed"
done

MUSTER="${MUSTER:-$PWD/build/release/muster}" /usr/bin/python3 -m pytest -q -n 4 --dist loadfile \
  -p no:cacheprovider --junitxml "$out/pytest.xml" --ignore tests/torture --ignore tests/objects \
  --ignore tests/frameworks tests python/tests ${PYTEST_ARGS:-}
counts=$(/usr/bin/python3 - "$out/pytest.xml" <<'PY'
import sys, xml.etree.ElementTree as tree
try:
    suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
    bad = int(suite.get("failures")) + int(suite.get("errors"))
    print(int(suite.get("tests")) - bad - int(suite.get("skipped")), bad)
except (OSError, tree.ParseError):
    print(0, 1)
PY
)
passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
