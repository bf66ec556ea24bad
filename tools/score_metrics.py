#!/usr/bin/python3
"""usage: score_metrics.py CORPUS [--reader FILE] [--cases] [--below PERCENT]

Compares the values that the launcher reads from recorded training outputs with the values that the trainers logged.
CORPUS holds one folder per case with output.txt and truth.json. The reader is the target `read_metrics`
(ninja -C build/release read_metrics). A shown value is right, wrong, or has no counterpart in the truth (also wrong).
A value of the truth that is not shown is missing. The exit code is 1 when the wrong values reach PERCENT of the shown ones.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

# Name shown -> names of the truth, the first that the case has. Other names of the truth are not read yet.
NAMES = {
    "loss": ["train/loss", "train/loss_running", "train/loss_epoch"],
    "accuracy": ["train/accuracy", "train/accuracy_running", "train/accuracy_epoch"],
    "learning_rate": ["train/lr"],
    "val_loss": ["val/loss"],
    "val_accuracy": ["val/accuracy", "val/accuracy_final"],
    "test_loss": ["test/loss", "val/loss"],
    "test_accuracy": ["test/accuracy", "val/accuracy"],
    "throughput": ["train/throughput", "throughput"],
}


def number(value):
    return float(value)  # also "nan", "inf", "-inf"


def same(a, b):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-9)


def expected(truth):
    values = {name: number(value) for name, value in truth["final"].items()}
    if truth["throughput"] and truth["throughput"]["value"] is not None:
        values["throughput"] = number(truth["throughput"]["value"])
    # A curve for each fold or trial: the last one is shown. A curve for each rank: "loss" is rank 0's.
    for name, value in list(values.items()):
        if "@fold" in name or "@trial" in name:
            values[name.split("@")[0]] = value
    return values


def printed_throughput(truth):
    """Whether the output itself has the throughput; otherwise the script measured it."""
    how = (truth["throughput"] or {}).get("how", "")
    return "measured" not in how


def counts_are_plausible(truth, shown):
    """step and epoch of the last line: a count of the training phase, or the number of a step within an epoch."""
    train = truth["phases"].get("train", {})
    steps, epochs = train.get("steps"), train.get("epochs")
    faults = []
    axis = {x for series in train.get("series", {}).values() for x, _ in series}
    per_epoch = steps // epochs if steps and epochs else None
    if "step" in shown and steps:
        step = number(shown["step"])
        allowed = {steps, steps - 1, per_epoch, (per_epoch or 0) - 1, epochs} | axis
        if per_epoch:
            allowed |= {(x - 1) % per_epoch + 1 for x in axis} | {x % per_epoch for x in axis}
        if step not in allowed:
            faults.append("step")
    if "epoch" in shown and epochs:
        if not epochs - 1 <= number(shown["epoch"]) <= epochs + 1:
            faults.append("epoch")
    return faults


def score(folder, reader):
    truth = json.loads((folder / "truth.json").read_text())
    with open(folder / "output.txt", "rb") as output:
        printed = subprocess.run([reader], stdin=output, capture_output=True, check=True).stdout
    shown = json.loads(printed)["values"]
    want = expected(truth)
    right, wrong, missing = [], [], []
    for name, names in NAMES.items():
        true_name = next((n for n in names if n in want), None)
        if name in shown:
            good = true_name is not None and any(same(number(shown[name]), want[n]) for n in names if n in want)
            if name == "throughput" and (true_name is None or not printed_throughput(truth)):
                good = None if truth["throughput"] is None else good  # no true value was recorded
            if name == "learning_rate" and true_name is None:
                good = None  # printed, but not recorded
            if good is not None:
                (right if good else wrong).append(f"{name}: shown {shown[name]}, true {want.get(true_name, '-')}")
        elif true_name and true_name == names[0] and (name != "throughput" or printed_throughput(truth)):
            missing.append(f"{name}: {want[true_name]}")
    wrong += [f"{name}: shown {shown[name]}/{shown.get(name + 's', '?')}" for name in counts_are_plausible(truth, shown)]
    return right, wrong, missing, shown


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--reader", default=pathlib.Path(__file__).resolve().parent.parent / "build/release/src/launcher/read_metrics")
    parser.add_argument("--cases", action="store_true", help="print the faults of every case")
    parser.add_argument("--below", type=float, default=2.0, help="limit for wrong values, in percent of the shown ones")
    args = parser.parse_args()
    totals = [0, 0, 0]
    for truth in sorted(args.corpus.glob("*/truth.json")):
        *lists, shown = score(truth.parent, args.reader)
        totals = [total + len(each) for total, each in zip(totals, lists)]
        if args.cases:
            print(f"{truth.parent.name}: {len(lists[0])} right   step {shown.get('step')}/{shown.get('steps')} epoch {shown.get('epoch')}/{shown.get('epochs')}")
            for word, faults in zip(("wrong", "missing"), lists[1:]):
                for fault in faults:
                    print(f"    {word}  {fault}")
    right, wrong, missing = totals
    percent = 100 * wrong / max(1, right + wrong)
    print(f"{right} right, {wrong} wrong ({percent:.1f} % of the shown values), {missing} missing")
    return 0 if percent < args.below else 1


if __name__ == "__main__":
    sys.exit(main())
