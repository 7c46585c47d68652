"""Model files: skops archives that are examined before anything in them is built.

skops resolves type names found in the file and trusts several thousand of them. Here the file is first judged as
data: its size, entries, compression and nesting are capped, every array must be as long as its header says, and every
type it names must stand on our own short list. Only then does skops build the model.
"""

import io
import json
import math
import zipfile
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, NamedTuple

from learnable.app.card_form import completed, misfit
from learnable.app.errors import UserError, printable

SCHEMA = "learnable.model/1"
CARD = "learnable.json"
STRUCTURE = "schema.json"

# Far above what a model of this library takes, far below what would exhaust a machine.
MAX_FILE_BYTES = 256 * 2**20
MAX_UNPACKED_RATIO = 20
MAX_ENTRIES = 10_000
MAX_TEXT_BYTES = 64 * 2**20
MAX_DEPTH = 60

_BUILTINS = {f"builtins.{name}" for name in ("str", "int", "float", "bool", "NoneType")}
_SCALARS = {f"numpy.{name}" for name in ("float64", "float32", "int64", "int32", "bool", "bool_", "str_")}
_CONTAINERS = {
    "DictNode": {"builtins.dict"},
    "ListNode": {"builtins.list"},
    "SetNode": {"builtins.set"},
    "TupleNode": {"builtins.tuple"},
    "JsonNode": {"builtins.str"},
    "NdArrayNode": {"numpy.ndarray"} | _SCALARS,
    "DTypeNode": {"numpy.dtype"},
    "TypeNode": _BUILTINS | _SCALARS,
}
_SCIKIT_LEARN = {
    "sklearn.pipeline.Pipeline",
    "sklearn.dummy.DummyClassifier",
    "sklearn.dummy.DummyRegressor",
}
_OWN = {
    "learnable.app.blend.ClassBlend",
    "learnable.app.blend.QuantityBlend",
    "learnable.app.calibrated.Calibrated",
}
# The rooms whose public records an estimator may keep among its fitted attributes.
_ROOMS_OF_RECORDS = ("certificates", "trace", "problems", "features", "datasets")


class Model(NamedTuple):
    """A model read from a file: the fitted pipeline and its card (what it is, how it was made, its scores)."""

    pipeline: Any
    card: dict[str, Any]


def dump(pipeline: Any, card: dict[str, Any]) -> bytes:
    """The bytes of a model file, with the card beside skops's own entries."""
    import skops.io

    buffer = io.BytesIO(skops.io.dumps(pipeline))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(CARD, json.dumps({"schema": SCHEMA, **card}, allow_nan=False))
    examine(buffer, "the model")  # what we write, we must be able to read
    return buffer.getvalue()


def load(path: Path) -> Model:
    """Read a model file, or say in one line why not."""
    import skops.io

    content = _read(path)
    card = examine(io.BytesIO(content), str(path))
    try:
        pipeline = skops.io.loads(content, trusted=sorted(_trusted()))
    except Exception as error:
        raise UserError(f"{path} is damaged: {printable(error)}; train the model again") from error
    if getattr(pipeline, "named_steps", {}).keys() != {"code", "learn"}:
        raise UserError(f"{path} holds no model but a {type(pipeline).__name__}; give a file of `learnable learn`")
    return Model(pipeline, card)


def load_card(path: Path) -> dict[str, Any]:
    """The card alone: the file is examined, and nothing in it is built."""
    return examine(io.BytesIO(_read(path)), str(path))


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise UserError(f"{path} is a folder; give the model file, for example {path / 'model.skops'}")
        if size > MAX_FILE_BYTES:
            raise UserError(f"{path} has {size} bytes; a model file has at most {MAX_FILE_BYTES}")
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read the model {path}: {error.strerror}") from error


def examine(file: io.BytesIO, name: str) -> dict[str, Any]:
    """Judge an archive as data and return its card; UserError for one that is damaged, oversized or untrusted."""
    try:
        with zipfile.ZipFile(file) as archive:
            _check_entries(archive, name, len(file.getbuffer()))
            if broken := archive.testzip():
                raise UserError(f"{name} is damaged: the checksum of {printable(broken)} is wrong")
            _check_arrays(archive, name)
            structure = json.loads(archive.read(STRUCTURE))
            card = json.loads(archive.read(CARD)) if CARD in archive.namelist() else None
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, RuntimeError, OSError) as error:
        raise UserError(f"{name} is not a model file, or it is damaged: {printable(error)}") from error
    _check_types(structure, name)
    if not isinstance(card, dict) or card.get("schema") != SCHEMA:
        raise UserError(f"{name} was not written by `learnable learn` of this version (no {SCHEMA} card inside)")
    if place := misfit(card):
        raise UserError(f"{name} is damaged: {printable(place)} is missing or of the wrong form")
    return completed(card)


def _check_entries(archive: zipfile.ZipFile, name: str, packed: int) -> None:
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_ENTRIES:
        raise UserError(f"{name} has {len(entries)} entries; a model file has at most {MAX_ENTRIES}")
    if unpacked > MAX_UNPACKED_RATIO * packed:
        raise UserError(f"{name} would unpack {packed} bytes to {unpacked}: refused as a decompression bomb")
    if len({entry.filename for entry in entries}) < len(entries):
        raise UserError(f"{name} has two entries of one name: refused")
    for text in (STRUCTURE, CARD):
        if text in archive.namelist() and archive.getinfo(text).file_size > MAX_TEXT_BYTES:
            raise UserError(f"{name}: its {text} has more than {MAX_TEXT_BYTES} bytes: refused")


def _check_arrays(archive: zipfile.ZipFile, name: str) -> None:
    """Every array must be exactly as long as its header says, so that no header can ask for the whole memory."""
    from numpy.lib import format as npy

    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    for entry in archive.infolist():
        if not entry.filename.endswith(".npy"):
            continue
        with archive.open(entry) as file:
            version = npy.read_magic(file)
            if version not in readers:
                raise UserError(f"{name}: an array of format {version}: refused")
            shape, _, dtype = readers[version](file)
            expected = file.tell() + math.prod(shape) * dtype.itemsize
        if dtype.hasobject or expected != entry.file_size:
            raise UserError(f"{name}: an array is not as its header says: refused")


def _check_types(structure: Any, name: str) -> None:
    """Walk the tree of types without recursion and without importing anything it names."""
    allowed = {**_CONTAINERS, **_allowed_types()}
    foreign: set[str] = set()
    todo: list[tuple[Any, int]] = [(structure, 0)]
    while todo:
        node, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise UserError(f"{name} is nested deeper than {MAX_DEPTH} levels: refused")
        if isinstance(node, list):
            todo.extend((child, depth + 1) for child in node)
        elif isinstance(node, dict):
            # What skops builds has a loader's name here; in a dict of the user's own, "__loader__" would be a node.
            if isinstance(loader := node.get("__loader__"), str):
                kind = f"{node.get('__module__')}.{node.get('__class__')}"
                # A cached node repeats one seen elsewhere in the file, which is judged there.
                if loader != "CachedNode" and kind not in allowed.get(loader, ()):
                    foreign.add(kind)
            todo.extend((child, depth + 1) for child in node.values())
    if foreign:
        wanted = ", ".join(printable(kind, 80) for kind in sorted(foreign)[:8])
        raise UserError(f"{name} is not trusted: it wants to load {wanted}; nothing was loaded")


@cache
def _allowed_types() -> dict[str, set[str]]:
    """Loader -> full names of the classes of this library, computed from the installed package, not from the file."""
    from learnable.checks import all_estimators

    classes = [estimator for _, estimator in all_estimators()]
    for room in _ROOMS_OF_RECORDS:
        module = import_module(f"learnable.{room}")
        classes += [value for key in getattr(module, "__all__", ()) if isinstance(value := getattr(module, key), type)]
    # Problems, trees and kernels are tuples of numbers and arrays: making one runs no code.
    package = import_module("learnable.problems")
    for found in walk_packages(package.__path__, "learnable.problems."):
        module = import_module(found.name)
        here = (value for value in vars(module).values() if isinstance(value, type))
        classes += [kind for kind in here if issubclass(kind, tuple) and kind.__module__ == found.name]
    records = {full_name(kind) for kind in classes if issubclass(kind, tuple)}
    objects = {full_name(kind) for kind in classes if not issubclass(kind, tuple)}
    return {"ObjectNode": objects | _SCIKIT_LEARN | _OWN, "TupleNode": records | {"builtins.tuple"}}


def _trusted() -> set[str]:
    """What skops is told to trust: the same list."""
    return set().union(*_CONTAINERS.values(), *_allowed_types().values())


def full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"
