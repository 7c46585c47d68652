"""Where EM stands still without having got anywhere: zeros, empty states, states that are the same. Syllabus: H8.

EM never moves a probability of 0, learns nothing about a state that holds no rows, and never tells states apart that
emit and go on alike. A fit gets there from its start alone, or by underflow; whoever writes such numbers into a model
gets there at once. Nobody can tell the two apart afterwards, so these claims are left open and never refute an honest
fit.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from learnable.certificates.core.claim import Claim
from learnable.certificates.sequences.hidden_markov_structure import LETTERS, known_start, not_learned

# What is put in place of a zero, and how much it may grow in one step; honest zeros shrank on their way there.
LIFT, GROWTH = 1e-9, 1e-3
# Half a row: below it a state is as good as empty.
HALF = 0.5
SAME = 1e-6


def still_claims(
    model: Any, at: Any, found: Any, expected: Callable[[Any], Any], maximised: Callable[[Any, Any], Any]
) -> list[Claim]:
    """The three claims, each of them only where there is something to say.

    Parameters
    ----------
    at, found : Π, A and the emission, and the expected counts under them.
    expected, maximised : the counts under any such three, and the next EM iterate, given both.
    """
    claims = []
    zeros = {letter: _zeros(model, letter, name) for letter, name in LETTERS.items() if letter in "ste"}
    if any(where is not None and where.any() for where in zeros.values()):
        lifted = at._replace(start=_lift(at.start, zeros["s"]), transition=_lift(at.transition, zeros["t"]))
        if zeros["e"] is not None and zeros["e"].any():
            lifted = lifted._replace(emission=at.emission.with_rows(_lift(at.emission.p, zeros["e"])))
            counts = expected(lifted)
        else:  # known to first order in what is lifted
            start, transition = (LIFT * of_zeros for of_zeros in found.of_zeros)
            counts = found._replace(start=found.start + start, transition=found.transition + transition)
        after = maximised(lifted, counts)
        pairs = [(after.start, zeros["s"]), (after.transition, zeros["t"])]
        pairs += [] if zeros["e"] is None else [(after.emission.p, zeros["e"])]
        growth = max(float(np.max(new[where] / LIFT, initial=0.0)) for new, where in pairs if where is not None)
        statement = "a probability of 0, lifted a little, falls back in one EM step (growth, of itself)"
        claims.append(Claim.reached("H8", statement, max(growth - 1.0, 0.0), GROWTH, asked=np.inf))
    held = found.start + found.transition.sum(axis=0)
    alone = held < HALF * found.weight / len(found.lengths)
    empty = sum(not _as_it_started(model, int(k)) for k in np.flatnonzero(alone))
    if empty:
        statement = "states that hold less than half a row, about which the data say nothing"
        claims.append(Claim.reached("H8", statement, empty, 0.0, asked=np.inf))
    if alike := _alike(at):
        statement = "pairs of states that emit and go on alike, which no sequence tells apart"
        claims.append(Claim.reached("H8", statement, alike, 0.0, asked=np.inf))
    return claims


def _zeros(model: Any, letter: str, name: str) -> np.ndarray | None:
    """Which probabilities are 0 though they are learned and are not known to have started there."""
    if letter not in model.params or not hasattr(model, f"{name}_"):
        return None
    value, start = np.asarray(getattr(model, f"{name}_"), dtype=float), known_start(model, letter, name)
    where = (value == 0.0) & ~not_learned(model, letter, name, value.shape)
    return where & (start != 0.0) if start is not None and start.shape == value.shape else where


def _as_it_started(model: Any, k: int) -> bool:
    """Whether a state has the values it was given to start from."""
    for letter, name in LETTERS.items():
        if letter == "s" or not hasattr(model, f"{name}_"):
            continue
        value, start = np.asarray(getattr(model, f"{name}_"), dtype=float), known_start(model, letter, name)
        if start is None or start.shape != value.shape or not np.allclose(value[k], start[k], rtol=1e-9, atol=0.0):
            return False
    return True


def _lift(p: np.ndarray, where: np.ndarray | None) -> np.ndarray:
    return p if where is None else np.where(where, LIFT, p * (1.0 - LIFT * where.sum(axis=-1, keepdims=True)))


def _alike(at: Any) -> int:
    """Pairs of states that no sequence tells apart: they emit the same, and go to states like these as often.

    Parts are states that emit the same; a part is split while its states go into some part with other probabilities.
    Where no part is split any more, the likelihood is that of the chain of parts, whatever happens within one.
    """
    part, into, n_parts = np.zeros(len(at.start), dtype=int), at.emission.features(), 0
    while part.max() + 1 > n_parts:
        n_parts = part.max() + 1
        part = _split(part, into)
        into = at.transition @ np.eye(part.max() + 1)[part]
    return sum(int(size * (size - 1) // 2) for size in np.bincount(part))


def _split(part: np.ndarray, features: np.ndarray) -> np.ndarray:
    """The number of the new part of each state: that of the first state of its old part with the same features."""
    firsts: list[int] = []
    found = np.zeros_like(part)
    for k in range(len(part)):
        like = [part[k] == part[i] and np.abs(features[k] - features[i]).max() <= SAME for i in firsts]
        found[k] = like.index(True) if any(like) else len(firsts)
        if not any(like):
            firsts.append(k)
    return found
