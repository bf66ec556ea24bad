"""mox.file on files of this machine: the same promises as on buckets."""
import glob
import io
import os
import shutil

import pytest
from support import no_store  # noqa: F401
import moxing as mox

file = mox.file


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    (root / "a/b").mkdir(parents=True)
    (root / "empty").mkdir()
    (root / "a/one.txt").write_text("1\n")
    (root / "a/b/two.txt").write_text("22\n")
    os.symlink(root / "a", root / "link")
    return root


def test_names_are_relative_and_in_order(tree):
    assert file.list_directory(str(tree)) == ["a", "empty", "link"]
    assert file.list_directory(str(tree / "a"), recursive=True) == ["b", "b/two.txt", "one.txt"]
    assert file.list_directory(str(tree / "a"), recursive=True, remove_sep=False, skip_file=True) == ["b/"]
    assert file.list_directory(str(tree / "a"), skip_dir=True) == ["one.txt"]
    with pytest.raises(NotADirectoryError) as error:
        file.list_directory(str(tree / "a/one.txt"))
    assert error.value.errno == 20
    with pytest.raises(mox.file.MoxFileNotExistsException):
        file.list_directory(str(tree / "none"))


def test_sizes_and_kinds(tree):
    assert file.get_size(str(tree)) == 0 and file.get_size(str(tree / "a"), recursive=True) == 5
    one = file.stat(str(tree / "a/one.txt"))
    assert (one.length, one.is_directory) == (2, False) and one.mtime_nsec == os.stat(tree / "a/one.txt").st_mtime_ns
    assert file.stat(str(tree)).is_directory and file.is_directory(str(tree)) and not file.exists(str(tree / "no"))
    with pytest.raises(FileNotFoundError):
        file.stat(str(tree / "no"))


def test_remove_keeps_folders_without_recursive(tree):
    file.remove(str(tree))
    file.remove(str(tree / "a/one.txt") + "/")
    assert (tree / "a/one.txt").exists()
    file.remove(str(tree / "link"), recursive=True)
    assert (tree / "a/one.txt").exists() and not (tree / "link").exists()
    file.remove(str(tree), recursive=True)
    assert not tree.exists()
    with pytest.raises(file.MoxFileNotExistsException):
        file.remove(str(tree))


def test_content_is_text_unless_binary(tmp_path):
    path = str(tmp_path / "f")
    file.write(path, "ü")
    file.append(path, b"\n", binary=True)
    assert file.read(path) == "ü\n" and file.read(path, binary=True) == b"\xc3\xbc\n"
    with pytest.raises(FileNotFoundError):
        file.read(path + "x")
    with pytest.raises(TypeError):
        file.write(path, 5)
    assert file.read(path) == "ü\n"


def test_trees_are_copied_with_links_and_empty_folders(tree, tmp_path):
    file.copy_parallel(str(tree), str(tmp_path / "to/here"), threads=4)
    assert file.list_directory(str(tmp_path / "to/here"), recursive=True) == file.list_directory(str(tree), recursive=True)
    assert (tmp_path / "to/here/link/b/two.txt").read_text() == "22\n"
    file.copy_parallel(str(tree), str(tree))  # onto itself: nothing to do
    assert (tree / "a/one.txt").read_text() == "1\n"


def test_recursive_link_terminates(tree, tmp_path):
    os.symlink("..", tree / "a/up")
    file.copy_parallel(str(tree / "a"), str(tmp_path / "to"))
    assert (tmp_path / "to/b/two.txt").exists()


def test_empty_source_creates_the_folder(tree, tmp_path):
    file.copy_parallel(str(tree / "empty"), str(tmp_path / "new"))
    assert os.listdir(tmp_path / "new") == []
    with pytest.raises(file.MoxFileNotExistsException):
        file.copy_parallel(str(tree / "none"), str(tmp_path / "new"))


def test_file_list_restricts_the_copy(tree, tmp_path):
    file.copy_parallel(str(tree), str(tmp_path / "some"), file_list=["a/b/two.txt"])
    assert file.list_directory(str(tmp_path / "some"), recursive=True) == ["a", "a/b", "a/b/two.txt"]
    with pytest.raises(OSError):
        file.copy_parallel(str(tree), str(tmp_path / "some"), file_list=["../../secret"])


def test_single_file_is_copied(tree, tmp_path):
    file.copy_parallel(str(tree / "a/one.txt"), str(tmp_path / "x/y"))
    file.copy(str(tree / "a/one.txt"), str(tmp_path / "x") + "/")
    assert (tmp_path / "x/y").read_text() == (tmp_path / "x/one.txt").read_text() == "1\n"
    assert (tmp_path / "x/y").stat().st_mode & 0o777 == (tree / "a/one.txt").stat().st_mode & 0o777
    with pytest.raises(IsADirectoryError):
        file.copy(str(tree), str(tmp_path / "z"))


def test_rename_moves_files_and_folders(tree, tmp_path):
    file.rename(str(tree / "a/one.txt"), str(tmp_path / "n/m"))
    file.rename(str(tree / "a"), str(tmp_path / "moved"))
    with pytest.raises(OSError):
        file.rename(str(tree), str(tmp_path / "moved"))  # a folder that is there is not moved into
    assert (tmp_path / "n/m").read_text() == "1\n" and (tmp_path / "moved/b/two.txt").exists() and not (tree / "a").exists()


@pytest.mark.parametrize("mode, expected", [("w", "new"), ("a", "old\nnew"), ("r+", "new\n"), ("w+", "new"), ("a+", "old\nnew")])
def test_file_objects_behave_like_open(tmp_path, mode, expected):
    path = tmp_path / "f"
    path.write_text("old\n")
    with file.File(str(path), mode) as stream:
        assert stream.writable() and stream.name == str(path) and stream.mode == mode
        assert stream.readable() == ("+" in mode or mode == "r")
        stream.write("new")
    assert path.read_text() == expected and stream.closed


def test_file_objects_read_lines_and_seek(tmp_path):
    path = tmp_path / "f"
    path.write_text("1\n2\n3")
    with file.File(str(path)) as stream:
        assert list(stream) == ["1\n", "2\n", "3"] and stream.size() == 5
        stream.seek(2)
        assert stream.readline() == "2\n" and stream.readlines() == ["3"]
        with pytest.raises(io.UnsupportedOperation):
            stream.write("x")
    with pytest.raises(ValueError):
        stream.read()
    with pytest.raises(ValueError):
        file.File(str(path), "rw")
    with pytest.raises(file.MoxFileNotExistsException):
        file.File(str(path) + "x")


def test_shift_keeps_local_paths_and_can_be_undone(tree):
    own = (open, os.listdir, os.stat, shutil.rmtree)
    file.shift("os", "mox")
    file.shift("os", "mox")
    try:
        assert open is not own[0]
        assert os.listdir(str(tree / "a")) and os.stat(0) and glob.glob(str(tree / "a/*.txt")) and os.path.isdir(tree)
        with open(os.dup(os.open(str(tree / "a/one.txt"), os.O_RDONLY))) as stream:
            assert stream.read() == "1\n"
        shutil.copytree(str(tree / "a"), str(tree / "c"))
        shutil.rmtree(str(tree / "c"))
        assert [entry[0] for entry in os.walk(str(tree / "a"))] == [str(tree / "a"), str(tree / "a/b")]
    finally:
        file.shift("mox", "os")
    assert (open, os.listdir, os.stat, shutil.rmtree) == own
    with pytest.raises(ValueError):
        file.shift("os", "tf")


def test_names_used_by_scripts_exist():
    import moxing.framework.file.file_io as file_io
    from moxing.framework.util import runtime
    assert mox.framework.file is mox.file and file_io._LARGE_FILE_METHOD and file_io._NUMBER_OF_PROCESSES
    runtime.reset_logger()
