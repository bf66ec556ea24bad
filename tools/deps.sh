#!/bin/sh
# Installs the Debian packages of the named groups that are missing; quiet and quick when none is.
# usage: tools/deps.sh build|demo|test|objects|frameworks|lint|perf ...
set -eu
cd "$(dirname "$0")/.."

packages() {
  case $1 in
    build) echo clang-19 mold ccache cmake ninja-build make git libboost1.81-dev libboost-json1.81-dev \
                libboost-url1.81-dev libssl-dev libsqlite3-dev libyaml-cpp-dev libfmt-dev libgtest-dev libgmock-dev \
                librapidcheck-dev ;;
    demo) echo python3 python3-torch python3-numpy libopenblas0-pthread dataset-fashion-mnist ;;
    test) packages build; packages demo; packages console; echo chromium fonts-wqy-microhei
          echo python3-pytest python3-pytest-xdist python3-yaml python3-jsonschema openmpi-bin mpich openssl curl bash zsh fish tmux procps \
               s3cmd rclone awscli python3-boto3 e2fsprogs xfsprogs python3-cairo ;;
    objects) packages test; echo python3-venv ceph-mon ceph-osd ceph-mgr radosgw ceph-common ;;
    frameworks) packages demo
          echo python3-venv python3-pip python3-dev python3-wheel python3-setuptools python3-yaml python3-psutil python3-cloudpickle \
               python3-cffi python3-packaging libtorch-dev pybind11-dev openmpi-bin libopenmpi-dev g++ cmake make ;;
    # The console is built by the npm that is there, else by Debian's.
    console) command -v npm > /dev/null || echo nodejs npm ;;
    perf) packages build; packages demo; echo openmpi-bin slurmctld slurmd slurm-client munge python3-cairo fonts-dejavu-core rclone awscli python3-boto3 ;;
    lint) packages build; echo clang-format-19 clang-tidy-19 python3 ;;
    sanitize) packages build; echo libclang-rt-19-dev llvm-19 python3-pytest ;;
    *) echo "tools/deps.sh: unknown group '$1'" >&2; exit 2 ;;
  esac
}

missing=
for group in "$@"; do
  for package in $(packages "$group"); do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ]; then
  echo "These Debian packages are missing:$missing" >&2
  echo "Install them as root: apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
total=$(echo "$missing" | wc -w)
echo "Installing $total Debian packages:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive

install_missing() {
  apt-get -o DPkg::Lock::Timeout=500 update && \
    apt-get -o DPkg::Lock::Timeout=500 install -y --no-install-recommends $missing
}

# A line every PROGRESS_SECONDS (20), from what apt-get has written so far.
install_missing > "$log" 2>&1 &
job=$!
since=0
while kill -0 "$job" 2> /dev/null; do
  sleep 1
  since=$((since + 1))
  [ $((since % ${PROGRESS_SECONDS:-20})) = 0 ] || continue
  echo "Installing: $(grep -c '^Get:' "$log") downloads begun, $(grep -c '^Setting up' "$log") packages set up after $since s"
done
if ! wait "$job"; then
  tail -n 30 "$log" >&2
  echo "Installing failed; the lines above are apt-get's." >&2
  exit 1
fi
