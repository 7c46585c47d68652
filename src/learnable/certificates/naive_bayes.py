"""Naive Bayes for counts: the counts once more, what follows from them, and that probabilities sum to one.

Syllabus: Y6, Y7, Y9.
"""

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.certify import certifies
from learnable.certificates.claim import Claim
from learnable.certificates.class_members import EPS, class_sums, labelled_rows, row_labels, row_weights
from learnable.rows import Block, Rows

# Logarithms of shares that are recomputed from the same counts differ by rounding only.
TOLERANCE = 1e-10
# What scikit-learn and we lift alpha to when force_alpha is False.
SMALLEST_ALPHA = 1e-10


@certifies("MultinomialNB")
def multinomial_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about word counts and their shares."""
    rows = labelled_rows(model, X, y, sample_weight)
    claims = _word_claims(model, rows)
    smoothed = np.asarray(model.feature_count_, dtype=float) + _alpha(model)
    claims.append(_table_claim("Y9", "(n_cv + α) / (n_c + α|V|)", model.feature_log_prob_, smoothed))
    claims.append(_sum_claim("Y9", "P(v | c) over the words", [model.feature_log_prob_]))
    return [*claims, *prior_claims("Y9", model, np.asarray(model.class_log_prior_))]


@certifies("ComplementNB")
def complement_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about the words of the complements."""
    rows = labelled_rows(model, X, y, sample_weight)
    claims = _word_claims(model, rows)
    counts = np.asarray(model.feature_count_, dtype=float)
    everywhere = counts.sum(axis=0)
    claims.append(_difference_claim("Y9", "feature_all_ is the sum of feature_count_", model.feature_all_, everywhere))
    smoothed = everywhere - counts + _alpha(model)
    with np.errstate(all="ignore"):
        logged = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
        weights = np.asarray(model.feature_log_prob_, dtype=float)
        table = weights * logged.sum(axis=1, keepdims=True) if model.norm else -weights
    claims.append(_table_claim("Y9", "P(v | not c) = (n_v − n_cv + α) / (n − n_c + α|V|)", table, smoothed))
    claims.append(_sum_claim("Y9", "P(v | not c) over the words", [table]))
    return [*claims, *prior_claims("Y9", model, np.asarray(model.class_log_prior_))]


@certifies("BernoulliNB")
def bernoulli_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about presence and absence."""
    rows = labelled_rows(model, X, y, sample_weight)
    threshold, n_classes = 0.5 if model.binarize is None else model.binarize, len(model.classes_)
    direction = _direction(rows.n_columns)

    def sums(block: Block):
        label, weight = row_labels(block), row_weights(block)
        if sparse.issparse(block.X):
            shown = (block.X.data > threshold).astype(float)
            present = sparse.csr_array((shown, block.X.indices, block.X.indptr), block.X.shape)
            unknown = np.isnan(block.X.data)
        else:
            present = np.greater(block.X, threshold).astype(float)
            unknown = np.isnan(np.asarray(block.X, dtype=float))
        members = class_sums(label, weight, n_classes)
        known = members[:, np.newaxis]
        if unknown.any():
            cells = sparse.coo_array(block.X)
            row, column = (place[np.isnan(cells.data)] for place in cells.coords)
            missing = np.bincount(label[row] * rows.n_columns + column, weight[row], n_classes * rows.n_columns)
            known = known - missing.reshape(n_classes, -1)
        return members, class_sums(label, weight * (present @ direction), n_classes), known

    def added(a, b):
        return tuple(one + other for one, other in zip(a, b))

    members, along, known = rows.reduce(sums, added)
    counts = np.asarray(model.feature_count_, dtype=float)
    claims = [
        _difference_claim("Y9", "class_count_ is the weight of the rows of each class", model.class_count_, members),
        _projection_claim("Y9", "feature_count_ counts the rows with x > threshold", counts, along, direction, rows),
    ]
    alpha, table = _alpha(model), np.asarray(model.feature_log_prob_, dtype=float)
    claims.append(_table_claim("Y9", "(n_cj + α) / (n_c + 2α)", table, counts + alpha, known + 2.0 * alpha))
    claims.append(Claim.at_most("Y9", "P(xⱼ | c) is at most 1 (largest log)", table.max(), TOLERANCE))
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
        return class_sums(labels, weight, n_classes), strange, tuple(found)

    members, strange, found = rows.reduce(counted)
    counts = [part.reshape(n_classes, n) for part, n in zip(found, n_values)]
    apart = [_largest_difference(given, part) for given, part in zip(model.category_count_, counts)]
    claims = [
        _difference_claim("Y6", "class_count_ is the weight of the rows of each class", model.class_count_, members),
        Claim.at_most("Y6", "cells that are no known category, missing ones aside", strange, 0.0),
        Claim.at_most("Y6", "category_count_ counts the values (largest relative difference)", max(apart), TOLERANCE),
    ]
    tables = [np.asarray(table, dtype=float) for table in model.feature_log_prob_]
    off = [_log_difference(t, part + virtual) for t, part, virtual in zip(tables, counts, _virtual(model, n_values))]
    statement = "feature_log_prob_ is log (n_cv + m p_v) / (n_c + m) (largest difference)"
    claims.append(Claim.at_most("Y7", statement, max(off), TOLERANCE))
    claims.append(_sum_claim("Y7", "P(v | c) over the values", tables))
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
        label, weight = row_labels(block), row_weights(block)
        along = class_sums(label, weight * (block.X @ direction), n_classes)
        return class_sums(label, weight, n_classes), along

    members, along = rows.reduce(sums)
    counts = np.asarray(model.feature_count_, dtype=float)
    return [
        _difference_claim("Y9", "class_count_ is the weight of the rows of each class", model.class_count_, members),
        _projection_claim("Y9", "feature_count_ counts the words of each class", counts, along, direction, rows),
    ]


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


def _table_claim(id: str, formula: str, table, smoothed: np.ndarray, total: np.ndarray | None = None) -> Claim:
    off = _log_difference(np.asarray(table, dtype=float), smoothed, total)
    return Claim.at_most(id, f"feature_log_prob_ is log {formula} (largest difference)", off, TOLERANCE)


def _log_difference(table: np.ndarray, smoothed: np.ndarray, total: np.ndarray | None = None) -> float:
    """max |table − log(smoothed / total)|, equal where both are −∞; a class at a time, which stays in the cache."""
    total = smoothed.sum(axis=1, keepdims=True) if total is None else total
    largest = 0.0
    with np.errstate(all="ignore"):
        for given, counts, whole in zip(table, smoothed, total):
            expected = np.log(counts)
            expected -= np.log(whole)
            impossible = np.isneginf(expected)
            if impossible.any():
                if not np.array_equal(impossible, np.isneginf(given)):
                    return np.inf
                given, expected = given[~impossible], expected[~impossible]
            expected -= given
            largest = max(largest, float(np.abs(expected, out=expected).max(initial=0.0)))
            if expected.size and np.isnan(expected.sum()):
                return np.inf
    return largest


def _sum_claim(id: str, what: str, tables: list[np.ndarray]) -> Claim:
    with np.errstate(over="ignore"):
        off = [abs(np.exp(row).sum() - 1.0) for table in tables for row in np.asarray(table, dtype=float) if row.size]
    return Claim.at_most(id, f"{what} sums to 1 (largest difference)", max(off, default=0.0), TOLERANCE)


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
