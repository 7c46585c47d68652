"""LassoCV and ElasticNetCV: the answer at the chosen penalty, and the choice.

The folds are made again from `cv` and the data. The answers on them, which the fit keeps, are proved by their duality
gaps, the errors are computed again from those answers, and the choice from the errors. That costs about as much as a
fit, so that the end of a fit looks at the table alone. Syllabus: L3, MS7.
"""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed, thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import asked_of
from learnable.certificates.core.refitted import only_theirs, unless_refitted
from learnable.certificates.core.reported import reported
from learnable.certificates.linear.least_squares import linear_regression_claims
from learnable.certificates.sparse.answer import fixed_intercept, gap_rounding, stored_type
from learnable.certificates.sparse.folds import folds_again
from learnable.certificates.sparse.lasso import Penalised, penalised_claims
from learnable.certificates.sparse.squared_gap import RELATIVE_GAP, column_lengths, rounding_of_gap
from learnable.problems.core.duality import duality_gap
from learnable.problems.linear import losses
from learnable.problems.sparse.penalties import EVERY, subdistance

EPS = float(np.finfo(float).eps)


@certifies(
    "LassoCV",
    "ElasticNetCV",
    ledger=Ledger(
        ("coef_", "intercept_", "alpha_", "l1_ratio_", "fold_coefs_"),
        ("alphas_", "alpha_1se_", "mse_path_", "mse_error_", "fold_gap_", "dual_gap_"),
        ("n_iter_",),
        sometimes=("l1_ratio_",),
    ),
    again=only_theirs,
)
def cross_validated_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of the answer at the chosen penalty, and that the errors on the folds do choose it."""
    ratio = float(getattr(model, "l1_ratio_", 1.0))
    y = np.asarray(y, dtype=float).reshape(len(y))
    weight = None if sample_weight is None else np.broadcast_to(np.asarray(sample_weight, dtype=float), len(y))
    if model.alpha_ == 0.0:
        claims = list(linear_regression_claims(model, X, y, weight))
        claims += [] if model.fit_intercept else [fixed_intercept("R1", model.intercept_)]
    else:
        claims = list(penalised_claims(model, float(model.alpha_), ratio, X, y, weight))
    table = _Table(model)
    claims += [_grid_claim(model, table, X, y, weight), *table.choice_claims(ratio)]
    if hasattr(model, "fold_gap_"):
        claims.append(_gap_claim(model, "as the fit says", float(model.fold_gap_)))
    return claims + (_fold_claims(model, table, X, y, weight) if thorough() else [])


class _Table:
    """`alphas_` (r, m) and `mse_path_` (r, m, k) of r values of l1_ratio, m penalties and k folds."""

    def __init__(self, model: Any):
        self.model = model
        self.ratios = np.atleast_1d(np.asarray(getattr(model, "l1_ratio", 1.0), dtype=float))
        alphas, r = np.asarray(model.alphas_, dtype=float), len(self.ratios)
        each = r > 1 and isinstance(_requested(model), Integral)
        if alphas.ndim != 1 + each or (each and len(alphas) != r):
            raise IndexError(f"alphas_ has shape {alphas.shape} for {r} values of l1_ratio")
        self.alphas = np.broadcast_to(alphas, (r, alphas.shape[-1]))
        m, mse = alphas.shape[-1], np.asarray(model.mse_path_, dtype=float)
        k = mse.size // max(r * m, 1)
        if mse.shape != tuple(size for size in (r, m, k) if size != 1):
            raise IndexError(f"mse_path_ has shape {mse.shape} for {r} values of l1_ratio and {m} penalties")
        self.mse = mse.reshape(r, m, k)

    def choice_claims(self, l1_ratio: float) -> list[Claim]:
        """alpha_ and l1_ratio_ against the least mean error; alpha_1se_ and mse_error_ against their rules."""
        model, mean = self.model, self.mse.mean(axis=-1)
        chosen = (self.ratios[:, None] == l1_ratio) & (self.alphas == model.alpha_)
        excess = float(mean[chosen].min() - mean.min()) if chosen.any() else np.inf
        statement = "alpha_ is on the grid and no other has a smaller mean error over the folds"
        claims = [Claim.at_most("MS7", statement, excess, 0.0)]
        if not hasattr(model, "alpha_1se_") or not chosen.any():
            return claims
        folds = self.mse.shape[-1]
        spread = np.zeros_like(mean) if folds < 2 else self.mse.std(axis=-1, ddof=1) / np.sqrt(folds)
        r, a = np.argwhere(chosen)[0]
        simplest = self.alphas[r][mean[r] <= mean[r, a] + spread[r, a]].max()
        statement = "alpha_1se_ is the largest penalty within one standard error of the least error (difference)"
        return [
            *claims,
            Claim.at_most("MS7", statement, abs(float(model.alpha_1se_) - simplest), 0.0),
            reported("MS7", "mse_error_", model.mse_error_, np.squeeze(spread), scale=float(mean.max())),
        ]


def _requested(model: Any) -> Any:
    """How many penalties, or which: also by the names that older versions of scikit-learn gave them."""
    given = model.alphas if model.alphas is not None and not isinstance(model.alphas, str) else None
    count = getattr(model, "n_alphas", None)
    return given if given is not None else count if isinstance(count, Integral) else 100


def _grid_claim(model: Any, table: _Table, X: Any, y: np.ndarray, weight: Any) -> Claim:
    """`alphas_` as asked for, or from the least penalty that keeps every column out down to `eps` of it."""
    given = _requested(model)
    if not isinstance(given, Integral):
        grid = np.sort(np.asarray(given, dtype=float))[::-1]
        return reported("MS7", "alphas_", table.alphas, np.broadcast_to(grid, (len(table.ratios), len(grid))), 0.0)
    if given != table.alphas.shape[1]:
        raise IndexError(f"alphas_ holds {table.alphas.shape[1]} penalties, {given} were asked for")
    problem = Penalised(X, weight, model.fit_intercept, getattr(model, "penalty_factor", None))
    own = problem.projected(y)
    pull = problem.correlations(own)
    pull = (pull if model.positive else np.abs(pull)) / problem.factor[problem.penalised]
    largest = max(float(pull.max(initial=0.0)), 0.0)
    least = float(np.finfo(np.float64).resolution)
    tops = [largest / ratio for ratio in table.ratios]
    grid = np.array(
        [np.full(given, least) if top <= least else np.geomspace(top, top * model.eps, num=given) for top in tops]
    )
    # Columns and targets far from zero leave rounding in their correlations.
    size = np.asarray(abs(X).max(axis=0).toarray() if sparse.issparse(X) else np.abs(X).max(axis=0, initial=0.0))
    target = max(float(np.sqrt(problem.weight @ own**2)), float(np.abs(y).max(initial=0.0)))
    blur = 16.0 * EPS * float(np.max(size)) * target / max(largest, least)
    # Single numbers may be added up as such.
    stored = stored_type(X)
    blur += float(np.finfo(stored).eps) * np.sqrt(X.shape[0]) if stored.kind == "f" else EPS
    return reported("MS7", "alphas_", table.alphas, grid, 1e-9 + blur)


def _gap_claim(model: Any, by: str, gap: float, rounding: float = 0.0) -> Claim:
    """Open where it is lost in the rounding of sums over columns far from zero."""
    return Claim.reached(
        "L3", f"largest duality gap of an answer on the folds, {by}, over the mean square of their targets", gap,
        allowed(RELATIVE_GAP), max(asked_of(model), rounding),
    )  # fmt: skip


def _fold_claims(model: Any, table: _Table, X: Any, y: np.ndarray, weight: Any) -> list[Claim]:
    """The table again, from folds made again."""
    folds = folds_again(model.cv, X, y)
    if folds is None or not hasattr(model, "fold_coefs_"):
        what = "the folds cannot be had again" if folds is None else "the answers on the folds were not kept"
        return [unless_refitted("MS7", f"alpha_ is the choice of its folds: not checked, {what} (1)")]
    r, m, k = table.mse.shape
    if len(folds) != k:
        raise IndexError(f"mse_path_ has {k} folds, cv makes {len(folds)}")
    kept = _fold_coefs(model.fold_coefs_, (r * k * m, X.shape[1]))
    errors, rounding, worst, blur = np.empty_like(table.mse), 0.0, 0.0, 0.0
    rows = X if isinstance(X, np.ndarray) else X.tocsr()
    for f, (train, test) in enumerate(folds):
        fold = _Fold(model, rows, y, weight, train, test)
        for i, l1_ratio in enumerate(table.ratios):
            first = (i * k + f) * m
            found = fold.standing(kept[first : first + m].toarray(), table.alphas[i], float(l1_ratio))
            errors[i, :, f] = found.errors
            worst, rounding, blur = max(worst, found.gap), max(rounding, found.rounding), max(blur, found.blur)
    size = float(errors.max(initial=0.0))
    mean = errors.mean(axis=-1)
    chosen = (table.ratios[:, None] == getattr(model, "l1_ratio_", 1.0)) & (table.alphas == model.alpha_)
    excess = float(mean[chosen].min() - mean.min()) if chosen.any() else np.inf
    off = abs(float(model.fold_gap_) - worst) - 0.9 * max(float(model.fold_gap_), worst, 0.0) - blur
    bound = 1e-9 + rounding / max(size, np.finfo(float).tiny)
    return [
        _gap_claim(model, "computed again", worst, blur),
        Claim.at_most(
            "L3", "fold_gap_ is that gap, but for other dual points (difference)", max(off, 0.0), RELATIVE_GAP
        ),
        reported("MS7", "mse_path_", table.mse, errors, bound, size),
        Claim.at_most(
            "MS7", "no other penalty has a smaller mean error, computed again on the folds (excess, relative)",
            excess / max(size, np.finfo(float).tiny), bound,
        ),
    ]  # fmt: skip


def _fold_coefs(kept: dict[str, np.ndarray], shape: tuple[int, int]) -> sparse.csr_array:
    """The answers on the folds, one a row; an error that refutes them where their parts make no such matrix."""
    try:
        if any(np.asarray(kept[name]).dtype.kind != "i" for name in ("indices", "indptr")):
            raise TypeError("its places are no whole numbers")
        coefs = sparse.csr_array((kept["data"], kept["indices"], kept["indptr"]), shape=shape)
        coefs.check_format(full_check=True)
    except (TypeError, ValueError) as error:
        raise IndexError(f"fold_coefs_ is no matrix of shape {shape}: {error}") from None
    return coefs


class _Standing(NamedTuple):
    """Mean squared errors on the rows to judge (m,), largest relative gap on the rows to fit, rounding of both."""

    errors: np.ndarray
    gap: float
    rounding: float
    blur: float


class _Fold:
    """One fold: the problem on the rows to fit, and the rows to judge."""

    def __init__(self, model: Any, X: Any, y: np.ndarray, weight: Any, train: np.ndarray, test: np.ndarray):
        self.model = model
        factor, part = getattr(model, "penalty_factor", None), None if weight is None else weight[train]
        self.problem = Penalised(X[train], part, model.fit_intercept, factor)
        middle = float(self.problem.weight @ y[train]) if model.fit_intercept else 0.0
        self.y, self.y_test, self.X_test = y[train] - middle, y[test] - middle, X[test]
        self.largest = float(np.abs(y).max(initial=0.0))
        self.judge = None if weight is None else weight[test]

    def standing(self, coefs: np.ndarray, alphas: np.ndarray, l1_ratio: float) -> _Standing:
        """Of coefficients (m, p) under m penalties, each with its best intercept."""
        problem, positive = self.problem, bool(self.model.positive)
        F = np.asarray(problem.X @ coefs.T)
        offsets = problem.weight @ (self.y[:, None] - F) if problem.free_intercept else np.zeros(len(coefs))
        U = F + offsets - self.y[:, None]
        points = np.column_stack([problem.projected(u) for u in U.T]) if problem.free.any() else U
        slopes = np.asarray(problem.X.T @ (problem.weight[:, None] * points))[problem.penalised]
        own = problem.projected(self.y)
        square = float(problem.weight @ own**2)
        unit = max(square, np.finfo(float).tiny)
        room = gap_rounding(EPS, square, self.largest)
        worst, blur = np.inf if coefs[:, problem.excluded].any() else 0.0, 0.0
        lengths, root = column_lengths(problem.X, problem.weight), float(np.sqrt(square))
        longest = float(lengths[problem.penalised].max(initial=0.0))
        for a, alpha in enumerate(alphas):
            coef, penalty = coefs[a][problem.penalised], problem.penalty(float(alpha), l1_ratio, positive)
            gap: float
            if alpha == 0.0:
                # Without a penalty: what moving one coefficient would gain.
                away = subdistance(penalty, coef, slopes[:, a], EVERY)
                bend = problem.mean_squares()[problem.penalised]
                gap = float(np.max(0.5 * away[bend > 0.0] ** 2 / bend[bend > 0.0], initial=0.0))
            else:
                f = self.y + U[:, a]
                gap = duality_gap(
                    losses.Squared(), penalty, self.y, f, problem.weight, coef, points[:, a], slopes[:, a]
                ).gap
            worst = max(worst, max(gap - room, 0.0) / unit) if np.isfinite(gap) else np.inf
            reach = longest / (float(alpha) * l1_ratio) if alpha > 0.0 and l1_ratio > 0.0 else 0.0
            moved = float(lengths[problem.penalised] @ np.abs(coef))
            # Offsets, too, are sums of scores as large as these.
            blur = max(blur, 4.0 * rounding_of_gap(root, moved, reach) / unit)
        near = self.X_test - problem.centre if problem.centre.any() else self.X_test
        E = self.y_test[:, None] - (np.asarray(near @ coefs.T) + offsets)
        errors = np.average(E**2, axis=0, weights=self.judge)
        entered = np.asarray(abs(self.X_test) @ np.abs(coefs.T)) + self.largest
        rounding = 64.0 * EPS * float(np.max((np.abs(E) + EPS * entered) * entered, initial=0.0))
        return _Standing(errors, worst, rounding, blur)
