"""Choosing the number of states by AIC or BIC."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from learnable.sequences.hidden_markov import HiddenMarkovModel


class StateCount(NamedTuple):
    """One candidate: its number of states, log-likelihood, parameters, AIC, BIC, and how its fit ended."""

    n_components: int
    log_likelihood: float
    n_parameters: int
    aic: float
    bic: float
    status: str


class StateChoice(NamedTuple):
    """The fitted model of the best candidate, which one it is, and the table of all."""

    model: HiddenMarkovModel
    best: StateCount
    candidates: tuple[StateCount, ...]

    def __str__(self) -> str:
        head = f"{'states':>6} {'log-likelihood':>15} {'parameters':>10} {'AIC':>12} {'BIC':>12}  fit"
        rows = [
            f"{c.n_components:>6} {c.log_likelihood:>15.3f} {c.n_parameters:>10} {c.aic:>12.3f} {c.bic:>12.3f}"
            f"  {c.status}{' <- chosen' if c is self.best else ''}"
            for c in self.candidates
        ]
        return "\n".join([head, *rows])


def choose_n_components(
    model: HiddenMarkovModel, X: Any, candidates: Iterable[int], *, criterion: str = "bic", lengths=None
) -> StateChoice:
    """Fit the model with each number of states and keep the one with the smallest criterion.

    AIC = −2 log P(O) + 2p and BIC = −2 log P(O) + p log n, p the numbers learned. Both rest on local maxima: give the
    model `n_init` > 1 so that a bad start does not decide. Syllabus: H8.

    Parameters
    ----------
    model : unfitted hidden Markov model; its `n_components` is replaced.
    X, lengths : as in its `fit`.
    candidates : numbers of states to try.
    criterion : {"bic", "aic"}

    Examples
    --------
    >>> from learnable.checks import well_posed
    >>> from learnable.sequences import GaussianHMM, choose_n_components
    >>> X, _ = well_posed(GaussianHMM())
    >>> choose_n_components(GaussianHMM(random_state=0), X, [1, 2, 3]).best.n_components
    2
    """
    if criterion not in ("aic", "bic"):
        raise ValueError(f"choose_n_components(criterion={criterion!r}): criterion must be 'aic' or 'bic'")
    fits = [clone(model).set_params(n_components=int(K)).fit(X, lengths=lengths) for K in candidates]
    if not fits:
        raise ValueError("choose_n_components: candidates is empty; give at least one number of states")
    n = float(np.log(fits[0].lengths_.sum()))
    table = tuple(
        StateCount(
            fit.n_components,
            fit.log_likelihood_,
            fit.n_parameters_,
            -2.0 * fit.log_likelihood_ + 2.0 * fit.n_parameters_,
            -2.0 * fit.log_likelihood_ + fit.n_parameters_ * n,
            str(fit.status_),
        )
        for fit in fits
    )
    best = min(range(len(table)), key=lambda number: getattr(table[number], criterion))
    return StateChoice(fits[best], table[best], table)
