"""Every file or none, and nothing half written."""

import os
from pathlib import Path

import pytest

from learnable.app import files
from learnable.app.errors import UserError
from learnable.app.files import check_writable, write_all


def test_old_files_stay_when_a_write_fails(tmp_path, monkeypatch):
    first, second = tmp_path / "report.html", tmp_path / "model.skops"
    write_all({first: b"old report", second: b"old model"})

    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", no_space)
    with pytest.raises(UserError, match="No space left"):
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
