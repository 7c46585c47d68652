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

    An object within an object becomes columns of its own, such as `user.age`, unless `kinds` says how to read it.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plants.jsonl"
    >>> _ = file.write_text('{"height": 1.5}\\n{"leaf": "oval"}\\n')
    >>> read_json_lines(file).column("height").values
    array([1.5, nan])
    >>> _ = file.write_text('{"size": {"height": 1.5, "leaf": {"width": 2}}}\\n')
    >>> read_json_lines(file).names
    ('size.height', 'size.leaf.width')
    """
    import pyarrow as pa
    from pyarrow import json

    file = as_file(path)
    try:
        with file.open("rb") as stream:
            data = json.read_json(stream)
    except pa.ArrowInvalid as fault:
        raise ValueError(f"{file.name} is not readable as JSON lines: {fault}") from fault
    return read_frame(_flat(data, kinds or {}), file.name, ordered=ordered, kinds=kinds)


def _flat(data: Any, kinds: Mapping[str, str]) -> Any:
    """With the fields of objects as columns, those of the objects within them too."""
    import pyarrow as pa

    stated = set(kinds.keys())

    def nested(name: str) -> bool:
        return pa.types.is_struct(data.schema.field(name).type) and name not in stated

    while any(nested(name) for name in data.column_names):
        parts = [data.select([name]).flatten() if nested(name) else data.select([name]) for name in data.column_names]
        data = pa.table({name: part.column(name) for part in parts for name in part.column_names})
    return data
