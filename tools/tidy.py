#!/usr/bin/python3
"""usage: tidy.py BUILD SOURCE...: clang-tidy over sources that BUILD has compiled. Prints what it finds, exits 1 then.

A source that was clean is not looked at again until something changes that clang-tidy would see: its text, a header
that the compiler read for it, its command, the checks, clang-tidy itself. As with the compiler's cache, what is known
outlives the tree, in ${MUSTER_CACHE:-~/.cache/muster}/tidy: a clone asks about nothing but its own change.

TIDY_SECONDS limits the time: no source is started later. The sources that read the files changed last come first.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"
KNOWN = pathlib.Path(os.environ.get("MUSTER_CACHE") or pathlib.Path.home() / ".cache/muster") / "tidy"
KEPT_DAYS = 60


def here(text):
    """Text without the place of this tree, so that two clones speak alike."""
    return text.replace(str(ROOT).encode(), b".")


@functools.cache
def fingerprint(path):
    return hashlib.sha256(here(path.read_bytes())).digest()


def read_for(build, objects):
    """The files that the compiler read for each of these objects, as the build noted them."""
    said = subprocess.run(["ninja", "-C", build, "-t", "deps", *objects], capture_output=True, text=True, check=True).stdout
    place = functools.cache(lambda name: (build / name).resolve())
    read = {}
    for paragraph in said.split("\n\n"):
        head, *files = paragraph.splitlines() or [""]
        if head.endswith("(VALID)"):
            read[head.split(": #deps")[0]] = {place(file.strip()) for file in files}
    return read


def by_last_change():
    """The files of the last commits with a number: 0 was changed last. Files changed in the work tree come first."""
    names = subprocess.run(["git", "diff", "--name-only", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    names += subprocess.run(["git", "log", "-n", "50", "--format=", "--name-only"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    return {(ROOT / name).resolve(): number for number, name in reversed(list(enumerate(names)))}


def keys(build, sources):
    """The key of each source: a hash of everything that its result depends on; and the number of its last change. A
    source that the build has not compiled has no key."""
    common = here((ROOT / ".clang-tidy").read_bytes()) + subprocess.check_output([TIDY, "--version"])
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if (source := pathlib.Path(entry["file"])) in sources:
            words = shlex.split(entry["command"])
            commands[source] = (words[words.index("-o") + 1], entry["command"])
    read = read_for(build, [name for name, _ in commands.values()])
    found, age, changes = {}, {}, by_last_change()
    for source, (name, command) in commands.items():
        if name in read:
            key = hashlib.sha256(common + here(command.encode()))
            for called, file in sorted((here(str(file).encode()), file) for file in read[name]):
                key.update(called + fingerprint(file))
            found[source] = key.hexdigest()
            age[source] = min((changes[file] for file in read[name] if file in changes), default=len(changes) + 1)
    return found, age


def look(build, deadline, source):
    if time.monotonic() > deadline:
        return None, ""
    done = subprocess.run([TIDY, "-p", build, "--quiet", "--use-color=0", source], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return done.returncode == 0, done.stdout


def forget_old():
    for note in KNOWN.iterdir():
        if note.stat().st_mtime < time.time() - KEPT_DAYS * 86400:
            note.unlink(missing_ok=True)


def main(build, sources):
    KNOWN.mkdir(parents=True, exist_ok=True)
    forget_old()
    deadline = time.monotonic() + float(os.environ.get("TIDY_SECONDS") or "inf")
    known, age = keys(build, set(sources))
    fresh = []
    for source in sources:
        note = KNOWN / known.get(source, "none")
        note.touch() if note.exists() else fresh.append(source)
    print(f"clang-tidy: {len(sources) - len(fresh)} sources known to be clean, {len(fresh)} to look at", flush=True)
    fresh.sort(key=lambda source: age.get(source, 0))
    clean, late = True, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for count, (source, (good, said)) in enumerate(zip(fresh, pool.map(functools.partial(look, build, deadline), fresh)), 1):
            if good is None:
                late += 1
                continue
            clean = clean and good
            if count % 50 == 0:
                print(f"clang-tidy: {count} of {len(fresh)}", flush=True)
            if not good:
                print(said.strip() or f"{source}: clang-tidy could not look at it", flush=True)
            elif source in known:
                (KNOWN / known[source]).touch()
    if late:
        print(f"left out: clang-tidy of {late} sources whose last change is older: the time is over", flush=True)
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main((ROOT / sys.argv[1]).resolve(), [(ROOT / name).resolve() for name in sys.argv[2:]]))
