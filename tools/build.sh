#!/bin/sh
# usage: tools/build.sh PRESET [TARGET...]: configures when needed and builds, showing progress on a
# terminal and only what matters elsewhere.
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" > /dev/null
if [ -t 1 ]; then
  exec ninja -C "build/$preset" "$@"
fi
ninja --quiet -C "build/$preset" "$@"
