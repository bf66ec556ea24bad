"""Values that a job's ranks print or report, from the ranks to the pages of the job."""
import json

import pytest

REPORT = r"""
import json, os
path = os.environ["MUSTER_METRICS"]
rank = int(os.environ.get("MUSTER_RANK", "0"))
print("step 3 loss: 9.5 accuracy: 0.25", flush=True)
with open(path, "a") as file:
    file.write(json.dumps({"step": 10, "loss": 0.5 + rank, "reward/mean": 12.25}) + "\n")
    file.write("not json\n")
    file.write('{"diverged": NaN}\n')
"""


def run_report(server, scratch, *flags):
    (scratch / "report.py").write_text(REPORT)
    job = server.submit(*flags, "--", "/usr/bin/python3", "report.py", cwd=scratch)
    assert server.wait_end(job)["state"] == "succeeded"
    return job, json.loads(server.run("describe", job, "--json").stdout)


@pytest.mark.parametrize("platform", [None, "modelarts", "modelarts-v1", "apulis"])
def test_reported_values_replace_printed_ones_on_every_platform(server, scratch, platform):
    flags = ["--platform", platform, "-f", "custom"] if platform else []
    job, page = run_report(server, scratch, *flags)
    progress = page["progress"]
    assert progress["values"] == {"step": 10, "loss": 0.5, "accuracy": 0.25, "reward/mean": 12.25, "diverged": "nan"}
    assert progress["reported"] == ["diverged", "loss", "reward/mean", "step"]
    shown = server.run("describe", job).stdout
    assert "step 10 · loss 0.5 · accuracy 25.0 % (step 3) · diverged nan · reward/mean 12.25" in shown
    events = server.run("events", job).stdout
    assert events.count("$MUSTER_METRICS has a line that is not read") == 1


def test_values_of_rank_0_are_shown_when_several_ranks_report(server, scratch):
    _, page = run_report(server, scratch, "-g", "cpu:2", "-f", "custom")
    assert len(page["ranks"]) == 2
    assert page["progress"]["rank"] == 0
    assert page["progress"]["values"]["loss"] == 0.5


def test_nan_in_a_sweep_is_shown_as_nan(server, scratch):
    (scratch / "train.py").write_text(
        "import sys\nlr = sys.argv[1].split('=')[1]\nprint('step 10 loss: 0.5')\nprint('step 20 loss:', 'nan' if lr == '9' else 0.25)\n")
    (scratch / "job.yaml").write_text("run: train.py\nframework: custom\nparameters: {lr: 1}\nsweep: {lr: [1, 9]}\n")
    ran = server.run("run", "job.yaml", cwd=scratch)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    rows = [line.split() for line in ran.stdout.splitlines() if "succeeded" in line]
    assert [(row[1], row[-2]) for row in rows] == [("1", "0.25"), ("9", "nan")] or \
        [("0.25" in row, "nan" in row) for row in rows] == [(True, False), (False, True)]


def test_ssh_sessions_of_a_platform_have_a_metrics_file(start_server):
    server = start_server("--nodes", "2x2gpu")
    script = "ssh ib-worker-1 'echo {} >> $MUSTER_METRICS && echo wrote $MUSTER_METRICS'; echo rank $MUSTER_METRICS"
    job = server.submit("--platform", "apulis", "-f", "horovod", "-N", "2", "-g", "gpu:2", "-C", "none", "--", script)
    ended = server.wait_end(job)
    text = server.rank_log(job).decode()
    assert ended["state"] == "succeeded", text
    attempt = server.data / f"jobs/{job}/attempts/1"
    assert f"wrote {attempt}/node1/metrics/node.jsonl\n" in text
    assert f"rank {attempt}/node0/metrics/rank0.jsonl\n" in text
