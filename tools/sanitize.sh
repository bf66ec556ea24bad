#!/bin/sh
# usage: tools/sanitize.sh [PRESET NAME...]: the unit tests of the modules NAME... with the sanitizers of the preset asan
# (address and undefined behaviour) or tsan (threads). NAME muster is the executable itself under the smallest kill storm
# and the programs that resist a stop. Default: all modules and the executable; for tsan the modules that use threads.
set -u
cd "$(dirname "$0")/.."
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
export TORTURE_ONLY="tests/torture/test_kill_storm.py tests/torture/test_clean_stop.py"
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
threaded="os http s3 store engines objects transfer launcher lifecycle api"
failed=0 passed=0

# usage: check PRESET NAME COMMAND...: runs the command, and shows its output when it fails.
check() {
  what="$1: $2" log=build/$1/$2.log
  shift 2
  if "$@" > "$log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    cat "$log"
    echo "$what failed"
  fi
}

run() { # PRESET NAME...
  preset=$1
  shift
  tools/build.sh "$preset" $(printf '%s\n' "$@" | sed -e '/^muster$/!s/$/_test/') || exit 1
  for name in "$@"; do
    if [ "$name" = muster ]; then
      check "$preset" torture env MUSTER="$PWD/build/$preset/muster" TORTURE=tiny tools/torture.sh
    else
      check "$preset" "${name}_test" "build/$preset/src/$name/${name}_test" --gtest_brief=1
    fi
  done
}

if [ $# = 0 ]; then
  run asan $(ls src) muster
  run tsan $threaded muster
else
  run "$@"
fi
echo "sanitizers: $passed passed, $failed failed"
[ "$failed" = 0 ]
