"""How long it takes to plan a job of 1,024 nodes of eight ranks, by the library itself: nothing is written or sent."""
from frame.samples import limit
from frame.server import ROOT
from frame.timing import call

NAME = "plan"
TITLE = "plan of 1,024 nodes × 8 ranks"
LIMIT_MS = 50


def measure(_lab):
    call([ROOT / "tools/build.sh", "release", "plan_bench"])
    plans = {}
    for line in call([ROOT / "build/release/src/dialect/plan_bench", "1024", "8"]).decode().splitlines():
        framework, start, *times = line.split()
        plans[f"{framework} ({start})"] = [float(time) for time in times]
    slowest = max(plans, key=lambda name: sorted(plans[name])[len(plans[name]) // 2])
    return [limit(NAME, "the slowest framework", plans[slowest], LIMIT_MS, "ms", note=f"{slowest}, of {len(plans)}")]
