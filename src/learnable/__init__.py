"""Statistical learning you can check.

Every fit carries a certificate that can be re-checked from the data alone, every algorithm can be watched step by
step, and every score comes with its uncertainty. Packages are imported when first used, so `import learnable` is quick.
"""

import importlib
from pkgutil import iter_modules

__version__ = "0.1.0"

_VERBS = {
    "certify": "certificates",
    "config_context": "config",
    "get_config": "config",
    "learn": "app.api",
    "load_model": "app.api",
    "set_config": "config",
    "watch": "trace",
}
_ROOMS = frozenset(room.name for room in iter_modules(__path__) if not room.name.startswith("_"))


def __getattr__(name: str):
    if name in _VERBS:
        return getattr(importlib.import_module(f"{__name__}.{_VERBS[name]}"), name)
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_VERBS, *_ROOMS})
