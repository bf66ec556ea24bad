"""What a process keeps in memory, from /proc."""
import pathlib


def rollup(pid):
    """Rss and Pss of a process in KB; Pss counts what is shared by parts."""
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith(("Rss:", "Pss:"))}


def rss_kb(pid):
    return rollup(pid)["Rss"]


def launchers(data):
    """The pids of the launchers of a data folder, by what they were started with."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"{data}/".encode() in (words := (entry / "cmdline").read_bytes()) and b"\0launch\0" in words:
                found.append(int(entry.name))
        except OSError:
            continue
    return found
