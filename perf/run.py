#!/usr/bin/python3
"""Measures Muster beside its peers: prints a table, writes build/perf/results.json and results.png.

    perf/run.py [--only submit,jobs] [--out DIR] [--publish]
"""
import argparse
import importlib
import json
import pathlib
import signal
import sys
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from frame import page, picture, table  # noqa: E402  (the path above must be there first)
from frame.lab import Lab, describe_machine, in_words  # noqa: E402
from frame.server import ROOT  # noqa: E402

# What is published together: a run of buckets takes as long as all the others, and needs peers that Debian does not have.
GROUPS = {
    "jobs": ("submit", "task", "ranks", "jobs", "logs", "follow", "train", "collective", "plan", "memory", "history", "verbs"),
    "buckets": ("copy",),
}
MEASURES = tuple(name for group in GROUPS.values() for name in group)


def chosen(only):
    names = only.split(",") if only else MEASURES
    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        sys.exit(f"perf: no measure {', '.join(unknown)}; there are {', '.join(MEASURES)}")
    return [importlib.import_module(f"measures.{name}") for name in names]


def save(folder, machine, modules, rows):
    folder.mkdir(parents=True, exist_ok=True)
    results = {"machine": machine, "rows": [row.as_json() for row in rows]}
    (folder / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    (folder / "results.md").write_text(table.as_markdown(rows) + "\n")
    picture.draw(rows, {module.NAME: module.TITLE for module in modules}, in_words(machine), folder / "results.png")
    print(f"\nwritten: {folder}/results.json, results.md, results.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help=f"some of {', '.join(MEASURES)}, with commas")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/perf")
    parser.add_argument("--publish", action="store_true", help="put what was measured whole into docs/performance.md, with its picture")
    arguments = parser.parse_args()
    modules = chosen(arguments.only)
    whole = [group for group, names in GROUPS.items() if {module.NAME for module in modules}.issuperset(names)]
    if arguments.publish and not whole:
        parser.error(f"--publish wants all of a group: {'; or '.join(','.join(names) for names in GROUPS.values())}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("perf: ended by TERM"))  # so that everything started is stopped
    machine, rows, failed = describe_machine(), [], []
    with Lab() as lab:
        for module in modules:
            began = time.monotonic()
            print(f"{module.NAME}: {module.TITLE} …", end=" ", flush=True)
            try:
                rows += module.measure(lab)
                print(f"{time.monotonic() - began:.0f} s", flush=True)
            except Exception:  # noqa: BLE001  (the other measures are still worth having)
                failed.append(module.NAME)
                traceback.print_exc()
    if rows:
        print("\n" + table.as_text(rows))
        save(arguments.out, machine, modules, rows)
    if failed:
        sys.exit(f"perf: could not measure {', '.join(failed)}")
    for group in whole if arguments.publish else ():
        titles = {module.NAME: module.TITLE for module in modules if module.NAME in GROUPS[group]}
        page.publish(group, [row for row in rows if row.measure in titles], titles, machine, ROOT / "docs/performance.md")


if __name__ == "__main__":
    main()
