"""A run as Python: the lines that make the same fit, its certificate and its film."""

from typing import Any

import numpy as np

from learnable.lab.algorithms import changed
from learnable.lab.tables import Given


def python(model: Any, given: Given) -> str:
    """The script; what it prints ends with the certificate."""
    kind = type(model)
    room = ".".join(kind.__module__.split(".")[:2])
    parameters = ", ".join(f"{name}={_literal(value)}" for name, value in changed(model).items())
    lengths = "" if given.lengths is None else ", lengths=lengths"
    lines = [
        '"""A run of the lab of learnable, as Python."""', "", "import numpy as np", "", "from learnable import watch",
        f"from {room} import {kind.__name__}", "", f"model = {kind.__name__}({parameters})", given.code, "",
        f"film = watch(model, X, y{lengths}).film()", "print(film.model.certificate_)",
        f'film.save("{kind.__name__.lower()}.html")', "",
    ]  # fmt: skip
    text = "\n".join(lines)
    return text if "np." in given.code + parameters else text.replace("import numpy as np\n\n", "")


def _literal(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    if isinstance(value, float) and not np.isfinite(value):
        return f'float("{value}")'
    return repr(value.item() if isinstance(value, np.generic) else value)
