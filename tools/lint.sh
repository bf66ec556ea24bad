#!/bin/sh
# Format, sizes, layers, words, and clang-tidy over the product's sources. --fix lets clang-format rewrite.
# TIDY_SECONDS limits the time of clang-tidy: the sources that changed last come first, and the rest is counted as left out.
set -u
cd "$(dirname "$0")/.."
sources=$(git ls-files 'src/**.cc' 'src/**.h' 'apps/*.cc' 'apps/*.h' 'cmake/*.cc')
bad=0
if [ "${1:-}" = --fix ]; then
  exec clang-format-19 -i $sources
fi
clang-format-19 --dry-run --Werror $sources || bad=1
/usr/bin/python3 tools/check_sources.py || bad=1

tools/build.sh release || exit 1
checked=$(printf '%s\n' $sources | grep '\.cc$' | grep -vE '_(fuzz|test)\.cc$|/testing/')
tools/tidy.py build/release $checked || bad=1
[ "$bad" = 0 ] && echo "lint: clean"
exit $bad
