#!/usr/bin/python3
"""Real frameworks for `make test-frameworks`, each in a virtual environment of its own outside of the tree.

    tools/frameworks.py [--out FILE] [NAME...]     makes what is missing; says what cannot be had, and why

An environment is kept in ${MUSTER_CACHE:-~/.cache/muster}/frameworks/<name>-<hash of all that went into it>: a change of a
pinned version makes a new one. It is complete or absent: the file `ready` is written last, and a folder without it is made
anew. (Programs in a virtual environment name their interpreter by its full path, so it cannot be made elsewhere and moved.)

Interpreters are looked for in $MUSTER_PYTHONS (programs or folders, with colons between), on $PATH, in /usr/bin and in pyenv.
"""
import argparse
import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PINS = ROOT / "tests/frameworks/requirements"
CACHE = pathlib.Path(os.environ.get("MUSTER_CACHE") or pathlib.Path.home() / ".cache/muster") / "frameworks"
DEBIAN = "/usr/bin/python3"  # the one that python3-torch belongs to
CURRENT = ("3.11",)


@dataclasses.dataclass
class Framework:
    check: str                # runs when it is installed as it should be
    pythons: tuple = CURRENT   # versions that it is known to work with, the best first
    debian: bool = False      # sees Debian's packages, PyTorch among them
    build: dict = None        # it comes as source: what its setup is told
    stubs: bool = False       # its libraries want CUDA's, see cuda_stubs.py
    optional: bool = False    # only where the machine happens to have an interpreter for it


FRAMEWORKS = {
    "pytorch": Framework("import torch", pythons=(), debian=True),
    "pytorch2": Framework("import torch; assert torch.distributed.is_gloo_available()", stubs=True),
    "mindspore": Framework("import mindspore"),
    "paddle": Framework("import paddle.distributed"),
    "tensorflow": Framework("import tensorflow"),
    "horovod": Framework("import horovod.torch", pythons=("3.11",), debian=True, build={
        "HOROVOD_WITH_GLOO": "1", "HOROVOD_WITH_MPI": "1", "HOROVOD_WITH_PYTORCH": "1", "HOROVOD_WITHOUT_TENSORFLOW": "1",
        "HOROVOD_WITHOUT_MXNET": "1", "HOROVOD_CPU_OPERATIONS": "GLOO", "MAKEFLAGS": f"-j{os.cpu_count()}"}),
    "paddle18": Framework("import paddle.distributed.launch", pythons=("3.7",), optional=True),
}


class CannotBeHad(Exception):
    pass


def version_of(python):
    """Like "3.11", or nothing: a name on the path may be a stand-in for an interpreter that is not there."""
    try:
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def candidates(version):
    for place in filter(None, os.environ.get("MUSTER_PYTHONS", "").split(":")):
        yield from (f"{place}/python{version}", f"{place}/bin/python{version}") if os.path.isdir(place) else (place,)
    yield DEBIAN
    yield from (f"{folder}/python{version}" for folder in os.environ.get("PATH", "").split(":") if folder)
    try:
        pyenv = subprocess.run(["pyenv", "root"], capture_output=True, text=True, timeout=60).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        pyenv = ""
    for root in filter(None, (os.environ.get("PYENV_ROOT"), pyenv)):
        yield from map(str, sorted(pathlib.Path(root, "versions").glob(f"{version}.*/bin/python{version}"), reverse=True))


def find_python(versions):
    for version in versions:
        for python in candidates(version):
            if os.access(python, os.X_OK) and version_of(python) == version:
                return python
    raise CannotBeHad(f"it needs Python {' or '.join(versions)}, and none was found in MUSTER_PYTHONS, PATH, /usr/bin or pyenv; "
                      "install one, or name it in MUSTER_PYTHONS")


def run(log, *command, cwd=None, env=None):
    """One step of making an environment; the last words of a failed one are the reason."""
    with open(log, "ab") as out:
        out.write(f"$ {' '.join(map(str, command))}\n".encode())
        out.flush()
        done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=cwd,
                              env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **(env or {})})
    if done.returncode == 0:
        return
    last = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()][-4:]
    raise CannotBeHad(f"`{' '.join(map(str, command))}` ended with {done.returncode}:\n    " + "\n    ".join(last) +
                      "\n  Next: see that pip reaches its index (`pip config list`; PIP_INDEX_URL names a mirror), then run this "
                      f"again: what is complete is kept. The whole output is in {log}")


def build_wheel(framework, folder, log, pins):
    """From source, against what the environment sees: the longest step of all."""
    python, source = folder / "bin/python", folder / "source"
    run(log, python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "-d", source, "-r", pins)
    archive = next(source.iterdir())
    shutil.unpack_archive(archive, source)
    tree = next(path for path in source.iterdir() if path.is_dir())
    run(log, python, "setup.py", "-q", "bdist_wheel", cwd=tree, env=framework.build)
    run(log, python, "-m", "pip", "install", "-q", "--no-deps", next((tree / "dist").glob("*.whl")))
    shutil.rmtree(source)


def make(name, framework, folder, python, log):
    pins = PINS / f"{name}.txt"
    shutil.rmtree(folder, ignore_errors=True)
    run(log, python, "-m", "venv", *(["--system-site-packages"] if framework.debian else []), folder)
    if framework.build:
        build_wheel(framework, folder, log, pins)
    else:
        run(log, folder / "bin/python", "-m", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:", "-r", pins)
    if framework.stubs:
        run(log, ROOT / "tools/cuda_stubs.py", next(folder.glob("lib/python3*/site-packages/torch/lib")))
    run(log, folder / "bin/python", "-c", framework.check)
    shutil.copyfile(pins, folder / "ready")


def environment(name, framework):
    """The interpreter that has the framework, made ready where it is not."""
    if not framework.pythons:
        if subprocess.run([DEBIAN, "-c", framework.check], capture_output=True).returncode != 0:
            raise CannotBeHad(f"`{DEBIAN} -c '{framework.check}'` fails; run tools/deps.sh frameworks")
        return DEBIAN
    python = DEBIAN if framework.debian else find_python(framework.pythons)
    pins = [line for line in (PINS / f"{name}.txt").read_text().splitlines() if line and not line.startswith("#")]
    key = hashlib.sha256(repr((pins, python, version_of(python), framework.debian, framework.build)).encode())
    folder = CACHE / f"{name}-{key.hexdigest()[:12]}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{folder.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second run waits for the first one's work
        if not (folder / "ready").exists():
            began, log = time.monotonic(), CACHE / f"{folder.name}.log"
            log.write_bytes(b"")
            print(f"{name}: installing into {folder}", flush=True)
            make(name, framework, folder, python, log)
            print(f"{name}: installed in {time.monotonic() - began:.0f} s", flush=True)
    return str(folder / "bin/python")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, help="where to write, as JSON, which interpreter has which framework")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {' '.join(FRAMEWORKS)}; all without")
    args = parser.parse_args()
    unknown = set(args.names) - set(FRAMEWORKS)
    if unknown:
        parser.error(f"unknown: {' '.join(sorted(unknown))}; there are {' '.join(FRAMEWORKS)}")
    found, failed = {}, False
    for name in args.names or FRAMEWORKS:
        try:
            found[name] = {"python": environment(name, FRAMEWORKS[name])}
        except CannotBeHad as error:
            found[name] = {"missing": str(error).split("\n")[0]}
            optional = FRAMEWORKS[name].optional
            failed = failed or not optional
            print(f"{name}: NOT AVAILABLE{', and not needed' if optional else ''}: {error}", file=sys.stderr, flush=True)
    if args.out:
        args.out.write_text(json.dumps(found))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
