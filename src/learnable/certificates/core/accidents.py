"""Errors that a certifier met by accident, in an answer that is no answer, and those that are meant for the caller."""

from dis import opmap
from typing import Any

import numpy as np

# Packages whose own `raise` is a sentence about the data or the call.
_SPEAKS = ("learnable", "sklearn")


def by_accident(error: Exception, *data: Any) -> bool:
    """Whether nobody meant to raise this error, so that what the certifier read, a fitted attribute, made no sense.

    Not where the certifier could not be called as it was, and not where the data hold words, which may be the cause.

    >>> def add(stated):
    ...     return 1 + stated
    >>> try:
    ...     add(None)
    ... except TypeError as error:
    ...     by_accident(error), by_accident(error, np.array([["a"]]))
    (True, False)
    """
    innermost, depth = error.__traceback__, 1
    while innermost is not None and innermost.tb_next is not None:
        innermost, depth = innermost.tb_next, depth + 1
    if innermost is None or depth < 2 or any(map(_words, data)):
        return False
    frame = innermost.tb_frame
    said = frame.f_code.co_code[innermost.tb_lasti] == opmap["RAISE_VARARGS"]
    return not (said and frame.f_globals.get("__name__", "").partition(".")[0] in _SPEAKS)


def _words(part: Any) -> bool:
    if isinstance(part, list | tuple):
        return any(map(_words, part))
    return isinstance(part, str) or (isinstance(part, np.ndarray) and part.dtype.kind not in "biuf")
