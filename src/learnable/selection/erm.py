"""Empirical risk minimisation over an explicit finite list, and what its answer loses to the best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.selection._inputs import Loss, losses_of, require_names, require_rows, require_vector, resolve_loss
from learnable.selection._report import Reported, Table, with_error

Hypothesis = Callable[[Any], NDArray]


def risk_vector(
    hypotheses: Sequence[Hypothesis],
    X: Any,
    y: ArrayLike,
    *,
    loss: str | Loss = "zero_one",
    law: ArrayLike | None = None,
) -> NDArray:
    """Risk of every hypothesis under a law on the listed pairs (x_i, y_i).

    R(h) = Σ_i law_i · L(y_i, h(x_i)). With `law=None` each pair weighs 1/n and this is the empirical risk; with the
    probabilities of the atoms of a discrete law it is the true risk. Syllabus: D6.

    >>> risk_vector([lambda x: x > 0, lambda x: x > 1], np.array([0, 1, 2]), [False, True, True]).round(3)
    array([0.   , 0.333])
    """
    if len(hypotheses) == 0:
        raise ValueError("hypotheses: the list is empty; a risk minimiser over nothing does not exist")
    X, y = require_rows(X, y, least=1)
    weights = np.full(len(y), 1 / len(y)) if law is None else require_vector("law", law)
    if len(weights) != len(y) or (weights < 0).any() or not np.isclose(weights.sum(), 1):
        raise ValueError(
            f"law: must hold {len(y)} probabilities that sum to 1, got {len(weights)} summing to {weights.sum():.6g}"
        )
    elementwise = resolve_loss(loss)
    return np.array(
        [weights @ losses_of(elementwise, y, np.asarray(h(X)), f"hypothesis {k}") for k, h in enumerate(hypotheses)]
    )


@dataclass(frozen=True, repr=False, eq=False)
class ErmResult(Reported):
    """The whole risk vector with its minimisers.

    Attributes
    ----------
    names : one for each hypothesis.
    risks : empirical risks.
    standard_errors : sd of the losses of each hypothesis / √n (for that hypothesis alone, not for the chosen one).
    minimisers : indices of every hypothesis that attains the minimum; more than one is a tie.
    """

    names: tuple[str, ...]
    risks: NDArray
    standard_errors: NDArray
    minimisers: tuple[int, ...]

    @property
    def best(self) -> int:
        """The first minimiser."""
        return self.minimisers[0]

    def table(self) -> Table:
        rows = [
            (name, with_error(risk, error), "minimiser" if k in self.minimisers else "")
            for k, (name, risk, error) in enumerate(zip(self.names, self.risks, self.standard_errors))
        ]
        tie = f"a tie of {len(self.minimisers)} hypotheses" if len(self.minimisers) > 1 else "one minimiser"
        return Table("Empirical risk minimisation", ("hypothesis", "empirical risk", ""), rows, [tie])


def erm(
    hypotheses: Sequence[Hypothesis],
    X: Any,
    y: ArrayLike,
    *,
    loss: str | Loss = "zero_one",
    names: Sequence[str] | None = None,
) -> ErmResult:
    """The hypotheses of least empirical risk, all of them when several tie.

    ĥ ∈ argmin_{h in the list} (1/n) Σ_i L(y_i, h(x_i)). Syllabus: D6.

    Parameters
    ----------
    hypotheses : functions from X to predictions.
    X, y : the sample.
    loss : "zero_one", "squared", "absolute" or an elementwise function of (y, prediction).
    names : names for the table.

    Returns
    -------
    ErmResult

    >>> thresholds = [0.5, 1.5, 2.5]
    >>> result = erm([lambda x, t=t: x > t for t in thresholds], np.array([0, 1, 2, 3]), [0, 1, 0, 1])
    >>> result.minimisers
    (0, 2)
    """
    if len(hypotheses) == 0:
        raise ValueError("hypotheses: the list is empty; a risk minimiser over nothing does not exist")
    X, y = require_rows(X, y, least=1)
    elementwise = resolve_loss(loss)
    losses = np.array(
        [losses_of(elementwise, y, np.asarray(h(X)), f"hypothesis {k}") for k, h in enumerate(hypotheses)]
    )
    risks = losses.mean(axis=1)
    errors = losses.std(axis=1, ddof=1) / np.sqrt(len(y)) if len(y) > 1 else np.full(len(risks), np.nan)
    # Equal sums are equal floats up to the rounding of n additions, which is relative to the size of the losses.
    slack = 4 * np.finfo(float).eps * float(np.abs(losses[risks.argmin()]).mean())
    minimisers = tuple(int(k) for k in np.flatnonzero(risks <= risks.min() + slack))
    return ErmResult(require_names(names, len(risks), "hypothesis"), risks, errors, minimisers)


@dataclass(frozen=True, repr=False, eq=False)
class ExcessError(Reported):
    """R(h) - R* split in two: estimation R(h) - inf_H R, and approximation inf_H R - R*, one row a class."""

    names: tuple[str, ...]
    risk: NDArray
    best_in_class: NDArray
    bayes_risk: float
    estimation: NDArray
    approximation: NDArray

    @property
    def excess(self) -> NDArray:
        """R(h) - R*, the sum of the two."""
        return self.risk - self.bayes_risk

    def table(self) -> Table:
        rows = list(zip(self.names, self.risk, self.excess, self.estimation, self.approximation))
        header = ("class", "R(h)", "excess", "estimation", "approximation")
        return Table(f"Excess error over the Bayes risk {self.bayes_risk:.4g} (exact: the law is known)", header, rows)


def excess_error(
    risk: ArrayLike, best_in_class: ArrayLike, bayes_risk: float, *, names: Sequence[str] | None = None
) -> ExcessError:
    """Excess error = estimation error + approximation error, for one class or for a row of nested classes.

    R(h) - R* = [R(h) - inf_{g in H} R(g)] + [inf_{g in H} R(g) - R*]; both terms are >= 0. Syllabus: MS1.

    Parameters
    ----------
    risk : true risk of the hypothesis chosen in each class.
    best_in_class : least true risk in each class.
    bayes_risk : R*, the least risk of any function.
    names : names of the classes.

    >>> excess_error([0.30, 0.28], [0.25, 0.12], 0.1).approximation.round(2)
    array([0.15, 0.02])
    """
    risk, best = (
        require_vector("risk", np.atleast_1d(risk)),
        require_vector("best_in_class", np.atleast_1d(best_in_class)),
    )
    if len(risk) != len(best):
        raise ValueError(f"risk has {len(risk)} entries, best_in_class {len(best)}; one each per class")
    slack = 1e-12
    if (risk < best - slack).any():
        k = int(np.argmax(best - risk))
        raise ValueError(f"risk[{k}]={risk[k]}: below the least risk {best[k]} of its class, so it is not in the class")
    if (best < bayes_risk - slack).any():
        raise ValueError(
            f"bayes_risk={bayes_risk}: above the risk {best.min()} of a hypothesis, so it is not the Bayes risk"
        )
    labels = require_names(names, len(risk), "class")
    return ExcessError(labels, risk, best, float(bayes_risk), risk - best, best - bayes_risk)


@dataclass(frozen=True, repr=False, eq=False)
class ErmInequality(Reported):
    """Both sides of R(h_ERM) - inf_H R <= 2 sup_H |R - R̂|, with the hypotheses that attain them."""

    chosen: int
    best: int
    deviating: int
    left: float
    right: float

    @property
    def holds(self) -> bool:
        """The inequality, up to rounding; it is a theorem, so False means the risks are not of one class."""
        return self.left <= self.right + 1e-12

    def table(self) -> Table:
        rows = [
            ("R(h_ERM) - inf R", self.left, f"ERM takes {self.chosen}, best is {self.best}"),
            ("2 sup |R - R̂|", self.right, f"attained at {self.deviating}"),
        ]
        return Table("ERM inequality", ("side", "value", "where"), rows, [f"holds: {'yes' if self.holds else 'no'}"])


def erm_inequality(true_risks: ArrayLike, empirical_risks: ArrayLike) -> ErmInequality:
    """R(h_ERM) - inf_{h in H} R(h) <= 2 sup_{h in H} |R(h) - R̂(h)| over a finite class. Syllabus: MS2.

    In a tie the minimiser of largest true risk is taken: the inequality holds for every minimiser.

    >>> sides = erm_inequality([0.2, 0.3, 0.5], [0.25, 0.2, 0.5])
    >>> round(sides.left, 3), round(sides.right, 3), sides.holds
    (0.1, 0.2, True)
    """
    true, empirical = require_vector("true_risks", true_risks), require_vector("empirical_risks", empirical_risks)
    if len(true) != len(empirical):
        raise ValueError(
            f"true_risks has {len(true)} entries, empirical_risks {len(empirical)}; one each per hypothesis"
        )
    minimisers = np.flatnonzero(empirical == empirical.min())
    chosen = int(minimisers[np.argmax(true[minimisers])])
    gaps = np.abs(true - empirical)
    left, right = float(true[chosen] - true.min()), float(2 * gaps.max())
    return ErmInequality(chosen, int(np.argmin(true)), int(np.argmax(gaps)), left, right)
