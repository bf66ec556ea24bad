"""A server that cannot start says why in one error and ends with an exit code, never by a signal."""
import os
import shutil
import subprocess

import pytest
from conftest import MUSTER, marked_processes, wait_until


def link(target):
    return lambda path: path.symlink_to(target)


def make_file(path):
    path.write_text("")


def make_folder(path):
    path.mkdir()


@pytest.fixture
def data(scratch):
    (scratch / "data").mkdir()
    return scratch / "data"


def start(data, before=(), seconds=30):
    """(exit code, standard error) of a server that ends by itself; (None, "") of one that starts, and is ended then."""
    with open(data.parent / "err", "w+") as err:
        process = subprocess.Popen([*before, MUSTER, "server", "--data", str(data)], stdin=subprocess.DEVNULL, stdout=err, stderr=err)
        def over():
            return process.poll() is not None or (data / "endpoint.json").is_file()
        try:
            wait_until(over, seconds)
        finally:
            started = process.poll() is None
            process.terminate()
            process.wait(30)
        err.seek(0)
        return (None, "") if started else (process.returncode, err.read())


BROKEN = [
    ("objects", link("../elsewhere")), ("objects", link("nowhere")), ("objects", make_file),
    ("objects/.muster", make_file), ("objects/.muster", link("nowhere")), ("objects/.muster", link("../../elsewhere")),
    ("jobs", make_file), ("jobs", link("nowhere")), ("code", make_file),
    ("journal.db", make_folder), ("journal.db", link("nowhere")), ("journal.db-wal", make_folder), ("journal.mark", make_folder),
    ("lock", make_folder), ("lock", link("nowhere")), ("token", make_folder),
]


@pytest.mark.parametrize("name, breaks", BROKEN, ids=[f"{name}-{number}" for number, (name, _) in enumerate(BROKEN)])
def test_broken_part_of_the_data_folder_is_named(data, name, breaks):
    (data.parent / "elsewhere").mkdir()
    (data / name).parent.mkdir(exist_ok=True)
    breaks(data / name)
    code, words = start(data)
    assert code in (1, 2), (code, words)
    folder, _, leaf = name.partition("/")  # a part of the object store is named below its folder
    assert str(data / folder.split("-")[0]) in words and leaf in words, words
    errors = [line for line in words.splitlines() if line.startswith("muster server: ")]
    assert len(errors) == 1, words


@pytest.mark.parametrize("breaks", [make_file, link("nowhere")], ids=["file", "dangling link"])
def test_data_folder_that_is_none_is_named(scratch, breaks):
    breaks(scratch / "data")
    code, words = start(scratch / "data")
    assert code == 1 and str(scratch / "data") in words, (code, words)


@pytest.mark.skipif(os.getuid() != 0, reason="root gives the rights away for this")
def test_data_folder_without_permission_is_named(data):
    data.parent.chmod(0o755)
    data.chmod(0o700)
    code, words = start(data, before=("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"))
    assert code == 1 and str(data) in words and "denied" in words, (code, words)


def test_few_descriptors_end_no_start_by_a_signal(data):
    codes = {}
    for count in range(4, 40, 2):
        codes[count], words = start(data, before=("prlimit", f"--nofile={count}"))
        assert codes[count] in (None, 1, 127), (count, codes[count], words)
        if codes[count] == 1:
            assert "muster server: " in words and "open files" in words.lower(), (count, words)
        shutil.rmtree(data)
        data.mkdir()
    assert 1 in codes.values()


READ_ONLY = ["unshare", "-m", "sh", "-c", 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"']


def test_read_only_data_folder_is_named(data):
    if subprocess.run([*READ_ONLY, str(data), "true"], capture_output=True).returncode != 0:
        pytest.skip("this user may not mount")
    code, words = start(data, before=[*READ_ONLY, str(data)])
    assert code == 1 and "read-only" in words.lower(), (code, words)
    assert start(data)[0] is None
    code, words = start(data, before=[*READ_ONLY, str(data)])
    assert code == 1 and "read-only" in words.lower(), (code, words)


def test_failed_start_touches_no_job_and_the_next_start_takes_it_up(server):
    job_id = server.submit("--", "sh", "-c", "while [ ! -e $MUSTER_JOB_DIR/go ]; do sleep 0.05; done; echo whole")
    server.wait_state(job_id, "running")
    waiting = server.submit("--after", str(job_id), "--", "echo", "next")
    server.kill()
    (server.data / "endpoint.json").unlink()
    (server.data / "objects").rename(server.data / "aside")
    (server.data / "objects").write_text("")
    code, words = start(server.data)
    assert code == 1 and "objects" in words
    assert marked_processes(server.data)
    (server.data / "objects").unlink()
    (server.data / "aside").rename(server.data / "objects")
    server.start()
    (server.data / f"jobs/{job_id}/go").touch()
    assert server.wait_end(job_id)["state"] == "succeeded" and server.rank_log(job_id) == b"whole\n"
    assert server.wait_end(waiting)["state"] == "succeeded" and server.rank_log(waiting) == b"next\n"
