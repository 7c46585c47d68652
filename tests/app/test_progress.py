"""Progress: nothing for machines, lines in a log, estimates that count down."""

import io

import pytest

from learnable.app.progress import Bar, Clock, Lines, Silent, for_stream, time_left


class Terminal(io.StringIO):
    def isatty(self):
        return True


def work(progress):
    progress.stage("reading \x1b[31m")
    progress.begin(4)
    for number in range(4):
        progress.advance()
        progress.note(f"fit [bold]{number}[/bold]")
    progress.close()


def test_lines_have_no_control_signs_and_an_estimate():
    stream = io.StringIO()
    work(for_stream(False, stream))
    assert "\x1b" not in stream.getvalue()
    assert "left)" in stream.getvalue()
    assert "[bold]3[/bold]" in stream.getvalue()


def test_a_terminal_gets_a_bar_and_markup_in_names_is_text():
    stream = Terminal()
    progress = for_stream(False, stream)
    assert isinstance(progress, Bar)
    work(progress)
    assert "[bold]3[/bold]" in stream.getvalue()


def test_silent_is_silent(capsys):
    progress = for_stream(True)
    assert isinstance(progress, Silent)
    work(progress)
    assert capsys.readouterr() == ("", "")


def test_a_log_gets_lines():
    assert isinstance(for_stream(False, io.StringIO()), Lines)


def test_the_estimate_is_time_per_unit_times_units_left(monkeypatch):
    ticks = [100.0]
    monkeypatch.setattr("learnable.app.progress.now", lambda: ticks[0])
    clock = Clock(10)
    ticks[0] += 4.0
    clock.advance(4)
    assert clock.left() == 6.0
    clock.advance(6)
    assert clock.left() == 0


def test_no_more_time_is_left_than_a_limit_leaves():
    assert time_left(4.0, 4, 100, most=15.0) == 11.0  # 96 at this pace
    assert time_left(4.0, 94, 100, most=15.0) == pytest.approx(4.0 / 94 * 6)
    assert time_left(16.0, 4, 100, most=15.0) is None
