"""The written list of exceptions: tests that need not pass, each with its reason."""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Excepted(NamedTuple):
    """A pattern of test ids and why those tests are not for us. `*` in the pattern stands for anything.

    `private`: because they read what scikit-learn's class keeps for itself.
    """

    pattern: str
    reason: str
    private: bool = False

    def covers(self, test: str) -> bool:
        """Whether a test id, e.g. "test_ridge.py::test_ridge_scores[4]", is meant; without [...] every case is.

        >>> Excepted("test_ridge.py::test_*_cv", "").covers("test_ridge.py::test_ridge_cv[svd]")
        True
        >>> Excepted("test_ridge.py::test_cv[svd-*]", "").covers("test_ridge.py::test_cv[eigen-1]")
        False
        """
        pattern = self.pattern if self.pattern.endswith("]") else self.pattern + "[*]"
        subject = test if test.endswith("]") else test + "[]"
        return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), subject) is not None


def read_exceptions(path: Path = HERE / "exceptions.toml") -> list[Excepted]:
    """The list as written; a pattern without a reason is an error."""
    with path.open("rb") as file:
        entries = tomllib.load(file).get("exception", [])
    found = []
    for entry in entries:
        if not str(entry.get("reason", "")).strip() or not entry.get("tests"):
            raise ValueError(f"{path.name}: {entry} needs `tests` and a `reason`")
        private = entry.get("private", False)
        found += [Excepted(pattern, entry["reason"], private) for pattern in entry["tests"]]
    return found
