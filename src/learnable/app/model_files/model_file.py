"""Model files: skops archives that are examined before anything in them is built.

skops resolves type names found in a file and trusts several thousand of them. Here the file is first judged as
data: its size, entries, compression and nesting are capped, every array must be as long as its header says, and every
type it names must stand on our own short list, or be a public class of this library, as its sources show
(`own_types`). Only then is the model built (`building`).
"""

import io
import json
import math
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from learnable.app.errors import UserError, printable
from learnable.app.model_files.card_form import completed, misfit
from learnable.app.model_files.own_types import is_own, of_family

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
_PIPELINE = "sklearn.pipeline.Pipeline"
_SCIKIT_LEARN = {
    _PIPELINE,
    "sklearn.dummy.DummyClassifier",
    "sklearn.dummy.DummyRegressor",
}
_ALLOWED = {**_CONTAINERS, "ObjectNode": _SCIKIT_LEARN}


class Model(NamedTuple):
    """A model read from a file: the fitted pipeline and its card (what it is, how it was made, its scores)."""

    pipeline: Any
    card: dict[str, Any]


class Steps:
    """The steps of a pipeline, which are all that a prediction needs of it: scikit-learn's own takes long to import."""

    steps: list[tuple[str, Any]]

    @property
    def named_steps(self) -> dict[str, Any]:
        return dict(self.steps)

    def __getitem__(self, name: str) -> Any:
        return self.named_steps[name]


class Examined(NamedTuple):
    """What an archive holds: its card, the tree of its nodes, the full name of every type in it."""

    card: dict[str, Any]
    structure: Any
    kinds: set[str]


def dump(pipeline: Any, card: dict[str, Any]) -> bytes:
    """The bytes of a model file, with the card beside skops's own entries."""
    import skops.io

    buffer = io.BytesIO(skops.io.dumps(pipeline))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(CARD, json.dumps({"schema": SCHEMA, **card}, allow_nan=False))
    examine(buffer, "the model")  # what we write, we must be able to read
    return buffer.getvalue()


def load(path: Path, steps_alone: bool = False) -> Model:
    """Read a model file, or say in one line why not; of the pipeline the two steps alone, where they are enough."""
    from learnable.app.model_files.building import build

    content = _read(path)
    found = _examined(io.BytesIO(content), str(path))
    _refuse_what_does_not_learn(found.kinds, str(path))
    try:
        pipeline = build(content, found.structure, found.kinds, {_PIPELINE: Steps} if steps_alone else {})
    except Exception as error:
        raise UserError(f"{path} is damaged: {printable(error)}; train the model again") from error
    if getattr(pipeline, "named_steps", {}).keys() != {"code", "learn"}:
        raise UserError(f"{path} holds no model but a {type(pipeline).__name__}; give a file of `learnable learn`")
    return Model(pipeline, found.card)


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
    return _examined(file, name).card


def _examined(file: io.BytesIO, name: str) -> Examined:
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
    kinds = _check_types(structure, name)
    if not isinstance(card, dict) or card.get("schema") != SCHEMA:
        raise UserError(f"{name} was not written by `learnable learn` of this version (no {SCHEMA} card inside)")
    if place := misfit(card):
        raise UserError(f"{name} is damaged: {printable(place)} is missing or of the wrong form")
    return Examined(completed(card), structure, kinds)


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


def _check_types(structure: Any, name: str) -> set[str]:
    """Walk the tree of types without recursion and without importing anything it names; the full names of all."""
    known: set[tuple[str, str]] = set()
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
                module, kind = str(node.get("__module__")), str(node.get("__class__"))
                full = f"{module}.{kind}"
                # A cached node repeats one seen elsewhere in the file, which is judged there.
                if loader == "CachedNode" or (loader, full) in known:
                    pass
                elif full in _ALLOWED.get(loader, ()) or is_own(loader, module, kind):
                    known.add((loader, full))
                else:
                    foreign.add(full)
            todo.extend((child, depth + 1) for child in node.values())
    if foreign:
        wanted = ", ".join(printable(kind, 80) for kind in sorted(foreign)[:8])
        raise UserError(f"{name} is not trusted: it wants to load {wanted}; nothing was loaded")
    return {full for _, full in known}


def _refuse_what_does_not_learn(kinds: set[str], name: str) -> None:
    """Public classes of the rooms of estimators may be built only where they are estimators."""
    from learnable.base import Learner

    for kind in sorted(kinds):
        module, _, own = kind.rpartition(".")
        if module.startswith("learnable.") and of_family(module):
            found = getattr(import_module(module), own)
            if not issubclass(found, Learner | tuple):
                raise UserError(f"{name} is not trusted: {kind} is no estimator; nothing was loaded")
