"""Checks of probabilities that users give: which row is wrong, and by how much."""

from typing import Any

import numpy as np

# Probabilities that were printed with six digits add up to 1 within this.
ROUNDING = 1e-6


def checked_rows(p, shape: tuple[int, ...], label: str) -> np.ndarray:
    """Rows of probabilities of the given shape, each scaled by rounding errors only so as to add up to 1.

    >>> checked_rows([[0.5, 0.4], [0.0, 1.0]], (2, 2), "transmat_init")
    Traceback (most recent call last):
    ValueError: transmat_init: row 0 adds up to 0.9, 0.1 too little; probabilities must add up to 1
    """
    given = np.array(p, dtype=float)
    if given.shape != shape:
        raise ValueError(f"{label} has shape {given.shape}; expected {shape}")
    rows = np.atleast_2d(given)
    wrong = ~np.isfinite(rows) | (rows < 0.0)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        place = f"[{j}]" if given.ndim == 1 else f"[{i}, {j}]"
        raise ValueError(f"{label}{place} = {rows[i, j]}: probabilities must be >= 0")
    off = rows.sum(axis=1) - 1.0
    if np.any(np.abs(off) > ROUNDING):
        i = int(np.argmax(np.abs(off) > ROUNDING))
        which = "it" if given.ndim == 1 else f"row {i}"
        amount = f"{abs(off[i]):.6g} too {'much' if off[i] > 0 else 'little'}"
        raise ValueError(f"{label}: {which} adds up to {1.0 + off[i]:.6g}, {amount}; probabilities must add up to 1")
    # Sums that are 1 up to the last digits are left alone, so that fixed entries keep their bits.
    return given if np.all(np.abs(off) <= 1e-12) else given / given.sum(axis=-1, keepdims=True)


def checked_prior(prior, shape: tuple[int, ...], label: str) -> np.ndarray:
    """Dirichlet parameters ≥ 1: below 1 the posterior density has no maximum inside."""
    given = np.asarray(prior, dtype=float)
    if not np.all(np.isfinite(given)) or np.any(given < 1.0):
        raise ValueError(f"{label}={prior!r}: must be >= 1 (1 for no prior); below, the density is infinite at 0")
    try:
        return np.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(f"{label} has shape {given.shape}; expected a number or {shape}") from None


def checked_mask(fixed, shape: tuple[int, ...], label: str) -> np.ndarray | None:
    """True where an entry keeps its value."""
    if fixed is None:
        return None
    given = np.asarray(fixed)
    if given.dtype.kind != "b" or given.shape != shape:
        raise ValueError(f"{label} must be an array of booleans of shape {shape}; it is {given.dtype} {given.shape}")
    return given


def checked_groups(groups, n_states: int, name: str) -> np.ndarray | None:
    """One whole number for each state; states of equal number share their emission."""
    if groups is None:
        return None
    given = np.asarray(groups)
    if given.shape != (n_states,) or given.dtype.kind not in "iu":
        raise ValueError(f"{name}: emission_groups={groups!r} must hold {n_states} whole numbers, one for each state")
    return given


def refuse_unequal(groups: np.ndarray | None, values: Any, label: str) -> None:
    """What the states of a group share must be the same from the start."""
    if groups is None or values is None:
        return
    for group in np.unique(groups):
        mine = values[groups == group]
        if not np.array_equal(mine, np.broadcast_to(mine[0], mine.shape)):
            states = np.flatnonzero(groups == group).tolist()
            raise ValueError(f"emission_groups: states {states} share their emission, but {label} differs between them")


def checked_covars(covars, kind: str, K: int, d: int, name: str) -> np.ndarray:
    """Covariances of the shape that `kind` asks for, symmetric and positive definite."""
    given = np.array(covars, dtype=float)
    shape = {"spherical": (K,), "diag": (K, d), "full": (K, d, d), "tied": (d, d)}[kind]
    if given.shape != shape:
        raise ValueError(f"{name}(covariance_type={kind!r}): covars have shape {given.shape}; expected {shape}")
    if kind in ("spherical", "diag"):
        wrong = ~(given.reshape(K, -1) > 0.0).all(axis=1)
    else:
        matrices = np.atleast_3d(given) if kind == "full" else given[None]
        lopsided = np.abs(matrices - np.swapaxes(matrices, 1, 2)).max(axis=(1, 2)) > 1e-8 * np.abs(matrices).max()
        wrong = lopsided | ~(np.linalg.eigvalsh(matrices).min(axis=1) > 0.0)
    if wrong.any():
        raise ValueError(f"{name}: the covariance of state {int(np.argmax(wrong))} is not symmetric positive definite")
    return given
