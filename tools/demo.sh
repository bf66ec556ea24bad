#!/bin/sh
# The demo: two ranks of PyTorch data-parallel training on Fashion-MNIST, watched live.
set -eu
cd "$(dirname "$0")/.."
muster=build/release/muster
echo
echo "  $ $muster run examples/fashion-mnist/job.yaml"
echo
exec "$muster" run examples/fashion-mnist/job.yaml
