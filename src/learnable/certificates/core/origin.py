"""Whose fit is judged, and what it was asked for."""

from typing import Any


def is_ours(model: Any) -> bool:
    """Whether the model is one of this library, whose solvers go on until the closer bounds are met."""
    return type(model).__module__.partition(".")[0] == "learnable"


def tol_of(model: Any) -> float:
    """The accuracy that a fit of another library with a `tol` was asked for, which proves nothing.

    Stochastic average gradients stop when a pass over the rows moves the coefficients by less than that: ten times as
    much may be left.
    """
    return float(model.tol) * _passes(model)


def _passes(model: Any) -> float:
    return 10.0 if getattr(model, "solver", None) in ("sag", "saga") else 1.0


def asked_of(model: Any, usual: float = 1e-4) -> float:
    """The accuracy that a fit with a `tol` was asked for, which proves nothing; the library's bound is stricter.

    Fits of this library go on to that bound unless they were asked for less than usual, and are held to it; others
    may stop at what is usual.
    """
    tol = float(model.tol)
    return max(tol, usual) * _passes(model) if not is_ours(model) else tol if tol > usual else 0.0
