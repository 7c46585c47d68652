"""Doctests are found wherever there is a prompt, also where one file is named alone."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule


def test_the_function_of_a_room_is_not_replaced_by_its_module():
    """The function has the name of its file and is imported from the room."""
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "src/learnable/rows/moments.py"]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


class Sample:
    """Without an example."""

    @property
    def found(self):
        """With one.

        >>> 1 + 1
        2
        """

    def other(self):
        """Without."""


def test_files_and_docstrings_without_a_prompt_are_left_out_and_no_others(request, tmp_path):
    plugins = request.config.pluginmanager.get_plugins()
    (only,) = [plugin for plugin in plugins if type(plugin).__name__ == "OnlyWhereThereAreExamples"]
    for text, kept in (('"""No example."""', False), ('"""\n>>> 1 + 1\n2\n"""', True)):
        path = tmp_path / f"{kept}.py"
        path.write_text(text)
        collecting = only.pytest_collect_file(path)
        next(collecting)
        found = [DoctestModule.from_parent(request.session, path=path), None]
        with pytest.raises(StopIteration) as ended:
            collecting.send(found)
        assert ended.value.value == (found if kept else [None])
    assert [test.name for test in doctest.DocTestFinder().find(Sample, "Sample")] == ["Sample.found"]
