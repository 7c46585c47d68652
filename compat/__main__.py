"""`python -m compat [modules] [pytest arguments]`: the pass rate per class; 1 if a test fails that is not listed.

Modules, e.g. `sklearn.linear_model.tests.test_base`, stand in for the whole list of test files.
"""

import sys

import click
import pytest

from compat.exceptions import read_exceptions
from compat.places import FILES
from compat.tally import Tally


def main(arguments: list[str]) -> int:
    exceptions, tally = read_exceptions(), Tally()
    files = [argument for argument in arguments if argument.startswith("sklearn.")]
    options = [argument for argument in arguments if argument not in files]
    quiet = [
        "-q",
        "--tb=no",
        "--no-header",
        "--no-summary",
        "-W",
        "ignore",
        "-p",
        "no:cacheprovider",
        "-c",
        "/dev/null",
    ]
    status = pytest.main(["--pyargs", *(files or FILES), "-p", "compat.plugin", *quiet, *options], plugins=[tally])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return int(status)
    unexpected = tally.unexpected_failures(exceptions)
    click.echo(f"\n{tally.table(exceptions)}")
    for title, lines in (
        ("Listed tests that pass", tally.passing_although_listed(exceptions)),
        ("Exceptions that no failing test needs", [e.pattern for e in tally.needless(exceptions)]),
        ("Failures that are not listed", [f"{v.test}: {v.message.splitlines()[:1]}" for v in unexpected]),
    ):
        if lines:
            click.echo("\n  ".join([f"\n{title}:", *lines]))
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
