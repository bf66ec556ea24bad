#!/usr/bin/python3
"""usage: mutate.py [--count N] [--seed S] [--only PREFIX] [--whole]: how many wrong changes do the tests detect?

Draws N (20) small wrong changes of product sources, builds each in a clone under build/mutate and runs the unit tests of
its module and of the modules that use it; with --whole also the tests of the whole program. A change that no test detects
is printed: it shows a test that is missing, or code that is not needed. The seed is printed; --seed repeats a sample.
"""
import argparse
import random
import re
import subprocess
import sys

import gate_suites
import mutants

ROOT = gate_suites.ROOT
TREE = ROOT / "build/mutate/tree"
BUILD = TREE / "build/release"
BUILD_LIMIT, TEST_LIMIT, WHOLE_LIMIT = 1800, 180, 1200  # seconds; a test that hangs has detected the mutant


def run(*command, limit=None):
    try:
        return subprocess.run(command, cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def prepare():
    """A clone of the last commit with everything built. ccache has most of it."""
    if TREE.exists():
        subprocess.run(["git", "-C", TREE, "fetch", "-q", ROOT, "HEAD"], check=True)
        subprocess.run(["git", "-C", TREE, "checkout", "-q", "--force", "--detach", "FETCH_HEAD"], check=True)
    else:
        TREE.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "-q", ROOT, TREE], check=True)
    if not run("tools/build.sh", "release", limit=2 * BUILD_LIMIT):
        sys.exit("mutate: the sources do not build without a mutant")


def testing(module):
    """The modules whose tests depend on this one, itself first."""
    others = [other for other in gate_suites.modules() if f"src/{module}/CMakeLists.txt" in gate_suites.sources_of(other)]
    return sorted(others, key=lambda other: other != module)


def detected(module, whole):
    """Which tests notice the mutant that is in the tree: a text, or nothing. Raises ValueError when it does not compile."""
    for other in testing(module):
        if not run("ninja", "-C", str(BUILD), f"{other}_test", limit=BUILD_LIMIT):
            raise ValueError
        if not run(str(BUILD / f"src/{other}/{other}_test"), "--gtest_brief=1", limit=TEST_LIMIT):
            return f"{other}_test"
    if not whole:
        return None
    if not run("ninja", "-C", str(BUILD), "muster", limit=BUILD_LIMIT):
        raise ValueError
    tests = ["tests", "python/tests", *(f"--ignore=tests/{name}" for name in ("torture", "objects", "frameworks"))]
    passed = run("env", f"MUSTER={BUILD / 'muster'}", "/usr/bin/python3", "-m", "pytest", "-q", "-x", "-n", "4", "-p", "no:cacheprovider",
                 *tests, limit=WHOLE_LIMIT)
    return None if passed else "the tests of the whole program"


def product_sources(only):
    product = re.compile(r"src/.*\.cc$")
    test = re.compile(r"_(test|fuzz|bench)\.cc$|/testing/|_for_test|/corpus/|contract_suite|test_")
    names = [name for name in gate_suites.files() if product.match(name) and not test.search(name) and name.startswith(only)]
    return {name: (TREE / name).read_text() for name in names if (TREE / name).exists()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--only", default="src/")
    parser.add_argument("--whole", action="store_true")
    args = parser.parse_args()
    print(f"mutate: seed {args.seed}, {args.count} mutants of {args.only}", flush=True)
    prepare()
    sources = product_sources(args.only)
    found = tried = 0
    # Some do not compile, and are no test of the tests: others take their place.
    for mutant in mutants.draw(sources, 3 * args.count, args.seed):
        if tried == args.count:
            break
        text = sources[mutant.path]
        path = TREE / mutant.path
        path.write_text(mutant.apply(text))
        try:
            by = detected(mutant.path.split("/")[1], args.whole)
        except ValueError:
            continue
        finally:
            path.write_text(text)
        tried += 1
        found += by is not None
        line = text.splitlines()[mutant.line(text) - 1].strip()
        print(f"{'detected' if by else 'SURVIVED'} {mutant.path}:{mutant.line(text)}: '{mutant.old.strip()}' became "
              f"'{mutant.new.strip()}' in: {line}" + (f" ({by})" if by else ""), flush=True)
    print(f"mutate: {found} of {tried} mutants detected ({100 * found // max(tried, 1)} %), seed {args.seed}")


if __name__ == "__main__":
    main()
