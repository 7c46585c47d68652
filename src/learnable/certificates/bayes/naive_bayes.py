"""Naive Bayes for counts: the counts once more, what follows from them, and that probabilities sum to one.

Syllabus: Y6, Y7, Y9.
"""

from collections.abc import Callable
from copy import copy
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.bayes.class_members import EPS, class_sums, labelled_rows, row_labels, row_weights
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.rows import Block, Rows
from learnable.rows.arrays import rows_of_csr
from learnable.rows.parts import in_parts

# Logarithms of shares that are recomputed from the same counts differ by rounding only.
TOLERANCE = 1e-10
# What scikit-learn and we lift alpha to when force_alpha is False.
SMALLEST_ALPHA = 1e-10
# Entries of the rows whose presences are summed at a time: 2**19 doubles are 4 MiB.
STRETCH = 2**19


@certifies("MultinomialNB")
def multinomial_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about word counts and their shares."""
    rows = labelled_rows(model, X, y, sample_weight)
    alpha, table = _alpha(model), np.asarray(model.feature_log_prob_, dtype=float)
    counts = np.asarray(model.feature_count_, dtype=float)

    def share(c: int) -> tuple[np.ndarray, np.ndarray]:
        return table[c], counts[c] + alpha

    return [
        *_word_claims(model, rows),
        *_share_claims("P(v | c)", "(n_cv + α) / (n_c + α|V|)", share, np.full(*table.shape)),
        *prior_claims("Y9", model, np.asarray(model.class_log_prior_)),
    ]


@certifies("ComplementNB")
def complement_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about the words of the complements."""
    rows = labelled_rows(model, X, y, sample_weight)
    alpha, weights = _alpha(model), np.asarray(model.feature_log_prob_, dtype=float)
    counts = np.asarray(model.feature_count_, dtype=float)
    everywhere = counts.sum(axis=0)

    def share(c: int) -> tuple[np.ndarray, np.ndarray]:
        others = everywhere - counts[c]
        others += alpha
        return weights[c] * np.log(others / others.sum()).sum() if model.norm else -weights[c], others

    return [
        *_word_claims(model, rows),
        _difference_claim("Y9", "feature_all_ is the sum of feature_count_", model.feature_all_, everywhere),
        *_share_claims("P(v | not c)", "(n_v − n_cv + α) / (n − n_c + α|V|)", share, np.full(*weights.shape)),
        *prior_claims("Y9", model, np.asarray(model.class_log_prior_)),
    ]


@certifies("BernoulliNB")
def bernoulli_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about presence and absence."""
    rows = labelled_rows(model, X, y, sample_weight)
    threshold, n_classes = 0.5 if model.binarize is None else model.binarize, len(model.classes_)
    direction = _direction(rows.n_columns)

    def sums(block: Block):
        if sparse.issparse(block.X):
            along, some_missing = _presence_products(block.X, direction, threshold)
        else:
            cells = np.asarray(block.X, dtype=float)
            along, some_missing = np.greater(cells, threshold) @ direction, np.isnan(cells.max())
        members = class_sums(block, n_classes)
        known = members[:, np.newaxis]
        if some_missing:
            stored, label, weight = sparse.coo_array(block.X), row_labels(block), row_weights(block)
            row, column = (place[np.isnan(stored.data)] for place in stored.coords)
            missing = np.bincount(label[row] * rows.n_columns + column, weight[row], n_classes * rows.n_columns)
            known = known - missing.reshape(n_classes, -1)
        return members, class_sums(block, n_classes, along), known

    def added(a, b):
        return tuple(one + other for one, other in zip(a, b))

    members, along, known = rows.reduce(sums, added)
    counts = np.asarray(model.feature_count_, dtype=float)
    claims = [
        _difference_claim("Y9", "class_count_ is the weight of the rows of each class", model.class_count_, members),
        _projection_claim("Y9", "feature_count_ counts the rows with x > threshold", counts, along, direction, rows),
    ]
    alpha, table = _alpha(model), np.asarray(model.feature_log_prob_, dtype=float)

    def extremes(part: slice) -> tuple[float, float]:
        shares = zip(table[part], counts[part], known[part])
        off = max(_farthest_from_one(_ratios(row, has + alpha, of + 2.0 * alpha)) for row, has, of in shares)
        return off, table[part].max()

    off, largest = np.max(in_parts(extremes, _work(np.full(*table.shape))), axis=0)
    claims.append(_table_claim("Y9", "(n_cj + α) / (n_c + 2α)", off))
    claims.append(Claim.at_most("Y9", "P(xⱼ | c) is at most 1 (largest log)", largest, TOLERANCE))
    return [*claims, *prior_claims("Y9", model, np.asarray(model.class_log_prior_))]


@certifies("CategoricalNB")
def categorical_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about the m-estimates of every value of every column."""
    rows = labelled_rows(model, X, y, sample_weight)
    n_classes, n_values = len(model.classes_), [int(n) for n in model.n_categories_]

    def counted(block: Block):
        labels, weight, strange, found = row_labels(block), row_weights(block), 0, []
        for j, n in enumerate(n_values):
            code, label, w = np.asarray(block.X[:, j]), labels, weight
            fine = (code >= 0) & (code < n) & (code == np.floor(code))
            if not fine.all():
                strange += int(np.count_nonzero(~fine & (code == code)))
                code, label, w = code[fine], label[fine], w[fine]
            places = label * n + code.astype(np.int64)
            found.append(np.bincount(places, None if block.weight is None else w, n_classes * n).astype(float))
        return class_sums(block, n_classes), strange, tuple(found)

    members, strange, found = rows.reduce(counted)
    counts = [part.reshape(n_classes, n) for part, n in zip(found, n_values)]
    apart = [_largest_difference(given, part) for given, part in zip(model.category_count_, counts)]
    claims = [
        _difference_claim("Y6", "class_count_ is the weight of the rows of each class", model.class_count_, members),
        Claim.at_most("Y6", "cells that are no known category, missing ones aside", strange, 0.0),
        Claim.at_most("Y6", "category_count_ counts the values (largest relative difference)", max(apart), TOLERANCE),
    ]
    tables = [np.asarray(table, dtype=float) for table in model.feature_log_prob_]
    smoothed = [part + virtual for part, virtual in zip(counts, _virtual(model, n_values))]
    shares = [share for table, part in zip(tables, smoothed) for share in zip(table, part)]
    sizes = np.repeat(n_values, n_classes)
    claims.extend(_share_claims("P(v | c)", "(n_cv + m p_v) / (n_c + m)", shares.__getitem__, sizes, id="Y7"))
    return [*claims, *prior_claims("Y6", model, np.asarray(model.class_log_prior_))]


def prior_claims(id: str, model: Any, log_prior: np.ndarray) -> list[Claim]:
    """The priors are the shares of the classes, uniform, or as given, and sum to one."""
    count = np.asarray(model.class_count_, dtype=float)
    source, expected = "the shares of the classes", count / count.sum()
    if model.class_prior is not None:
        source, expected = "as given", np.asarray(model.class_prior, dtype=float)
    elif not model.fit_prior:
        source, expected = "uniform", np.full(len(count), 1.0 / len(count))
    with np.errstate(over="ignore"):
        prior = np.exp(log_prior)
    return [
        Claim.at_most(id, f"P(c) is {source} (largest difference)", np.abs(prior - expected).max(), TOLERANCE),
        Claim.at_most(id, "P(c) sums to 1 (difference)", abs(prior.sum() - 1.0), TOLERANCE),
    ]


def _word_claims(model: Any, rows: Rows) -> list[Claim]:
    n_classes, direction = len(model.classes_), _direction(rows.n_columns)

    def sums(block: Block):
        along = block.X @ direction if not sparse.issparse(block.X) else _row_products(block.X, direction)
        return class_sums(block, n_classes), class_sums(block, n_classes, along)

    members, along = rows.reduce(sums)
    counts = np.asarray(model.feature_count_, dtype=float)
    return [
        _difference_claim("Y9", "class_count_ is the weight of the rows of each class", model.class_count_, members),
        _projection_claim("Y9", "feature_count_ counts the words of each class", counts, along, direction, rows),
    ]


def _row_products(X: Any, direction: np.ndarray) -> np.ndarray:
    """X @ direction, of sparse rows."""
    return np.concatenate(in_parts(lambda part: rows_of_csr(X, part.start, part.stop) @ direction, X.indptr[1:]))


def _presence_products(X: Any, direction: np.ndarray, threshold: float) -> tuple[np.ndarray, bool]:
    """(X @ direction, of sparse rows in which an entry above the threshold counts one; whether an entry is NaN)."""
    cuts = np.unique([0, *np.searchsorted(X.indptr, np.arange(STRETCH, X.nnz, STRETCH)), X.shape[0]])
    # Most often every stored entry is present, and one row of ones serves all stretches.
    ones = np.ones(np.diff(X.indptr[cuts]).max())

    def products(part: slice) -> list[tuple[np.ndarray, bool]]:
        found = []
        for start, stop in pairwise(cuts[part.start : part.stop + 1].tolist()):
            rows = copy(rows_of_csr(X, start, stop))
            lowest = rows.data.min() if rows.nnz else np.inf
            rows.data = ones[: rows.nnz] if lowest > threshold else np.greater(rows.data, threshold).astype(float)
            found.append((rows @ direction, bool(np.isnan(lowest))))
        return found

    found = [stretch for part in in_parts(products, X.indptr[cuts[1:]]) for stretch in part]
    return np.concatenate([along for along, _ in found]), any(missing for _, missing in found)


@cache
def _direction(p: int) -> np.ndarray:
    return np.random.default_rng(9).uniform(1.0, 2.0, p)


def _projection_claim(id: str, statement: str, counts, along, direction, rows: Rows) -> Claim:
    """N r = (sum of the rows) r for r uniform in [1, 2]ᵖ, by Freivalds: one product instead of all counts again.

    An error e in a row of N, fixed before r is drawn, has |e·r| ≤ t with probability 2t / max|e| at most: e·r moves
    through an interval of length max|e| with the entry of r at the largest error.
    """
    rounding = 8.0 * EPS * (10.0 + np.sqrt(rows.n_rows) + np.sqrt(rows.n_columns))
    size = max(float(np.abs(along).max()), 1e-300)
    value = np.abs(counts @ direction - along).max() / size
    return Claim.at_most(
        id,
        f"{statement} (relative difference along a random direction; delta is for an error of one)",
        value,
        rounding,
        kind="with probability",
        delta=min(1.0, 2.0 * rounding * size),
        assumptions=("the answer was not made to fit this direction",),
    )


def _share_claims(
    what: str,
    formula: str,
    share: Callable[[int], tuple[np.ndarray, np.ndarray]],
    sizes: np.ndarray,
    id: str = "Y9",
) -> list[Claim]:
    """The log-probabilities follow from the smoothed counts, and are those of a law.

    Parameters
    ----------
    share : gives (log-probabilities, smoothed counts) of one law by its number.
    sizes : how many values each law has.
    """

    def farthest(part: slice) -> tuple[float, float]:
        off, excess = 0.0, 0.0
        # A law at a time, which stays in the cache.
        for table, smoothed in map(share, range(part.start, part.stop)):
            if smoothed.size:  # a column may have no values
                total = smoothed.sum()
                ratios = _ratios(table, smoothed, total)
                off = max(off, _farthest_from_one(ratios))
                excess = max(excess, _farthest_from_one(np.vdot(ratios, smoothed) / total))
        return off, excess

    off, excess = np.max(in_parts(farthest, _work(sizes)), axis=0)
    return [
        _table_claim(id, formula, off),
        Claim.at_most(id, f"{what} sums to 1 (largest difference)", excess, TOLERANCE),
    ]


def _work(sizes: np.ndarray) -> np.ndarray:
    """For `in_parts`: an exponential takes as long as going through two numbers."""
    return 2 * np.cumsum(sizes)


def _table_claim(id: str, formula: str, off: float) -> Claim:
    return Claim.at_most(id, f"feature_log_prob_ is log {formula} (largest relative difference)", off, TOLERANCE)


def _ratios(table: np.ndarray, smoothed: np.ndarray, total: np.ndarray) -> np.ndarray:
    """e^table · total / smoothed, which is one where the table is log(smoothed / total); one where both are log 0."""
    with np.errstate(all="ignore"):
        found = table + np.log(total)
        np.exp(found, out=found)
        found /= smoothed
    if np.isnan(found.min()):
        found[(smoothed == 0.0) & np.isneginf(table)] = 1.0
    return found


def _farthest_from_one(values: np.ndarray) -> float:
    """max |values − 1|, infinite if a value is undefined."""
    apart = max(values.max() - 1.0, 1.0 - values.min())
    return float(apart) if np.isfinite(apart) else np.inf


def _difference_claim(id: str, statement: str, given: Any, expected: np.ndarray) -> Claim:
    return Claim.at_most(
        id, f"{statement} (largest relative difference)", _largest_difference(given, expected), TOLERANCE
    )


def _largest_difference(given: Any, expected: np.ndarray) -> float:
    given = np.asarray(given, dtype=float)
    if given.shape != expected.shape:
        return np.inf
    return float(np.abs(given - expected).max(initial=0.0) / max(np.abs(expected).max(initial=0.0), 1e-300))


def _alpha(model: Any) -> Any:
    alpha = np.asarray(model.alpha, dtype=float)
    return alpha if model.force_alpha else np.maximum(alpha, SMALLEST_ALPHA)


def _virtual(model: Any, n_values: list[int]) -> list[Any]:
    """m p_v of each column; scikit-learn's class has no m."""
    m = getattr(model, "m", None)
    if m is None:
        return [_alpha(model)] * len(n_values)
    if model.p is None:
        return [m / max(n, 1) for n in n_values]
    return [m * np.asarray(prior, dtype=float) for prior in model.p]
