"""Building the model that an examined file describes: the few kinds of node that our models are made of.

skops writes the files and could read them, but imports all of scikit-learn to know what it trusts. What may be built
here was decided before (`model_file.examine`), so a file is read in the time that its own classes take to import.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

from learnable.app.model_files.tree_form import fault
from learnable.problems.trees.tree import Tree

PROTOCOL = 2
"""Version of the form of skops's files that is read here."""


class Builder:
    """Nodes of an examined archive as objects; a node met again is the same object."""

    def __init__(self, archive: zipfile.ZipFile, instead: Mapping[str, type]):
        self.archive = archive
        self.instead = instead
        self.built: dict[int, Any] = {}
        self.asked = 0  # columns that trees ask about

    def build(self, node: dict[str, Any]) -> Any:
        number = node.get("__id__")
        if number in self.built:
            return self.built[number]
        made = _MAKERS[node["__loader__"]](self, node)
        if number is not None:
            self.built[number] = made
        return made

    def json(self, node: dict[str, Any]) -> Any:
        return json.loads(node["content"])

    def items(self, node: dict[str, Any]) -> list[Any]:
        return [self.build(child) for child in node["content"]]

    def dictionary(self, node: dict[str, Any]) -> dict[Any, Any]:
        kinds = self.build(node["key_types"])
        return {kind(key): self.build(child) for kind, (key, child) in zip(kinds, node["content"].items())}

    def record(self, node: dict[str, Any]) -> tuple:
        kind = _type_of(node)
        made = tuple(self.items(node)) if kind is tuple else kind(*self.items(node))
        if isinstance(made, Tree):
            if (broken := fault(made)) is not None:
                raise ValueError(f"a tree does not keep the rule that {broken}")
            self.asked = max(self.asked, made.n_features)
        return made

    def array(self, node: dict[str, Any]) -> Any:
        if node["type"] == "json":  # an array of objects
            made = np.empty(tuple(self.build(node["shape"])), dtype=object)
            items = self.items(node)
            if made.ndim == 1:
                made[:] = items
                return made
            return np.array(items, dtype=object)
        found = np.load(io.BytesIO(self.archive.read(node["file"])), allow_pickle=False)
        kind = _type_of(node)
        return found if kind is np.ndarray else kind(found)

    def object(self, node: dict[str, Any]) -> Any:
        kind: Any = self.instead.get(f"{node['__module__']}.{node['__class__']}") or _type_of(node)
        made = kind.__new__(kind)
        state = self.build(node["content"]) if node.get("content") is not None else None
        if state is None:
            return made
        if hasattr(made, "__setstate__"):
            made.__setstate__(state)
        else:
            vars(made).update(state)
        return made


_MAKERS: dict[str, Callable[[Builder, dict[str, Any]], Any]] = {
    "DictNode": Builder.dictionary,
    "ListNode": Builder.items,
    "SetNode": lambda builder, node: set(builder.items(node)),
    "TupleNode": Builder.record,
    "JsonNode": Builder.json,
    "NdArrayNode": Builder.array,
    "DTypeNode": lambda builder, node: builder.build(node["content"]).dtype,
    "TypeNode": lambda builder, node: _type_of(node),
    "ObjectNode": Builder.object,
}


def _type_of(node: dict[str, Any]) -> Any:
    module, name = node["__module__"], node["__class__"]
    return type(None) if (module, name) == ("builtins", "NoneType") else getattr(import_module(module), name)


def build(
    content: bytes, structure: dict[str, Any], trusted: set[str], instead: Mapping[str, type] = MappingProxyType({})
) -> Any:
    """The object in an archive whose types, all `trusted`, were examined; other classes `instead` of those named."""
    if structure.get("protocol") != PROTOCOL:
        import skops.io

        return skops.io.loads(content, trusted=sorted(trusted))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        builder = Builder(archive, instead)
        made = builder.build(structure)
    coder = getattr(made, "named_steps", {}).get("code")
    if builder.asked and coder is not None and builder.asked > len(coder.get_feature_names_out()):
        raise ValueError(f"a tree asks about {builder.asked} columns, more than rows have")
    return made
