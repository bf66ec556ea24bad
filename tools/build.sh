#!/bin/bash
# usage: tools/build.sh PRESET [TARGET...]: configures when needed and builds. A terminal shows ninja's own progress;
# elsewhere a line every PROGRESS_SECONDS (20) tells how far it is.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
if [ ! -f "build/$preset/build.ninja" ]; then
  echo "Configuring build/$preset"
  cmake --preset "$preset" > /dev/null
fi
if [ -t 1 ]; then
  exec ninja -C "build/$preset" "$@"
fi

# Lines of ninja's status become progress lines; all others, such as errors of the compiler, are shown.
show_progress() {
  local next=$((SECONDS + ${PROGRESS_SECONDS:-20})) line words
  while IFS= read -r line; do
    case $line in
      '@ '*)
        read -r -a words <<< "$line"
        if [ "$SECONDS" -ge "$next" ]; then
          echo "Compiling: ${words[1]} of ${words[2]}"
          next=$((SECONDS + ${PROGRESS_SECONDS:-20}))
        fi
        ;;
      'ninja: Entering directory'* | 'ninja: no work to do.') ;;
      *) printf '%s\n' "$line" ;;
    esac
  done
}
NINJA_STATUS='@ %f %t ' ninja -C "build/$preset" "$@" 2>&1 | show_progress
