"""`.. real-output::` runs each line as a command while the pages are built and shows what it printed.

The commands of one page share a folder that is empty at the start, so a later one finds what an earlier one wrote.
Progress, which goes to stderr, is not shown. A command that fails in a way it should not stops the build.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

_FOLDERS: dict[str, tempfile.TemporaryDirectory] = {}


class RealOutput(SphinxDirective):
    """Options: `code`, the exit code that is expected; `last`, how many of the last lines to keep."""

    has_content = True
    option_spec = {"code": directives.nonnegative_int, "last": directives.positive_int}  # noqa: RUF012

    def run(self):
        folder = _FOLDERS.setdefault(self.env.docname, tempfile.TemporaryDirectory())
        shown = []
        for command in self.content:
            shown += [f"$ {command}", *self._printed(command, folder.name)]
        block = nodes.literal_block("\n".join(shown), "\n".join(shown), language="text")
        return [block]

    def _printed(self, command: str, folder: str) -> list[str]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        environment = os.environ | {"PATH": path, "COLUMNS": "110", "NO_COLOR": "1"}
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode != self.options.get("code", 0):
            raise self.error(f"{command!r} ended with {done.returncode}: {done.stderr or done.stdout}")
        lines = (done.stdout or done.stderr).rstrip().splitlines()
        keep = self.options.get("last", len(lines))
        return (["…"] if len(lines) > keep else []) + lines[len(lines) - min(keep, len(lines)) :]


def setup(app):
    app.add_directive("real-output", RealOutput)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
