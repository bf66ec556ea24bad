#!/bin/sh
# usage: compile_pch.sh COMPILER ARGUMENT...: runs the compiler. Where it writes a precompiled header, X.pch, this script adds
# X.pch.sum: the hash of every header in it. A precompiled header contains the absolute path of the build folder, so
# ccache hashes the .sum file instead of it (CCACHE_PCH_EXTSUM), and clones at different paths share cached objects.
# Without a .sum file ccache hashes the precompiled header itself.
set -eu
output='' dependencies='' previous=''
for argument in "$@"; do
  case $previous in
    -o) output=$argument ;;
    -MF) dependencies=$argument ;;
  esac
  previous=$argument
done
rm -f "$output.sum"
"$@"
case $output in
  *.pch)
    # cmake_pch.hxx only includes the other headers, by their absolute paths.
    sed -e '1s/^[^:]*://' -e 's/\\$//' "$dependencies" | xargs -n 1 | grep -v '/cmake_pch\.hxx' | xargs -d '\n' cat |
      sha256sum > "$output.sum.new" && mv "$output.sum.new" "$output.sum"
    ;;
esac
