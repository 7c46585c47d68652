"""Altered copies of a fitted model, for the tamper law."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

# Fitted attributes that are answers, as opposed to accounts of the data or of the way there.
ANSWERS = (
    "coef_", "intercept_", "means_", "scalings_",
    "theta_", "var_", "class_log_prior_", "feature_log_prob_",
    "startprob_", "transmat_", "emissionprob_", "covars_", "start_counts_", "counts_",
)  # fmt: skip


def tampered(model: Any) -> Iterator[tuple[str, Any]]:
    """(what was done, altered copy) for changes of the answer that every certificate must notice.

    An estimator whose answer is no array of numbers (a formula, a pair of boundaries) alters it itself: its method
    `altered()` yields the same pairs.
    """
    if hasattr(model, "altered"):
        yield from model.altered()
    yield from _other_verdicts(model)
    for name in ANSWERS:
        if name not in vars(model):
            continue
        answer = np.asarray(getattr(model, name), dtype=float)
        size = max(float(np.abs(answer).max(initial=0.0)), 1e-3)
        changes = {
            "a shift of one entry": _at_largest(answer, 1.0, 0.5 * size),
            "a sign flip of the largest entry": _at_largest(answer, -1.0, 0.0),
            "scaling by 1.2": answer * 1.2,
        }
        if answer.shape[-1:] > (1,):
            changes["a swap of two entries"] = np.roll(answer, 1, axis=-1)
        for what, changed in changes.items():
            if np.array_equal(changed, answer):
                continue
            altered = copy.deepcopy(model)
            setattr(altered, name, changed.astype(np.asarray(getattr(model, name)).dtype).reshape(answer.shape))
            yield f"{what} of {name}", altered


def _other_verdicts(model: Any) -> Iterator[tuple[str, Any]]:
    """The opposite of what a concept learner says of its consistency, and one more row in its proof of NO."""
    for name, change in (("consistent_", lambda verdict: not verdict), ("witness_", lambda rows: (*rows, 0))):
        if name in vars(model):
            altered = copy.deepcopy(model)
            setattr(altered, name, change(getattr(model, name)))
            yield f"a change of {name}", altered


def _at_largest(answer: np.ndarray, factor: float, shift: float) -> np.ndarray:
    changed = answer.copy()
    index = np.unravel_index(np.argmax(np.abs(answer)), answer.shape)
    changed[index] = factor * answer[index] + shift
    return changed
