#pragma once

#include <array>
#include <string_view>

namespace muster {

// Job files for several tests: the reader and the schema must accept every good one.
inline constexpr std::array<std::string_view, 14> kGoodSamples = {
    "run: train.py\n",
    R"({"run": ["python3", "train.py", "--fast"], "resources": {"nodes": 2}})",
    R"(name: resnet50-cifar10
framework: pytorch
code: ./resnet50
run: train.py
parameters: {epoch_size: 90, lr: 1e-4, layers: [64, 128], amp: true, note: "a, b"}
inputs: {data_url: /data/cifar-10, more: file:///mnt/x, far: "s3://${name}/set/", raw: {from: obs://bkt/x, mode: url}}
outputs: {train_url: /runs/resnet50, extra:}
store: {read: [s3://bkt/set/, "obs://${name}"], write: "*"}
resources: {nodes: 2, devices: npu:8}
)",
    R"(run: python train.py ${HOME} $${name} ${VAR:-x}
env: {PATH: "/opt/bin:${PATH}", EMPTY: "", N: 8}
hooks: {setup: "pip install -r $REQ && echo ${HOME}", on_stop: echo stop, on_failure: "true"}
)",
    R"(framework: mpi
run: [./solve, "-n", 4, true, "${nodes}"]
resources: {nodes: 3, devices: {kind: gpu, count: 4}, ranks: 2, memory: 16G}
workdir: rank
)",
    R"(roles:
  ps: {nodes: 1, devices: cpu:1, service: true, run: ps.py}
  worker:
    nodes: 2
    devices: gpu:2
    run: worker.py
    parameters: {steps: "${ranks}"}
    env: {ROLE: worker}
parameters: {steps: 10, seed: 7}
resources: {memory: 2GiB}
)",
    R"(framework: pytorch
run: train.py
launch: {start: torchrun, version: 0.3, rank_table: lab, device_addresses: "10.0.{s}.{1+d}",
         interface: eth0, timeout: 10m}
)",
    R"(platform: modelarts-v1
code: ./resnet50
run: bash run.sh
)",
    R"(run: train.py
sweep: {lr: [0.1, 0.01], depth: [18, 34, 50]}
)",
    R"(name: sweep-${lr}
run: train.py --rate ${lr}
sweep: {lr: [0.1, 1e-3]}
)",
    R"(variables: {root: /data, set: "${root}/mnist", n: 4}
run: train.py
inputs: {data: "${set}"}
resources: {nodes: "${n}"}
priority: ${n}
)",
    R"(run: train.py
after: [3, {job: 4, when: ended}]
priority: -5
preemptible: true
retries: 3
limits: {time: 1d12h, warning: {signal: SIGUSR2, before: 5m}}
stop: {grace: 30}
labels: {team: vision, tier: 1}
)",
    R"(run: train.py
limits: {time: 20, warning: {signal: none}}
after: 12
parameters:
env:
)",
    R"(run: &cmd train.py
labels: {a: *cmd}
roles: {chief: {}, worker: {nodes: 2}}
)"};

// Job files that the reader and the schema must reject.
inline constexpr std::array<std::string_view, 17> kBadSamples = {
    "[]\n",
    "name: x\n",
    "run: train.py\nnmae: x\n",
    "run: train.py\nresources: {nodes: 0}\n",
    "run: train.py\nresources: {nodes: -1}\n",
    "run: train.py\nresources: {nodes: 1e99}\n",
    "run: train.py\nresources: {nodes: two}\n",
    "run: train.py\nresources: {devices: npu:x}\n",
    "run: train.py\nresources: {devices: 8}\n",
    "run: train.py\nretries: 101\n",
    "run: train.py\npreemptible: yes\n",
    "run: train.py\nframework: caffe\n",
    "run: train.py\nplatform: modelart\n",
    "run: train.py\nenv: {MUSTER_TOKEN: x}\n",
    "run: train.py\ninputs: {data: obs:///x}\n",
    "run: []\n",
    "roles: {a: {run: x}}\nresources: {nodes: 2}\n"};

}  // namespace muster
