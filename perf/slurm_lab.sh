#!/bin/bash
# A Slurm cluster on this machine alone, from Debian's packages, for comparing.
#   slurm_lab.sh start DIR NODES CPUS   munged, slurmctld and NODES slurmd n1, n2, …; returns when all nodes are idle
#   slurm_lab.sh stop DIR               cancels what runs, ends the daemons by their pids, removes DIR
# Clients need SLURM_CONF=DIR/slurm.conf and nothing else. DIR must be short: sockets lie in it.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
verb=${1:?start or stop} dir=${2:?a folder}
export SLURM_CONF=$dir/slurm.conf

# The start time stands beside a pid, so that a number given to somebody else is never signalled.
birth() { sed -n 's/^.*) [^ZX] //p' "/proc/$1/stat" 2> /dev/null | cut -d ' ' -f 19; }
lives() { local pid born; read -r pid born 2> /dev/null < "$dir/$1.pid" && [ -n "$born" ] && [ "$(birth "$pid")" = "$born" ]; }

daemon() { # NAME COMMAND…: in a session of its own, holding no descriptor of ours
  local name=$1; shift
  setsid "$@" < /dev/null > "$dir/$name.out" 2>&1 3>&- &
  echo "$! $(birth $!)" > "$dir/$name.pid"
}

end() { # NAME…: asks, waits five seconds, forces
  local name pid rest i
  for name; do lives "$name" && read -r pid rest < "$dir/$name.pid" && kill "$pid" || true; done
  for name; do
    for ((i = 0; i < 100; i++)); do lives "$name" || continue 2; sleep 0.05; done
    read -r pid rest < "$dir/$name.pid" && kill -9 "$pid" || true
  done
}

until_true() { # SECONDS COMMAND…
  local left=$(($1 * 20)); shift
  until "$@" > /dev/null 2>&1; do ((left-- > 0)) || return 1; sleep 0.05; done
}

free_ports() { # COUNT: the first of so many ports below the kernel's own range that nobody listens on
  local base port taken
  taken=$(awk '$4 == "0A" { split($2, a, ":"); print a[2] }' /proc/net/tcp /proc/net/tcp6)
  while :; do
    base=$((20000 + RANDOM % 10000))
    for ((port = base; port < base + $1; port++)); do
      grep -qix "$(printf %04x "$port")" <<< "$taken" && continue 2
    done
    echo "$base"; return
  done
}

configure() { # NODES CPUS
  local base host k
  base=$(free_ports $(($1 + 1))) host=$(hostname -s)
  cat > "$dir/slurm.conf" <<CONF
ClusterName=perf$base
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthInfo=socket=$dir/munge.sock
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/slurmctld.self
SlurmctldLogFile=$dir/slurmctld.log
SlurmdSpoolDir=$dir/spool-%n
SlurmdPidFile=$dir/%n.self
SlurmdLogFile=$dir/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
# As quick as this Slurm can be made: with the defaults a batch job waits two seconds.
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0
MaxArraySize=10001
MaxJobCount=50000
MinJobAge=2
MailProg=/bin/true
CONF
  for ((k = 1; k <= $1; k++)); do
    echo "NodeName=n$k NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + k)) CPUs=$2 RealMemory=4096"
  done >> "$dir/slurm.conf"
  echo "PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >> "$dir/slurm.conf"
  echo "CgroupPlugin=cgroup/v1" > "$dir/cgroup.conf"
}

all_idle() { [ "$(sinfo -h -N -t idle -o %N | wc -l)" = "$1" ]; }
none_left() { [ -z "$(squeue -h -o %A)" ]; }

start() { # NODES CPUS
  local k
  mkdir -p "$dir/state"
  (umask 077; head -c 128 /dev/urandom > "$dir/munge.key")
  configure "$1" "$2"
  daemon munged munged -F --force --socket="$dir/munge.sock" --key-file="$dir/munge.key" --pid-file="$dir/munged.self" \
    --seed-file="$dir/munge.seed" --log-file="$dir/munged.log"
  until_true 10 munge -n -S "$dir/munge.sock" || return 1
  daemon slurmctld slurmctld -D
  until_true 20 scontrol ping || return 1
  for ((k = 1; k <= $1; k++)); do mkdir -p "$dir/spool-n$k"; daemon "n$k" slurmd -D -N "n$k"; done
  until_true 30 all_idle "$1"
}

stop() {
  local name nodes=()
  [ -f "$dir/slurm.conf" ] || { echo "slurm_lab: $dir is not a folder of this script" >&2; exit 1; }
  if lives slurmctld; then
    squeue -h -o %A 2> /dev/null | sort -u | xargs -r scancel --full -s KILL 2> /dev/null || true
    until_true 20 none_left || true
  fi
  for name in "$dir"/n*.pid; do name=${name##*/}; nodes+=("${name%.pid}"); done
  end "${nodes[@]}"; end slurmctld; end munged  # slurmctld after the nodes: they report their ends to it
  rm -rf "${dir:?}"
}

case $verb in
  start) mkdir -p "$dir" && start "${3:?how many nodes}" "${4:?CPUs of a node}" ||
    { tail -n 5 "$dir"/*.out "$dir"/*.log >&2; stop; echo "slurm_lab: the cluster did not start" >&2; exit 1; } ;;
  stop) stop ;;
  *) echo "usage: slurm_lab.sh start DIR NODES CPUS | stop DIR" >&2; exit 2 ;;
esac
