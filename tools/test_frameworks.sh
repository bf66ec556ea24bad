#!/bin/sh
# Muster beside real frameworks: installs them (once, outside of the tree; see tools/frameworks.py) and runs tests/frameworks.
# ONLY=paddle,horovod takes some. A framework that cannot be had fails the run, after the tests of the others; where that
# is known and accepted, MUSTER_FRAMEWORKS_OPTIONAL=1 lets it pass, and what was not run is still said by name.
set -u
cd "$(dirname "$0")/.."
found=$(mktemp)
trap 'rm -f "$found"' EXIT
python=/usr/bin/python3

missing=0
# shellcheck disable=SC2046
$python tools/frameworks.py --out "$found" $(echo "${ONLY:-}" | tr ',' ' ') || missing=1
[ -s "$found" ] || exit 2

MUSTER="${MUSTER:-$PWD/build/release/muster}" MUSTER_FRAMEWORKS="$found" $python -m pytest -q -rs -n 2 --durations=0 --durations-min=1 \
  -p no:cacheprovider tests/frameworks ${PYTEST_ARGS:-} || exit 1
if [ "$missing" = 1 ]; then
  echo "Frameworks that could not be installed were NOT tested; they are named above."
  [ "${MUSTER_FRAMEWORKS_OPTIONAL:-}" = 1 ] || { echo "MUSTER_FRAMEWORKS_OPTIONAL=1 accepts that."; exit 1; }
fi
