#!/bin/sh
# The whole program under torture: killed, starved of disk, resisted, overloaded, spoken to badly.
#   TORTURE=short (minutes, for every change) | long (round after round for TORTURE_HOURS, 2 unless said)
#           | tiny (a minute, for executables that sanitizers slow down)
#   TORTURE_SEED=N repeats the random part of a run; TORTURE_PATIENCE=SECONDS is how long anything may take;
#   TORTURE_ONLY='tests/torture/test_x.py ...' narrows it;
#   MUSTER=PATH is the executable, build/release/muster unless said.
# Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.."
export TORTURE="${TORTURE:-short}" MUSTER="${MUSTER:-$PWD/build/release/muster}"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
case $TORTURE in
  tiny|short) until=0 ;;
  long) until=$(($(date +%s) + ${TORTURE_HOURS:-2} * 3600)) ;;
  *) echo "tools/torture.sh: TORTURE is tiny, short or long, not '$TORTURE'" >&2; exit 2 ;;
esac

passed=0 failed=0
while :; do
  # Not side by side: some of them measure.
  /usr/bin/python3 -m pytest -q -s -p no:cacheprovider --basetemp "$out/base" --junitxml "$out/report.xml" \
    ${TORTURE_ONLY:-tests/torture}
  counts=$(/usr/bin/python3 - "$out/report.xml" <<'PY'
import sys, xml.etree.ElementTree as tree
try:
    suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
    bad = int(suite.get("failures")) + int(suite.get("errors"))
    print(int(suite.get("tests")) - bad - int(suite.get("skipped")), bad)
except (OSError, tree.ParseError):
    print(0, 1)  # it ended before it could report
PY
)
  rm -f "$out/report.xml"
  passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
  [ "$failed" = 0 ] && [ "$(date +%s)" -lt "$until" ] || break
done
echo
echo "torture: $passed passed, $failed failed"
[ "$failed" = 0 ]
