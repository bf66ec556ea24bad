#!/usr/bin/python3
"""Stands in for the CUDA libraries that a PyTorch wheel is linked with, on a machine that has none: 3 GB less to fetch.

    tools/cuda_stubs.py SITE_PACKAGES/torch/lib

Each missing library is made anew with the names that are asked of it, all answering cudaErrorNoDevice. PyTorch then finds no
GPU, and its CPU side is whole. For tests alone. Needs gcc and readelf.
"""
import collections
import pathlib
import re
import subprocess
import sys

NO_DEVICE = 100


def readelf(path, *flags):
    return subprocess.run(["readelf", "-W", *flags, path], capture_output=True, text=True, check=True).stdout


def needed_by(path):
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", readelf(path, "-d")))


def library_of_version(path):
    """Which library each version of a symbol must come from: {"libcudart.so.13": "libcudart.so.13"}, as the file tells."""
    found, library = {}, None
    for line in readelf(path, "-V").splitlines():
        if match := re.search(r"File: (\S+)", line):
            library = match.group(1)
        elif library and (match := re.search(r"Name: (\S+)\s+Flags", line)):
            found[match.group(1)] = library
    return found


def symbols(path):
    """(name, version or "", defined here) of every dynamic symbol that must not be missing."""
    for line in readelf(path, "--dyn-syms").splitlines():
        parts = line.split()
        if len(parts) < 8 or not parts[0].endswith(":") or parts[4] == "WEAK" and parts[6] == "UND":
            continue
        name, _, version = parts[7].partition("@")
        yield name, version.lstrip("@"), parts[6] != "UND"


def system_libraries():
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^\s+(\S+) .*x86-64.* => (\S+)$", listed, re.MULTILINE))


def compile_stub(folder, library, by_version):
    source, script, out = folder / "stub.c", folder / "stub.map", folder / library
    names = sorted(set().union(*by_version.values()))
    source.write_text("".join(f"int {name}(void) {{ return {NO_DEVICE}; }}\n" for name in names) or "int nothing;\n")
    command = ["gcc", "-w", "-shared", "-fPIC", "-fno-builtin", f"-Wl,-soname,{library}", "-o", out, source]
    versions = {version: names for version, names in by_version.items() if version}
    if versions:
        script.write_text("".join(f"{version} {{ global: {'; '.join(sorted(names))}; }};\n" for version, names in versions.items()))
        command.append(f"-Wl,--version-script={script}")
    subprocess.run(command, check=True)
    source.unlink()
    script.unlink(missing_ok=True)


def main(folder):
    wheel = sorted(folder.glob("*.so"))
    here, system = {path.name for path in folder.iterdir()}, system_libraries()
    needed = set().union(*map(needed_by, wheel))
    missing = sorted(needed - here - set(system))
    defined = {name for path in (*wheel, sys.executable, *(system[library] for library in needed & set(system)))
               for name, _, is_here in symbols(path) if is_here}
    stubs = {library: collections.defaultdict(set) for library in missing}
    for path in wheel:
        origin = library_of_version(path)
        for name, version, is_here in symbols(path):
            library = origin.get(version, missing[0] if missing and not version else None)
            if not is_here and library in stubs and name not in defined:
                stubs[library][version].add(name)
    for library, by_version in stubs.items():
        compile_stub(folder, library, by_version)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
