#!/usr/bin/python3
"""usage: test_report.py [--skips FILE] REPORT...: counts the tests in JUnit XML reports, as googletest and
pytest write them. Prints "PASSED FAILED SKIPPED", and adds one line for each skipped test, with its reason, to FILE."""
import argparse
import sys
import xml.etree.ElementTree as tree


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None:
        return "skipped"
    return "disabled" if case.get("status") == "notrun" else "passed"


def reason(case):
    # googletest puts the file and the line first, on a line of their own.
    lines = [line.strip() for line in (case.find("skipped").get("message") or "").splitlines() if line.strip()]
    if len(lines) > 1 and ".cc:" in lines[0]:
        lines = lines[1:]
    return " ".join(lines) or "no reason given"


def read(path):
    """The counts of one report and its skipped tests. A report that cannot be read is one failed test: the program crashed."""
    try:
        cases = list(tree.parse(path).getroot().iter("testcase"))
    except (OSError, tree.ParseError):
        return {"failed": 1}, []
    counts, skips = {}, []
    for case in cases:
        counts[outcome(case)] = counts.get(outcome(case), 0) + 1
        if outcome(case) == "skipped":
            skips.append(f"{case.get('classname')}.{case.get('name')}: {reason(case)}")
    return counts, skips


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skips")
    parser.add_argument("reports", nargs="+")
    args = parser.parse_args()
    total, skips = {}, []
    for path in args.reports:
        counts, skipped = read(path)
        skips += skipped
        for name, count in counts.items():
            total[name] = total.get(name, 0) + count
    if args.skips and skips:
        with open(args.skips, "a") as out:
            out.write("".join(f"  {line}\n" for line in skips))
    print(total.get("passed", 0), total.get("failed", 0), total.get("skipped", 0))


if __name__ == "__main__":
    sys.exit(main())
