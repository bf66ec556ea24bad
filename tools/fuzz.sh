#!/bin/sh
# Every libFuzzer target for FUZZ_SECONDS (60) each, from the corpora kept beside the sources.
set -eu
cd "$(dirname "$0")/.."
tools/build.sh fuzz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in build/fuzz/src/*/*_fuzz; do
  name=$(basename "$program")
  module=$(basename "$(dirname "$program")")
  corpus=src/$module/corpus/${name%_fuzz}
  mkdir -p "$work/$name"
  echo "$name: ${FUZZ_SECONDS:-60} s"
  # What it finds new goes to the scratch folder; the kept corpus is only read.
  "$program" -max_total_time="${FUZZ_SECONDS:-60}" -rss_limit_mb=2048 -timeout=10 -print_final_stats=0 \
    -artifact_prefix="$work/" "$work/$name" $([ -d "$corpus" ] && echo "$corpus") > "$work/$name.log" 2>&1 || {
    tail -n 40 "$work/$name.log"
    echo "$name failed"
    exit 1
  }
done
