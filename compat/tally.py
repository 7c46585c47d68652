"""Counting: what passed, what failed, what was expected of the failures."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from compat.exceptions import Excepted
from compat.places import PLACES


class Verdict(NamedTuple):
    """The end of one test."""

    test: str
    outcome: str
    classes: tuple[str, ...]
    message: str


class Tally:
    """A pytest plugin for the controlling process that keeps the verdict on every test."""

    def __init__(self) -> None:
        self.verdicts: dict[str, Verdict] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # The id itself has no file where the tests stand outside the folder of the run.
        test = f"{Path(report.location[0]).name}::{report.nodeid.partition('::')[2]}"
        if report.when == "call" or report.outcome != "passed":
            classes = tuple(dict(report.user_properties).get("fitted", ()))
            crash = getattr(report.longrepr, "reprcrash", None)
            self.verdicts[test] = Verdict(test, report.outcome, classes, crash.message if crash else "")

    @property
    def counted(self) -> list[Verdict]:
        """The tests that fitted one of our classes, or failed before they could; not the skipped ones."""
        return [v for v in self.verdicts.values() if v.outcome == "failed" or (v.outcome == "passed" and v.classes)]

    def unexpected_failures(self, exceptions: list[Excepted]) -> list[Verdict]:
        """Failures that no exception covers."""
        return [v for v in self.counted if v.outcome == "failed" and not any(e.covers(v.test) for e in exceptions)]

    def needless(self, exceptions: list[Excepted]) -> list[Excepted]:
        """Exceptions none of whose tests failed: they can be struck off the list."""
        failed = [v.test for v in self.counted if v.outcome == "failed"]
        return [e for e in exceptions if not any(e.covers(test) for test in failed)]

    def passing_although_listed(self, exceptions: list[Excepted]) -> list[str]:
        """Listed tests that pass."""
        return [v.test for v in self.counted if v.outcome == "passed" and any(e.covers(v.test) for e in exceptions)]

    def table(self, exceptions: list[Excepted]) -> str:
        """Pass rate per class, over the tests that fit it, and over those of them that read no private attribute."""
        lines = [f"{'class':<30}{'tests':>7}{'passed':>8}{'listed':>8}{'failed':>8}{'pass rate':>11}{'public':>9}"]
        for name in PLACES:
            lines.append(_line(name, [v for v in self.counted if name in v.classes], exceptions))
        lines.append(_line("all", self.counted, exceptions))
        return "\n".join(lines)


def _line(name: str, verdicts: list[Verdict], exceptions: list[Excepted]) -> str:
    count = Counter(
        "passed" if v.outcome == "passed" else "listed" if any(e.covers(v.test) for e in exceptions) else "failed"
        for v in verdicts
    )
    private = sum(v.outcome == "failed" and any(e.private and e.covers(v.test) for e in exceptions) for v in verdicts)
    rates = "".join(
        f"{count['passed'] / whole:>{width}.1%}" if whole else f"{'-':>{width}}"
        for whole, width in ((len(verdicts), 11), (len(verdicts) - private, 9))
    )
    return f"{name:<30}{len(verdicts):>7}{count['passed']:>8}{count['listed']:>8}{count['failed']:>8}{rates}"
