#!/usr/bin/python3
"""The project's own checks: layers, sizes, words. Prints every fault, exits 1 when there is one."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Which modules the sources of a module may include, beside their own. Includes point down only.
ALLOWED = {
    "base": "",
    "os": "base",
    "http": "base os",
    "model": "base",
    "scheduler": "base model",
    "dialect": "base model",
    "verdict": "base model",
    "checkup": "base",
    "metrics": "base os model",
    "store": "base os model",
    "s3": "base os http",
    "objects": "base os http model s3",
    "transfer": "base os http model s3",
    "engines": "base os http model",
    "launcher": "base os http model dialect metrics transfer",
    "lifecycle": "base os model scheduler dialect verdict metrics store engines/engine.h",
    "api": "base os http model store metrics lifecycle objects",
    "cli": "base os http model dialect checkup transfer",
}
# Pure modules may not see the clock, the disk or the network even through the standard library.
PURE = {"scheduler", "dialect", "verdict", "checkup"}
IMPURE = {"<chrono>", "<ctime>", "<filesystem>", "<fstream>", "<thread>", "<sys/socket.h>", "<unistd.h>", "<random>"}
LIMITS = {".h": 150, ".cc": 400, "_test.cc": 800}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))')


def layer_faults(name, text, allowed, tests):
    """Includes of one file that its row of the table does not allow."""
    module = name.split("/")[1]
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target, system = match.groups()
        if system:
            if module in PURE and system in IMPURE and not tests:
                yield f"{name}:{number}: {module} is pure and may not include {system}"
            continue
        first = target.split("/")[0]
        row = allowed[module].split()
        if first in allowed and first != module and first not in row and target not in row and not tests:
            yield f"{name}:{number}: {module} may not include {target}"


def size_faults(name, text):
    kind = "_test.cc" if name.endswith("_test.cc") else pathlib.Path(name).suffix
    lines = text.count("\n")
    if kind in LIMITS and lines > LIMITS[kind] and "// Longer than" not in text:
        yield f"{name}: {lines} lines, at most {LIMITS[kind]} (split by noun or step, or say why: '// Longer than ...')"


# These decide by os/cgroup.cc whether there are control groups. To be replaced by a probe; nothing may be added.
SKIPS_BY_PRODUCT = ("src/engines/local/local_engine_test.cc", "src/launcher/launcher_test.cc", "src/os/sweep_test.cc")


def skip_faults(name, text):
    """A skip whose reason comes from the code under test is decided by it: when the code breaks, the test does not fail."""
    for number, line in enumerate(text.splitlines() if name not in SKIPS_BY_PRODUCT else [], 1):
        if re.search(r'GTEST_SKIP\(\)(?! << "[^"]*";)|pytest\.skip\((?!f?")', line):
            yield f"{name}:{number}: the reason of a skip is not a text: decide on it by a probe that is independent of the code under test"


def word_faults(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line):
            yield f"{name}:{number}: unfinished by its own words: {line.strip()}"


def main():
    names = subprocess.run(["git", "ls-files", "src", "apps"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    faults = []
    for name in names:
        if not name.endswith((".cc", ".h")) or not (ROOT / name).exists():
            continue
        text = (ROOT / name).read_text()
        tests = name.endswith(("_test.cc", "_fuzz.cc")) or "/testing/" in name
        if name.startswith("src/"):
            faults += layer_faults(name, text, ALLOWED, tests)
        faults += size_faults(name, text)
        faults += word_faults(name, text)
        faults += skip_faults(name, text)
    for path in [*ROOT.glob("tests/**/*.py"), *ROOT.glob("python/tests/*.py")]:
        faults += skip_faults(str(path.relative_to(ROOT)), path.read_text())
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
