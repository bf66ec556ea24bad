#!/bin/sh
# Line coverage of the unit tests, a row a source file.
set -eu
cd "$(dirname "$0")/.."
tools/build.sh coverage
rm -f build/coverage/*.profraw
objects=
for program in build/coverage/src/*/*_test; do
  LLVM_PROFILE_FILE="build/coverage/$(basename "$program").profraw" "$program" --gtest_brief=1 > /dev/null
  objects="$objects -object $program"
done
llvm-profdata-19 merge -sparse build/coverage/*.profraw -o build/coverage/all.profdata
llvm-cov-19 report $objects -instr-profile build/coverage/all.profdata -ignore-filename-regex '_test\.cc$|/usr/' src
