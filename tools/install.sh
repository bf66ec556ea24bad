#!/bin/sh
# usage: DESTDIR=... PREFIX=... MUSTER=... tools/install.sh: installs the executable, shell completions, manual pages and the
# systemd unit below DESTDIR/PREFIX. DESTDIR is for packagers: no installed file contains it.
set -eu
cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local}
muster=${MUSTER:-build/release/muster}
to=${DESTDIR:-}$prefix
case $prefix in
  /*) ;;
  *) echo "tools/install.sh: PREFIX must be an absolute path, not '$prefix'" >&2; exit 2 ;;
esac
[ -x "$muster" ] || { echo "tools/install.sh: there is no executable $muster: run make build" >&2; exit 1; }
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

# usage: place MODE FILE PATH: installs FILE as PATH below the prefix, and prints the path.
place() {
  install -D -m "$1" "$2" "$to/$3"
  echo "$to/$3"
}

place 755 "$muster" bin/muster
"$muster" completion bash > "$new/completion"
place 644 "$new/completion" share/bash-completion/completions/muster
"$muster" completion zsh > "$new/completion"
place 644 "$new/completion" share/zsh/site-functions/_muster
"$muster" completion fish > "$new/completion"
place 644 "$new/completion" share/fish/vendor_completions.d/muster.fish
"$muster" help --man > "$new/page"
place 644 "$new/page" share/man/man1/muster.1
for verb in $(sed -n '/^\.SH VERBS/,/^\.SH FLAGS/s/^\.B //p' "$new/page"); do
  "$muster" help --man "$verb" > "$new/verb"
  place 644 "$new/verb" "share/man/man1/muster-$verb.1"
done
sed "s|@BINDIR@|$prefix/bin|" deploy/muster.service > "$new/unit"
place 644 "$new/unit" lib/systemd/system/muster.service
place 644 deploy/muster.sysusers lib/sysusers.d/muster.conf
