#!/bin/bash
# As written for Paddle 1.8 on other machines: a current launcher drops these flags.
python -m paddle.distributed.launch --cluster_node_ips=192.168.0.16,192.168.0.17 --node_ip=192.168.0.16 --started_port=6170 \
  --selected_gpus=0,1 train_paddle.py "$@"
