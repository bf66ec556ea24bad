#!/bin/sh
# Clients and servers of objects that Debian does not have: Python packages from PyPI and Go programs from the module
# proxy, kept in ${MUSTER_CACHE:-~/.cache/muster}. Quick when they are there. What cannot be had is said with what was
# tried, and the exit code is 1: nothing is left out in silence.
# usage: tools/object_peers.sh
set -eu
cache=${MUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/muster}
venv=$cache/objects-venv
bin=$cache/bin
mkdir -p "$bin"
failed=

python_clients() {
  [ -e "$venv/ready-1" ] && return 0
  echo "Installing boto3, s3fs, PyArrow and the OBS SDK into $venv"
  rm -rf "$venv"
  log=$(mktemp)
  if /usr/bin/python3 -m venv "$venv" > "$log" 2>&1 &&
     "$venv/bin/pip" install -q pytest==9.2.0 "boto3[crt]==1.44.0" s3fs==0.4.2 pyarrow==26.0.1 esdk-obs-python==3.26.6 >> "$log" 2>&1; then
    touch "$venv/ready-1"
  else
    tail -n 5 "$log" >&2
    echo "PyPI cannot be reached, or has not these versions: they are needed once, and kept in $venv." >&2
    failed="$failed python-clients"
  fi
  rm -f "$log"
}

# The s3fs of today needs a botocore that no boto3 of ours has.
s3fs_of_today() {
  own=$cache/s3fs-venv
  [ -e "$own/ready-1" ] && return 0
  echo "Installing s3fs into $own"
  rm -rf "$own"
  log=$(mktemp)
  if /usr/bin/python3 -m venv "$own" > "$log" 2>&1 &&
     "$own/bin/pip" install -q s3fs==2026.9.0 aiobotocore==3.10.0 botocore==1.43.117 >> "$log" 2>&1; then
    touch "$own/ready-1"
  else
    tail -n 5 "$log" >&2
    echo "PyPI cannot be reached, or has not s3fs 2026.9.0: it is needed once, and kept in $own." >&2
    failed="$failed s3fs"
  fi
  rm -f "$log"
}

# go_program NAME PACKAGE MODULE VERSION: in a module of its own, for some lists of versions are refused.
go_program() {
  [ -x "$bin/$1" ] && return 0
  if ! command -v go > /dev/null; then
    echo "$1 is built by go, and there is no such command here (1.24 or later)." >&2
    failed="$failed $1"
    return 0
  fi
  echo "Building $1 $4; this takes minutes, once"
  work=$(mktemp -d)
  if (cd "$work" && go mod init fetch &&
      go mod edit -require "$3@$4" &&
      CGO_ENABLED=0 GOFLAGS=-mod=mod go build -o "$bin/$1.new" "$2") > "$work/log" 2>&1; then
    mv "$bin/$1.new" "$bin/$1"
  else
    tail -n 5 "$work/log" >&2
    echo "$1 cannot be built: the Go module proxy ($(go env GOPROXY)) was asked for $3@$4." >&2
    failed="$failed $1"
  fi
  rm -rf "$work"
}

python_clients
s3fs_of_today
go_program s5cmd github.com/peak/s5cmd/v2 github.com/peak/s5cmd/v2 v2.3.0
go_program mc github.com/minio/mc github.com/minio/mc v0.0.0-20250313080218-cf909e1063a9
go_program minio github.com/minio/minio github.com/minio/minio v0.0.0-20260212201848-7aac2a2c5b7c
go_program versitygw github.com/versity/versitygw/cmd/versitygw github.com/versity/versitygw v1.8.0
[ -z "$failed" ] || { echo "Not to be had here:$failed" >&2; exit 1; }
