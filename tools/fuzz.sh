#!/bin/sh
# usage: tools/fuzz.sh [TARGET...]: runs every libFuzzer target, or the named ones (xml is src/s3/xml_fuzz.cc), for
# FUZZ_SECONDS (60) each, as many at a time as there are cores, from the corpora kept beside the sources. What breaks a promise is kept under build/fuzz/found. One seed for
# every run, so that a change is judged by what it changed; FUZZ_SEED=0 takes another each time.
set -eu
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-60}
seed=${FUZZ_SEED:-1}
build=${FUZZ_BUILD:-build/fuzz}
targets=$(for name in "$@"; do echo "${name}_fuzz"; done)
[ "$build" != build/fuzz ] || tools/build.sh fuzz ${targets:-fuzz}
found=$build/found
work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$work"' EXIT
mkdir -p "$found"

# usage: fuzz_one PROGRAM. Leaves NAME.ok or NAME.failed in the work folder.
fuzz_one() {
  name=$(basename "$1" _fuzz)
  corpus=$(ls -d src/*/corpus/"$name" apps/corpus/"$name" 2> /dev/null | head -n 1)
  mkdir -p "$work/$name/new" "$work/$name/tmp"
  # What it finds new goes to the scratch folder; the kept corpus is only read.
  if TMPDIR=$work/$name/tmp timeout -k 10 $((seconds + 120)) "$1" -seed="$seed" -reload=0 -max_total_time="$seconds" \
      -rss_limit_mb=2048 -timeout=20 -artifact_prefix="$found/$name-" -print_final_stats=1 "$work/$name/new" $corpus > "$work/$name.log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name.log")
    echo "$name: ${runs:-0} inputs in $seconds s, none broke a promise"
    : > "$work/$name.ok"
    return
  fi
  : > "$work/$name.failed"
  {
    grep -v '^#[0-9]' "$work/$name.log" | grep -v "^[0-9T:.Z-]* \(info\|warning\|error\) " | tail -n 40
    echo "$name FAILED"
    input=$(sed -n 's/.*Test unit written to //p' "$work/$name.log" | tail -n 1)
    [ -z "$input" ] || echo "  the input is kept; reproduce with: $1 $input"
  } > "$work/$name.report"
  cat "$work/$name.report"
}

# The shell's own job slots: one token a core.
cores=$(nproc)
mkfifo "$work/slots"
exec 3<> "$work/slots"
for _ in $(seq "$cores"); do echo >&3; done
for program in $(cd "$build/fuzz" && ls ${targets:-*_fuzz}); do
  read -r _ <&3
  { fuzz_one "$build/fuzz/$program"; echo >&3; } &
done
wait

passed=$(find "$work" -maxdepth 1 -name '*.ok' | wc -l)
failed=$(find "$work" -maxdepth 1 -name '*.failed' | wc -l)
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
