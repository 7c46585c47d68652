"""Every file or none, and nothing half written."""

import os
from pathlib import Path

import pytest

from learnable.app import files
from learnable.app.errors import UserError
from learnable.app.files import check_writable, refuse_overwriting, write_all


def test_old_files_stay_when_a_write_fails(tmp_path, monkeypatch):
    first, second = tmp_path / "report.html", tmp_path / "model.skops"
    write_all({first: b"old report", second: b"old model"})

    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", no_space)
    with pytest.raises(UserError, match=r"cannot write .*report\.html: No space left.*--out"):
        write_all({first: b"new report", second: b"new model"})
    assert (first.read_bytes(), second.read_bytes()) == (b"old report", b"old model")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.skops", "report.html"]


def test_an_interrupt_leaves_no_temporary_file(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_all({tmp_path / "a": b"1"})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_that_name_is_refused_before_anything_is_replaced(tmp_path):
    (tmp_path / "b").mkdir()
    with pytest.raises(UserError, match="folder of that name"):
        write_all({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert not (tmp_path / "a").exists()


def test_the_mode_is_that_of_an_ordinary_file(tmp_path):
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    write_all({tmp_path / "made": b""})
    assert (tmp_path / "made").stat().st_mode == plain.stat().st_mode
    os.chmod(tmp_path / "made", 0o640)
    write_all({tmp_path / "made": b"again"})
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o640


def test_a_link_target_outside_is_not_written_through(tmp_path):
    precious = tmp_path / "precious"
    precious.write_bytes(b"keep")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.html").symlink_to(precious)
    write_all({tmp_path / "out" / "report.html": b"new"})
    assert precious.read_bytes() == b"keep"


@pytest.mark.parametrize("place", ["file/out", "file"])
def test_a_file_in_place_of_the_folder_is_refused(tmp_path, place):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError, match="is not a folder"):
        check_writable(tmp_path / place)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write")
def test_an_unwritable_folder_is_refused():
    with pytest.raises(UserError, match="cannot write"):
        check_writable(Path("/proc/nowhere"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
def test_a_pipe_or_a_device_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_all({pipe: b"through", tmp_path / "file": b"beside"})
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert (tmp_path / "file").read_bytes() == b"beside"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "pipe"]


def test_what_is_read_is_not_written_over(tmp_path):
    table = tmp_path / "table.csv"
    table.write_bytes(b"x")
    (tmp_path / "link.csv").symlink_to(table)
    os.link(table, tmp_path / "twin.csv")
    for name in ("table.csv", "link.csv", "twin.csv"):
        with pytest.raises(UserError, match="is the table itself"):
            refuse_overwriting(tmp_path / name, {"the table": table})
    refuse_overwriting(tmp_path / "new.csv", {"the table": table, "the model": tmp_path / "no such"})
