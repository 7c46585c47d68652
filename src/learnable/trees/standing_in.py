"""Our trees where scikit-learn asks for instances of its own: `plot_tree`, `export_text`, partial dependence.

They are registered as its virtual subclasses when somebody imports `sklearn.tree`, which is not imported for that: it
brings along half of scikit-learn, and takes longer than a small tree.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from typing import Any

THEIRS = "sklearn.tree"


def stand_in(kind: type) -> None:
    """Let `sklearn.tree` take a class of ours for its own of the same name."""
    _waiting.append(kind)
    if THEIRS in sys.modules:
        _register(sys.modules[THEIRS])
    elif _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def _register(theirs: Any) -> None:
    while _waiting:
        kind = _waiting.pop()
        getattr(theirs, kind.__name__).register(kind)


class _Finder(MetaPathFinder):
    """Finds `sklearn.tree` as others do, and registers our classes once it is there."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != THEIRS:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        loader: Any = spec and spec.loader
        if loader is not None:
            load = loader.exec_module

            def exec_module(module: Any) -> None:
                load(module)
                _register(module)

            loader.exec_module = exec_module
        return spec


_waiting: list[type] = []
_finder = _Finder()
