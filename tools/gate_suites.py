"""The heavy suites of the gate, and the files that each of them depends on."""
import functools
import hashlib
import os
import pathlib
import re
import subprocess

import gate_plan
from frameworks import FRAMEWORKS

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z0-9_]+)/', re.MULTILINE)
BUILD = ("CMakeLists.txt", "CMakePresets.json", "cmake/", "tools/build.sh", "apps/CMakeLists.txt")
TEST_SOURCE = re.compile(r"(_test|_fuzz)\.cc$|/corpus/|/golden/")
# These use threads. In a module with one thread the thread sanitizer has nothing to find.
THREADED = ("os", "http", "s3", "store", "engines", "objects", "transfer", "launcher", "lifecycle", "api")


@functools.cache
def files():
    """Every file of the tree, by its name: tracked, or new and not ignored."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
                            text=True, check=True)
    return tuple(sorted(name for name in listed.stdout.splitlines() if (ROOT / name).is_file()))


@functools.cache
def digest(name):
    return hashlib.sha256((ROOT / name).read_bytes()).digest()


def key_of(names):
    key = hashlib.sha256()
    for name in names:
        key.update(name.encode() + b"\0" + digest(name))
    return key.hexdigest()


def below(*prefixes, but_not=()):
    return {name for name in files() if name.startswith(prefixes) and not (but_not and name.startswith(but_not))}


@functools.cache
def modules():
    return tuple(sorted({name.split("/")[1] for name in files() if re.fullmatch(r"src/[a-z0-9_]+/CMakeLists\.txt", name)}))


@functools.cache
def included(module, tests):
    """Modules that the sources of a module include."""
    names = (name for name in below(f"src/{module}/") if name.endswith((".cc", ".h")) and (tests or not TEST_SOURCE.search(name)))
    return frozenset(first for name in names for first in INCLUDE.findall((ROOT / name).read_text()) if first in modules())


@functools.cache
def sources_of(module):
    """The files that the tests of a module depend on: the module, and the product sources of the modules below it."""
    found, waiting = {module}, set(included(module, True))
    while waiting:
        found.add(name := waiting.pop())
        waiting |= included(name, False) - found
    product = {name for name in below(*(f"src/{name}/" for name in found)) if not TEST_SOURCE.search(name)}
    python = below("python/") if "launcher" in found else set()  # embedded in the launcher
    return frozenset(product | below(f"src/{module}/") | below(*BUILD) | python)


@functools.cache
def product():
    """The files that the executable depends on."""
    sources = {name for name in below("src/", "apps/", "python/", *BUILD) if not TEST_SOURCE.search(name)}
    return frozenset(sources - below("python/tests/"))


def suite(name, names, *command, **more):
    return gate_plan.Suite(name, key_of(sorted(names)), command, **more)


def sanitizer_suites():
    tests = below("tools/sanitize.sh")
    storm = product() | below("tests/conftest.py", "tests/torture/", "tools/sanitize.sh", "tools/torture.sh")
    for preset, chosen in (("asan", modules()), ("tsan", THREADED)):
        for module in chosen:
            yield suite(f"{preset} {module}", sources_of(module) | tests, "make", "sanitize", f"ONLY={preset} {module}", estimate=120)
        yield suite(f"{preset} muster", storm, "make", "sanitize", f"ONLY={preset} muster", estimate=400)


def fuzz_suites():
    cores = os.cpu_count() or 1
    targets = {}
    for name in files():
        if match := re.fullmatch(r"src/([a-z0-9_]+)/([a-z0-9_]+)_fuzz\.cc", name):
            targets.setdefault(match[1], []).append(match[2])
    for module, names in targets.items():
        seconds = 120 + 60 * -(-len(names) // cores)
        yield suite(f"fuzz {module}", sources_of(module) | below("tools/fuzz.sh"), "make", "fuzz", "ONLY=" + " ".join(names), estimate=seconds)


def program_suites():
    common = product() | below("tests/conftest.py")
    objects = below("tests/objects/", "tests/s3.py", "tools/test_objects.sh", "tools/object_peers.sh")
    yield suite("objects", common | objects, "make", "test-objects", estimate=420)
    frameworks = below("tests/frameworks/", "tools/test_frameworks.sh", "tools/frameworks.py", "tools/cuda_stubs.py")
    for name in FRAMEWORKS:
        yield suite(f"frameworks {name}", common | frameworks, "make", "test-frameworks", f"ONLY={name}", estimate=180)
    shared = common | below("tests/torture/", but_not="tests/torture/test_") | below("tools/torture.sh", "perf/frame/")
    for name in sorted(below("tests/torture/test_")):
        yield suite(f"long torture {pathlib.Path(name).stem}", shared | {name}, "make", "torture", "TORTURE=long", "TORTURE_HOURS=0",
                    f"TORTURE_ONLY={name}", estimate=600, resumes=False)


def all_suites():
    return [*sanitizer_suites(), *fuzz_suites(), *program_suites()]
