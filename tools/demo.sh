#!/bin/sh
# The demo: two ranks of PyTorch data-parallel training on Fashion-MNIST, watched live.
set -eu
cd "$(dirname "$0")/.."
muster=build/release/muster
# The first verb that needs a server starts one.
if console=$("$muster" open 2> /dev/null); then
  echo "The web console: $console"
  echo "(the link signs in once; '$muster open' prints another one)"
  echo
fi
echo "\$ $muster run examples/fashion-mnist/job.yaml"
code=0
"$muster" run examples/fashion-mnist/job.yaml || code=$?
cat <<TEXT

Try next (the server goes on; '$muster server --stop' ends it):
  $muster open                                             a link to the web console
  $muster ps -a                                            every job so far
  $muster run -g cpu:2 -- sh -c 'echo rank \$MUSTER_RANK'   any command, two ranks
  $muster plan examples/fashion-mnist/job.yaml             what each rank gets
  $muster doctor                                           what this machine offers
  $muster run --sweep lr=0.002,0.008 examples/fashion-mnist/job.yaml
TEXT
exit $code
