#!/bin/sh
# The unit tests under address+undefined and under thread sanitizers.
set -u
cd "$(dirname "$0")/.."
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
failed=0 passed=0
for preset in asan tsan; do
  tools/build.sh "$preset" || exit 1
  for program in build/$preset/src/*/*_test; do
    if "$program" --gtest_brief=1 > "build/$preset/$(basename "$program").log" 2>&1; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      cat "build/$preset/$(basename "$program").log"
      echo "$preset: $(basename "$program") failed"
    fi
  done
done
echo "sanitizers: $passed passed, $failed failed"
[ "$failed" = 0 ]
