// Job files to begin with, one for each usual way of training.
export interface Template {
  id: string;
  name: string;
  text: string;
}

export const templates: Template[] = [
  { id: 'command', name: 'Command', text: `name: hello
run: echo hello from rank $MUSTER_RANK
resources: {devices: cpu:1}
` },
  { id: 'pytorch', name: 'PyTorch', text: `name: pytorch-ddp
framework: pytorch
run: train.py
parameters: {epochs: 10, lr: 1e-3}
resources: {nodes: 1, devices: gpu:8}
limits: {time: 12h}
` },
  { id: 'mindspore', name: 'MindSpore (ModelArts)', text: `name: resnet50-cifar10
framework: mindspore
platform: modelarts
code: obs://resnet50-train/resnet50_cifar10_train/   # or upload a folder
run: resnet50_train.py
parameters: {epoch_size: 90}
inputs: {data_url: obs://ms-dataset/cifar-10/}
outputs: {train_url: obs://resnet50-train/output/}
logs: obs://resnet50-train/log/
resources: {nodes: 1, devices: npu:8}
` },
  { id: 'paddle', name: 'PaddlePaddle', text: `name: paddle-collective
framework: paddle
run: train.py
parameters: {epochs: 5}
resources: {nodes: 2, devices: gpu:4}
` },
  { id: 'horovod', name: 'Horovod', text: `name: horovod-train
framework: horovod
run: train.py
resources: {nodes: 2, devices: gpu:4}
` },
  { id: 'apulis', name: 'Apulis', text: `name: apulis-train
framework: mindspore
platform: apulis
run: bash /home/apulis/code/run.sh
resources: {nodes: 1, devices: npu:8}
` },
  { id: 'sweep', name: 'Sweep', text: `name: sweep
framework: pytorch
run: train.py
parameters: {lr: "\${lr}", batch: "\${batch}"}
sweep:
  lr: [0.001, 0.003, 0.01]
  batch: [64, 128]
resources: {devices: gpu:1}
` },
];
