#!/bin/sh
# The object store against clients that Debian does not have: Python packages from PyPI and Go programs from the
# module proxy, kept in ~/.cache/muster. What cannot be had is said, and its tests are skipped by name.
set -eu
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/muster
venv=$cache/objects-venv
bin=$cache/bin
mkdir -p "$cache" "$bin"

if [ ! -e "$venv/ready-1" ]; then
  echo "Installing boto3, s3fs, PyArrow and the OBS SDK into $venv"
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv"
  if ! "$venv/bin/pip" install -q pytest "boto3[crt]==1.44.0" s3fs pyarrow esdk-obs-python==3.26.6; then
    echo "PyPI cannot be reached: these clients need it once, and are kept in $venv afterwards." >&2
    exit 1
  fi
  touch "$venv/ready-1"
fi

# go_program NAME MODULE VERSION; a version of its own module, for some lists of versions are refused.
go_program() {
  [ -x "$bin/$1" ] && return 0
  if ! command -v go > /dev/null; then
    echo "No go command: $1 is left out." >&2
    return 0
  fi
  echo "Building $1 $3"
  work=$(mktemp -d)
  (cd "$work" && go mod init fetch && { [ "$3" = latest ] && go get "$2@latest" || go mod edit -require "$2@$3"; } &&
    GOFLAGS=-mod=mod go build -o "$bin/$1" "$2") > "$work/log" 2>&1 || {
    tail -n 5 "$work/log" >&2
    echo "$1 cannot be built from the Go module proxy; it is left out." >&2
  }
  rm -rf "$work"
}
go_program s5cmd github.com/peak/s5cmd/v2 v2.3.0
go_program mc github.com/minio/mc latest

MUSTER="${MUSTER:-$PWD/build/release/muster}" MUSTER_CLIENTS="$bin" \
  "$venv/bin/python" -m pytest -q -rs -p no:cacheprovider tests/objects "$@"
