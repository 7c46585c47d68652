"""What of a hidden Markov model is not learned, and how many numbers are. Syllabus: H8.

Entries that are fixed, or that `params` leaves out, keep the values they started from; a probability that starts at 0
stays 0. Where the start is a parameter it is compared; where it was drawn, it is the even distribution for Π, and for
everything else nobody can tell any more, which leaves the claim open.
"""

from typing import Any

import numpy as np

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.worst import worst_of
from learnable.certificates.sequences.hidden_markov_emissions import firsts

LETTERS = {"s": "startprob", "t": "transmat", "e": "emissionprob", "m": "means", "c": "covars"}


def structure_claims(model: Any) -> list[Claim]:
    """n_parameters_ counts the numbers learned, and all others are those of the start."""
    names = {letter: name for letter, name in LETTERS.items() if hasattr(model, f"{name}_")}
    claims, unknown = [], 0
    moved = 0.0
    for letter, name in names.items():
        value, start = np.asarray(getattr(model, f"{name}_"), dtype=float), known_start(model, letter, name)
        kept = not_learned(model, letter, name, value.shape)
        if start is not None and letter in "ste" and start.shape == value.shape:
            kept = kept | (start == 0.0)
        if not kept.any():
            continue
        if start is None:
            unknown += 1
        elif start.shape != value.shape:
            moved = np.inf
        else:
            size = np.maximum(np.abs(start), np.abs(value))
            apart = np.where(kept & (size > 0.0), np.abs(value - start) / np.where(size > 0.0, size, 1.0), 0.0)
            moved = worst_of(moved, float(apart.max()))
    claims.append(Claim.at_most("H8", "what is not learned is what it started from (largest relative difference)",
                                moved, 1e-9))  # fmt: skip
    if unknown:
        statement = "kinds of numbers that were not learned, and started from what is known no more: not proved"
        claims.append(Claim.reached("H8", statement, unknown, 0.0, asked=len(LETTERS)))
    fewest, most = (
        sum(_n_free(model, letter, name, zeros) for letter, name in names.items()) for zeros in (True, False)
    )
    stated = model.n_parameters_
    wrong = float(not isinstance(stated, int | np.integer) or not fewest <= stated <= most)
    claims.append(Claim.at_most("H8", "n_parameters_ counts the numbers that are learned (1 if not)", wrong, 0.0))
    return claims


def known_start(model: Any, letter: str, name: str) -> np.ndarray | None:
    """Where a run starts, if that can still be told."""
    given = getattr(model, f"{name}_init")
    if given is not None:
        given = np.asarray(given, dtype=float)
        return given / given.sum(axis=-1, keepdims=True) if letter in "ste" else given
    if letter == "s" and "s" in model.init_params:
        return np.full(model.n_components, 1.0 / model.n_components)
    return None


def not_learned(model: Any, letter: str, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Which entries are not learned."""
    fixed = getattr(model, f"{name}_fixed", None)
    if letter not in model.params:
        return np.ones(shape, dtype=bool)
    return np.zeros(shape, dtype=bool) if fixed is None else np.broadcast_to(np.asarray(fixed, dtype=bool), shape)


def _n_free(model: Any, letter: str, name: str, zeros_stay: bool) -> int:
    """Numbers learned; probabilities that are 0 now started there, or not, where their start is known no more."""
    if letter not in model.params:
        return 0
    value = np.asarray(getattr(model, f"{name}_"), dtype=float)
    K = model.n_components
    one = firsts(model.emission_groups, K)
    free = ~not_learned(model, letter, name, value.shape)
    if letter in "ste":
        start = known_start(model, letter, name)
        if start is not None:
            free &= start != 0.0
        elif letter not in model.init_params and zeros_stay:
            free &= value != 0.0
        rows = np.atleast_2d(free)
        rows = rows[one] if letter == "e" else rows
        return int(np.maximum(rows.sum(axis=-1) - 1, 0).sum())
    if letter == "m":
        return int(free[one].sum())
    d = np.shape(model.means_)[1]
    each = {"spherical": 1, "diag": d, "full": d * (d + 1) // 2, "tied": d * (d + 1) // 2}[model.covariance_type]
    return each * (1 if model.covariance_type == "tied" else len(one))
