"""Structural risk minimisation over nested classes H_1 ⊂ H_2 ⊂ ..., with its oracle inequality."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from learnable.seeds import generator_from
from learnable.selection._inputs import (
    Loss,
    losses_of,
    named_candidates,
    require_count,
    require_fraction,
    require_names,
    require_rows,
    require_vector,
    resolve_loss,
    seeded_clone,
)
from learnable.selection._report import Reported, Table

Complexity = ArrayLike | Callable[[int, int], float]


@dataclass(frozen=True, repr=False, eq=False)
class StructuralRisk(Reported):
    """The three terms per class, their sum and the class that minimises it.

    Attributes
    ----------
    names : one for each class, in nested order.
    m : sample size.
    empirical : R̂ of the empirical minimiser of each class.
    complexity : Rad_m(H_k), or a VC bound on it.
    index_price : √(log k / m), the price of looking at infinitely many classes.
    best : index (from 0) of the class with the least sum; the smaller class wins a tie.
    nested : whether R̂ falls along the classes, as empirical minimisers of nested classes must.
    """

    names: tuple[str, ...]
    m: int
    empirical: NDArray
    complexity: NDArray
    index_price: NDArray
    best: int
    nested: bool

    @property
    def objective(self) -> NDArray:
        """R̂ + Rad(H_k) + √(log k / m)."""
        return self.empirical + self.complexity + self.index_price

    def bound(self, delta: float) -> NDArray:
        """With probability >= 1 - δ, for all k at once: R(h_k) <= objective_k + √(log(2/δ) / 2m).

        Σ_k exp(-2m(ε + √(log k/m))²) <= e^{-2mε²} Σ 1/k² <= 2e^{-2mε²}.
        """
        return self.objective + sqrt(log(2 / require_fraction("delta", delta)) / (2 * self.m))

    def table(self) -> Table:
        rows = [
            (name, k, r, c, p, total, "least" if k - 1 == self.best else "")
            for k, (name, r, c, p, total) in enumerate(
                zip(self.names, self.empirical, self.complexity, self.index_price, self.objective), start=1
            )
        ]
        header = ("class", "k", "R̂", "Rad(H_k)", "√(log k/m)", "sum", "")
        notes = [f"with probability 0.95, R <= sum + {sqrt(log(2 / 0.05) / (2 * self.m)):.3g} for every class at once"]
        if not self.nested:
            notes.append("R̂ rises along the classes: the learners do not minimise R̂ over nested classes")
        return Table(f"Structural risk minimisation, m = {self.m}", header, rows, notes)


def structural_risk(
    empirical: ArrayLike, complexity: Complexity, m: int, *, names: Sequence[str] | None = None
) -> StructuralRisk:
    """Structural risk of nested classes: min over k of R̂(h_k) + Rad_m(H_k) + √(log k / m).

    Syllabus: MS3.

    Parameters
    ----------
    empirical : empirical 0-1 error of the empirical minimiser of each class, in nested order.
    complexity : the expected Rademacher complexities Rad_m of the ±1 classes, or upper bounds on them such as the VC
        one, or a function of (k, m), k >= 1.
    m : sample size.
    names : names of the classes.

    >>> result = structural_risk([0.3, 0.1, 0.09], [0.05, 0.1, 0.3], m=400)
    >>> result.best
    1
    """
    empirical = require_vector("empirical", empirical)
    m = require_count("m", m)
    if ((empirical < 0) | (empirical > 1)).any():
        raise ValueError(f"empirical: errors must lie in [0, 1], got {empirical.min()} to {empirical.max()}")
    if callable(complexity):
        complexity = [complexity(k, m) for k in range(1, len(empirical) + 1)]
    capacities = require_vector("complexity", complexity)
    if len(capacities) != len(empirical):
        raise ValueError(f"complexity has {len(capacities)} entries for {len(empirical)} classes; give one each")
    if (capacities < 0).any() or (np.diff(capacities) < 0).any():
        raise ValueError(f"complexity={capacities.tolist()}: must be >= 0 and must not fall along nested classes")
    price = np.sqrt(np.log(np.arange(1, len(empirical) + 1)) / m)
    best = int(np.argmin(empirical + capacities + price))
    nested = bool((np.diff(empirical) <= 1e-12).all())
    return StructuralRisk(require_names(names, len(empirical), "H"), m, empirical, capacities, price, best, nested)


def structural_risk_minimisation(
    classes: Sequence[BaseEstimator] | dict[str, BaseEstimator],
    X: Any,
    y: ArrayLike,
    complexity: Complexity,
    *,
    loss: str | Loss = "zero_one",
    random_state: int | None = 0,
) -> tuple[StructuralRisk, BaseEstimator]:
    """Fit one learner a class and keep the one of least structural risk. Syllabus: MS3.

    Parameters
    ----------
    classes : learners in nested order; each should minimise the empirical error over its class.
    X, y : the sample.
    complexity : as in `structural_risk`.
    loss : a loss with values in [0, 1].
    random_state : seed for learners that leave theirs unset.

    Returns
    -------
    (StructuralRisk, the fitted learner of the chosen class)

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.arange(40.0)[:, None]
    >>> y = (X[:, 0] > 17).astype(int)
    >>> trees = {f"depth {d}": DecisionTreeClassifier(max_depth=d) for d in (1, 2, 3)}
    >>> table, tree = structural_risk_minimisation(trees, X, y, lambda k, m: (2**k / m) ** 0.5)
    >>> table.names[table.best], tree.get_depth()
    ('depth 1', 1)
    """
    named = named_candidates(classes)
    X, y = require_rows(X, y)
    elementwise = resolve_loss(loss)
    generator = generator_from(random_state, "structural_risk_minimisation")
    fitted = [seeded_clone(learner, generator).fit(X, y) for learner in named.values()]
    empirical = [losses_of(elementwise, y, model.predict(X), name).mean() for name, model in zip(named, fitted)]
    table = structural_risk(empirical, complexity, len(y), names=list(named))
    return table, fitted[table.best]


@dataclass(frozen=True, repr=False, eq=False)
class OracleInequality(Reported):
    """Both sides of the oracle inequality: the risk of the SRM answer and the best trade-off plus confidence."""

    left: float
    trade_off: NDArray
    confidence: float
    delta: float

    @property
    def right(self) -> float:
        """min_k [inf_{H_k} R + 2 Rad(H_k) + √(log k/m)] + √(2 log(3/δ) / m)."""
        return float(self.trade_off.min() + self.confidence)

    @property
    def holds(self) -> bool:
        """True with probability at least 1 - δ over the sample."""
        return self.left <= self.right

    @property
    def vacuous(self) -> bool:
        """A right side of 1 or more says nothing about a 0-1 risk."""
        return self.right >= 1

    def table(self) -> Table:
        rows = [(f"H {k}", value, value + self.confidence) for k, value in enumerate(self.trade_off, start=1)]
        notes = [
            f"R(h_SRM) = {self.left:.4g} <= {self.right:.4g}: {'yes' if self.holds else 'no'}",
            f"with probability >= {1 - self.delta:.4g}" + ("; the bound is vacuous" if self.vacuous else ""),
        ]
        return Table("SRM oracle inequality", ("class", "inf R + 2 Rad + √(log k/m)", "with confidence"), rows, notes)


def oracle_inequality(
    srm_risk: float, least_risks: ArrayLike, complexity: ArrayLike, m: int, delta: float = 0.05
) -> OracleInequality:
    """R(h_SRM) <= inf_h [R(h) + 2 Rad_m(H_{k(h)}) + √(log k(h) / m)] + √(2 log(3/δ) / m), with probability >= 1 - δ.

    k(h) is the first class that holds h, so the infimum over h is a minimum over k of the least risk in H_k.
    Syllabus: MS4.

    Parameters
    ----------
    srm_risk : true risk of the SRM answer.
    least_risks : inf of the true risk over each class.
    complexity : Rad_m(H_k) for each class.
    m : sample size.
    delta : probability with which the inequality may fail.

    >>> oracle_inequality(0.12, [0.2, 0.1], [0.02, 0.05], m=1000).holds
    True
    """
    least, capacities = require_vector("least_risks", least_risks), require_vector("complexity", complexity)
    if len(least) != len(capacities):
        raise ValueError(f"least_risks has {len(least)} entries, complexity {len(capacities)}; one each per class")
    m = require_count("m", m)
    trade_off = least + 2 * capacities + np.sqrt(np.log(np.arange(1, len(least) + 1)) / m)
    confidence = sqrt(2 * log(3 / require_fraction("delta", delta)) / m)
    return OracleInequality(float(srm_risk), trade_off, confidence, float(delta))
