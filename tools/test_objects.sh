#!/bin/sh
# The object store beside clients, and the copier beside servers, that Debian does not have (tools/object_peers.sh).
# Fails when one of them cannot be had; MUSTER_OBJECTS_OPTIONAL=1 runs what there is, and names what is left out.
set -eu
cd "$(dirname "$0")/.."
cache=${MUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/muster}
if ! tools/object_peers.sh; then
  if [ -z "${MUSTER_OBJECTS_OPTIONAL:-}" ] || [ ! -e "$cache/objects-venv/ready-1" ]; then
    echo "make test-objects needs them; MUSTER_OBJECTS_OPTIONAL=1 tests those that are there." >&2
    exit 1
  fi
fi
MUSTER="${MUSTER:-$PWD/build/release/muster}" MUSTER_PEERS="$cache/bin" \
  exec "$cache/objects-venv/bin/python" -m pytest -q -rs -p no:cacheprovider tests/objects "$@"
