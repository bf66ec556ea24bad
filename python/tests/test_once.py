"""One fetch for all ranks of a node, whoever is killed when."""
import os
import signal
import subprocess
import sys

import pytest
from support import PYTHON, no_store  # noqa: F401
from moxing.framework.file import once
from moxing.framework.file.s3 import Found

# Fetches "source" (two files) to argv[1]; says what happened. With argv[2] it waits, lock in hand, until it is killed.
RANK = """
import os, shutil, sys
from moxing.framework.file import once
from moxing.framework.file.s3 import Found
target, hang = sys.argv[1], len(sys.argv) > 2
found = [Found("a", 1, 5, "e"), Found("d/b", 2, 5, "f")]
os.makedirs(target, exist_ok=True)
def fetch_all(found, lock):
    with open(os.environ["COUNT"], "a") as file:
        file.write("fetched\\n")
    if hang:
        sys.stdout.write("holding\\n"); sys.stdout.flush(); sys.stdin.read()
    for one in found:
        os.makedirs(os.path.dirname(os.path.join(target, one.name)), exist_ok=True)
        with open(os.path.join(target, one.name), "w") as file:
            file.write("x" * one.size)
def copy_local(path, found):
    shutil.copytree(path, target + ".new"); shutil.rmtree(target); os.rename(target + ".new", target)
print(once.fetch(once.folder(), "store", "source", target, lambda: found, fetch_all, copy_local))
"""


@pytest.fixture
def rank(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("COUNT", str(tmp_path / "count"))
    monkeypatch.setenv("PYTHONPATH", str(PYTHON))
    started = []

    def start(target, *words):
        started.append(subprocess.Popen([sys.executable, "-c", RANK, str(target), *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def said(process):
    return process.communicate(timeout=120)[0].strip()


def count(tmp_path):
    return (tmp_path / "count").read_text().count("fetched")


def test_eight_ranks_with_one_folder_fetch_once(rank, tmp_path):
    words = sorted(said(one) for one in [rank(tmp_path / "data") for _ in range(8)])
    assert words == ["fetched"] + ["there"] * 7 and count(tmp_path) == 1


def test_eight_ranks_with_folders_of_their_own_fetch_once(rank, tmp_path):
    words = sorted(said(one) for one in [rank(tmp_path / str(n)) for n in range(8)])
    assert words == ["copied"] * 7 + ["fetched"] and count(tmp_path) == 1
    assert all((tmp_path / str(n) / "d/b").read_text() == "xx" for n in range(8))


def test_a_killed_holder_leaves_neither_a_lock_nor_a_lie(rank, tmp_path):
    holder = rank(tmp_path / "data", "hang")
    assert holder.stdout.readline() == "holding\n"
    waiting = rank(tmp_path / "data")
    holder.send_signal(signal.SIGKILL)
    assert said(waiting) == "fetched" and count(tmp_path) == 2
    assert said(rank(tmp_path / "data")) == "there"


@pytest.mark.parametrize("change", ["size", "rewritten", "gone"])
def test_files_that_were_changed_are_fetched_again(rank, tmp_path, change):
    assert said(rank(tmp_path / "data")) == "fetched"
    if change == "gone":
        os.unlink(tmp_path / "data/a")
    else:
        (tmp_path / "data/a").write_text("xyz" if change == "size" else "y")
    assert said(rank(tmp_path / "data")) == "fetched" and (tmp_path / "data/a").read_text() == "x"


def test_a_changed_source_is_another_listing():
    was = [Found("a", 1, 5, "e")]
    for now in ([Found("a", 1, 5, "E")], [Found("a", 2, 5, "e")], [Found("a", 1, 6, "e")], [Found("b", 1, 5, "e")],
                [Found("a", 1, 5, "e"), Found("b")], []):
        assert once.listing_digest(now) != once.listing_digest(was)
    assert once.listing_digest([Found("a", 1, 5, "e")]) == once.listing_digest(was)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"listing": "l"}', '{"listing": "l", "copies": 3}',
                                  '{"listing": "l", "copies": {"/x": 3}}', '{"listing": "other", "copies": {"/x": "d"}}'])
def test_a_note_that_makes_no_sense_is_no_note(tmp_path, text):
    note = once.Note(str(tmp_path), "x")
    with open(note._path, "w") as file:
        file.write(text)
    assert note.copies("l") == {}


def test_a_folder_that_others_can_write_to_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = once.folder()
    assert os.stat(made).st_mode & 0o777 == 0o700
    os.chmod(made, 0o777)
    assert once.folder() is None
    monkeypatch.setenv("MUSTER_JOB_DIR", str(tmp_path / "job"))
    os.mkdir(tmp_path / "job")
    assert once.folder().startswith(str(tmp_path / "job"))
    os.rmdir(made)
    os.symlink(tmp_path / "job", made)
    assert once.folder().startswith(str(tmp_path / "job"))
