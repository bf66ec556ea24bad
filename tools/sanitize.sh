#!/bin/sh
# The unit tests under address+undefined sanitizers, and those of the modules that have threads under
# the thread sanitizer: where there is one thread it has nothing to say. Then the executable itself,
# built each way, under the smallest kill storm and the programs that resist a stop.
set -u
cd "$(dirname "$0")/.."
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
export TORTURE_ONLY="tests/torture/test_kill_storm.py tests/torture/test_clean_stop.py"
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
threaded="os http s3 store engines objects transfer launcher lifecycle api"
failed=0 passed=0

run() { # PRESET MODULE...
  preset=$1
  shift
  tools/build.sh "$preset" muster $(printf '%s_test ' "$@") || exit 1
  for module in "$@"; do
    log=build/$preset/${module}_test.log
    if "build/$preset/src/$module/${module}_test" --gtest_brief=1 > "$log" 2>&1; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      cat "$log"
      echo "$preset: ${module}_test failed"
    fi
  done
  log=build/$preset/torture.log
  if MUSTER=$PWD/build/$preset/muster TORTURE=tiny tools/torture.sh > "$log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    cat "$log"
    echo "$preset: torture failed"
  fi
}

run asan $(ls src)
run tsan $threaded
echo "sanitizers: $passed passed, $failed failed"
[ "$failed" = 0 ]
