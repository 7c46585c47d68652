"""Tables from JSON lines: one object a line."""

from collections.abc import Mapping, Sequence
from typing import Any

from learnable.datasets.frame import read_frame
from learnable.datasets.opening import as_file
from learnable.datasets.table import Table


def read_json_lines(
    path: Any, *, ordered: Mapping[str, Sequence[Any]] | None = None, kinds: Mapping[str, str] | None = None
) -> Table:
    """Read a file of one JSON object a line; keys are columns, and a key that a line lacks is a missing cell.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plants.jsonl"
    >>> _ = file.write_text('{"height": 1.5}\\n{"leaf": "oval"}\\n')
    >>> read_json_lines(file).column("height").values
    array([1.5, nan])
    """
    import pyarrow as pa
    from pyarrow import json

    file = as_file(path)
    try:
        with file.open("rb") as stream:
            data = json.read_json(stream)
    except pa.ArrowInvalid as fault:
        raise ValueError(f"{file.name} is not readable as JSON lines: {fault}") from fault
    return read_frame(data, file.name, ordered=ordered, kinds=kinds)
