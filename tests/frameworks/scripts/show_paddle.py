"""Prints what Paddle's launcher told this process, as one line of JSON; also under Python 3.6."""
import json
import os

NAMES = ("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_CURRENT_ENDPOINT", "PADDLE_TRAINER_ENDPOINTS", "FLAGS_selected_gpus")
print("told " + json.dumps({name: os.environ.get(name) for name in NAMES}), flush=True)
