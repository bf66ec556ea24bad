#!/bin/sh
# usage: tools/console.sh PACK: builds the web console in console/ and writes it, as one file, to PACK.
# Writes an empty PACK, and says why, where npm is missing or the build fails: the server works without the console.
set -eu
pack=$(realpath -m "$1")
cd "$(dirname "$0")/../console"

without() {
  echo "The web console is left out of this build: $1" >&2
  : > "$pack"
  exit 0
}

command -v node > /dev/null && command -v npm > /dev/null || without "node and npm are not installed (apt-get install nodejs npm)."
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' || without "node $(node --version) is too old, it takes 18 or later."

# Several presets may build at the same time.
mkdir -p ../build
exec 9> ../build/.console.lock
flock 9

log=$(mktemp)
dist=$(mktemp -d)
trap 'rm -rf "$log" "$dist"' EXIT
if ! cmp -s package-lock.json node_modules/.installed-lock; then
  npm ci --ignore-scripts --prefer-offline --no-audit --no-fund > "$log" 2>&1 || { tail -n 5 "$log" >&2; without "npm ci failed, as above."; }
  cp package-lock.json node_modules/.installed-lock
fi
node_modules/.bin/vite build --logLevel warn --outDir "$dist" --emptyOutDir > "$log" 2>&1 || { cat "$log" >&2; without "vite build failed, as above."; }
node tools/pack.mjs "$dist" "$pack"
