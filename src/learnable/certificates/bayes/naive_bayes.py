"""Naive Bayes for counts: the counts once more, what follows from them, and that probabilities sum to one.

Syllabus: Y9.
"""

from copy import copy
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.bayes.class_members import EPS, class_sums, labelled_rows, row_labels, row_weights
from learnable.certificates.bayes.count_claims import (
    DIGESTED,
    MANY,
    ONE_IN,
    TABLES,
    TOLERANCE,
    alpha_of,
    difference_claim,
    drawn_values,
    farthest_from_one,
    largest_difference,
    misshapen_tables,
    prior_claims,
    ratios_to,
    rounding_of,
    share_claims,
    some_claim,
    table_claim,
    work_of,
)
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.digest_generator import digest_generator
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.membership import membership
from learnable.certificates.core.origin import is_ours
from learnable.rows import Block, Rows
from learnable.rows.arrays import rows_of_csr
from learnable.rows.parts import in_parts

# Entries of the rows whose presences are summed at a time: 2**16 doubles are 512 KiB.
STRETCH = 2**16
MEMBERS = "class_count_ is the weight of the rows of each class"


@certifies("MultinomialNB", ledger=Ledger(("class_count_", "feature_count_"), TABLES))
def multinomial_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about word counts and their shares."""
    rows = labelled_rows(model, X, y, sample_weight)
    if wrong := misshapen_tables(model, rows):
        return wrong
    alpha, table = alpha_of(model), np.asarray(model.feature_log_prob_, dtype=float)
    counts = np.asarray(model.feature_count_, dtype=float)

    def share(c: int) -> tuple[np.ndarray, np.ndarray]:
        return table[c], counts[c] + alpha

    def some(values: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        total = counts.sum(axis=1, keepdims=True) + np.broadcast_to(alpha, rows.n_columns).sum()
        return table[:, values], counts[:, values] + _at(alpha, values), total

    return [
        *_word_claims(model, rows),
        *share_claims("P(v | c)", "(n_cv + α) / (n_c + α|V|)", share, np.full(*table.shape), some=some),
        *prior_claims("Y9", model, np.asarray(model.class_log_prior_)),
    ]


@certifies("ComplementNB", ledger=Ledger(("class_count_", "feature_count_"), (*TABLES, "feature_all_")))
def complement_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about the words of the complements."""
    rows = labelled_rows(model, X, y, sample_weight)
    if wrong := misshapen_tables(model, rows, feature_all_=(rows.n_columns,)):
        return wrong
    alpha, weights = alpha_of(model), np.asarray(model.feature_log_prob_, dtype=float)
    counts = np.asarray(model.feature_count_, dtype=float)
    everywhere = counts.sum(axis=0)
    # Where nothing but α is left of a difference, it is known only to the rounding of its terms.
    rounding = 8.0 * EPS * everywhere

    def share(c: int) -> tuple[np.ndarray, ...]:
        others = everywhere - counts[c]
        others += alpha
        return weights[c] * np.log(others / others.sum()).sum() if model.norm else -weights[c], others, rounding

    def some(values: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        total = everywhere.sum() - counts.sum(axis=1, keepdims=True) + np.broadcast_to(alpha, rows.n_columns).sum()
        return -weights[:, values], everywhere[values] - counts[:, values] + _at(alpha, values), total

    return [
        *_word_claims(model, rows),
        difference_claim("Y9", "feature_all_ is the sum of feature_count_", model.feature_all_, everywhere, rows),
        *share_claims(
            "P(v | not c)",
            "(n_v − n_cv + α) / (n − n_c + α|V|)",
            share,
            np.full(*weights.shape),
            some=None if model.norm else some,
        ),
        *prior_claims("Y9", model, np.asarray(model.class_log_prior_)),
    ]


@certifies("BernoulliNB", ledger=Ledger(("class_count_", "feature_count_"), (*TABLES, "observed_count_")))
def bernoulli_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about presence and absence."""
    rows = labelled_rows(model, X, y, sample_weight)
    if wrong := misshapen_tables(model, rows):
        return wrong
    threshold, n_classes = 0.5 if model.binarize is None else model.binarize, len(model.classes_)
    counts = np.asarray(model.feature_count_, dtype=float)
    alpha, table = alpha_of(model), np.asarray(model.feature_log_prob_, dtype=float)
    if model.binarize is None and not is_ours(model):  # cells are added up, whether they are 0 and 1 or not
        known = np.asarray(model.class_count_, dtype=float)[:, np.newaxis]
        claims = _word_claims(model, rows) + _presence_claims(
            table, counts, known, alpha, max(TOLERANCE, rounding_of(rows))
        )
        return [*claims, *prior_claims("Y9", model, np.asarray(model.class_log_prior_))]
    direction = _direction(counts)
    exactly = thorough()

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
        present = _sums_by_class(block, n_classes, _presences(block.X, threshold)) if exactly else np.zeros((1, 1))
        return members, class_sums(block, n_classes, along), known, present

    def added(a, b):
        return tuple(one + other for one, other in zip(a, b))

    members, along, known, present = rows.reduce(sums, added)
    statement = "feature_count_ counts the rows with x > threshold"
    claims = [
        difference_claim("Y9", MEMBERS, model.class_count_, members, rows),
        _projection_claim("Y9", statement, counts, along, direction, rows),
        *([difference_claim("Y9", f"{statement}, all counted again", counts, present, rows)] if exactly else []),
    ]
    if hasattr(model, "observed_count_"):
        stated = np.asarray(model.observed_count_, dtype=float)
        fits = stated.ndim == 2 and stated.shape[0] == n_classes and stated.shape[1] in (1, rows.n_columns)
        statement = "observed_count_ is the weight of the known cells"
        expected = np.broadcast_to(known, stated.shape) if fits and known.shape[1] in (1, stated.shape[1]) else known
        claims.append(difference_claim("Y9", statement, stated, expected, rows))
    claims += _presence_claims(table, counts, known, alpha, max(TOLERANCE, rounding_of(rows)))
    return [*claims, *prior_claims("Y9", model, np.asarray(model.class_log_prior_))]


def _at(alpha: Any, values: slice) -> Any:
    return alpha[values] if np.ndim(alpha) else alpha


def _presence_claims(table: np.ndarray, counts: np.ndarray, known: np.ndarray, alpha: Any, tolerance: float):
    """P(xⱼ | c) of every word and class, from the counts and the weights of the known cells."""
    formula, work = "(n_cj + α) / (n_c + 2α)", work_of(np.full(*table.shape))

    def extremes(part: slice) -> tuple[float, float]:
        shares = zip(table[part], counts[part], known[part])
        off = max(farthest_from_one(ratios_to(row, has + alpha, of + 2.0 * alpha)) for row, has, of in shares)
        return off, table[part].max()

    claim = None
    if (
        not thorough()
        and table.size > MANY
        and table.shape[1] >= ONE_IN
        and known.shape[1] == 1
        and np.ndim(alpha) == 0
    ):
        some, largest = drawn_values(table[0]), table.max()
        off = farthest_from_one(ratios_to(table[:, some], counts[:, some] + alpha, known + 2.0 * alpha))
        claim = some_claim("Y9", formula, off) if off <= TOLERANCE else None
    if claim is None:
        off, largest = np.max(in_parts(extremes, work), axis=0)
        claim = table_claim("Y9", formula, off, tolerance)
    return [claim, Claim.at_most("Y9", "P(xⱼ | c) is at most 1 (largest log)", largest, tolerance)]


def _word_claims(model: Any, rows: Rows) -> list[Claim]:
    n_classes, counts = len(model.classes_), np.asarray(model.feature_count_, dtype=float)
    direction, exactly = _direction(counts), thorough()

    def sums(block: Block):
        counted = _sums_by_class(block, n_classes, block.X) if exactly else np.zeros((1, 1))
        along = block.X @ direction if not sparse.issparse(block.X) else _row_products(block.X, direction)
        return class_sums(block, n_classes), class_sums(block, n_classes, along), counted

    members, along, found = rows.reduce(sums)
    statement = "feature_count_ counts the words of each class"
    return [
        difference_claim("Y9", MEMBERS, model.class_count_, members, rows),
        _projection_claim("Y9", statement, counts, along, direction, rows),
        *([difference_claim("Y9", f"{statement}, all counted again", counts, found, rows)] if exactly else []),
    ]


def _sums_by_class(block: Block, n_classes: int, X: Any) -> np.ndarray:
    """(K, p) Σ w x over the rows of each class."""
    label, weight = row_labels(block), row_weights(block)
    belongs = membership(label, weight, n_classes)
    found = belongs @ (sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X, dtype=float))
    return found.toarray() if sparse.issparse(found) else found


def _presences(X: Any, threshold: float) -> Any:
    """1 where a cell is above the threshold; what is not stored is zero, and the threshold is not below it."""
    if not sparse.issparse(X):
        return np.greater(X, threshold)
    return sparse.csr_array((np.greater(X.data, threshold).astype(float), X.indices, X.indptr), X.shape)


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


def _direction(counts: np.ndarray) -> np.ndarray:
    """A direction that follows from the answer: who alters the counts is tried along another one."""
    step = max(1, counts.size // DIGESTED)
    generator = digest_generator(counts.ravel()[::step], counts[:, :DIGESTED].sum(axis=0))
    direction = generator.random(size=(counts.shape[1],))
    direction += 1.0
    return direction


def _projection_claim(id: str, statement: str, counts, along, direction, rows: Rows) -> Claim:
    """N r = (sum of the rows) r for r uniform in [1, 2]ᵖ, by Freivalds: one product instead of all counts again.

    An error e in a row of N, fixed before r is drawn, has |e·r| ≤ t with probability 2t / max|e| at most: e·r moves
    through an interval of length max|e| with the entry of r at the largest error. `certify` counts everything again.
    """
    rounding = rounding_of(rows)
    value = largest_difference(counts @ direction, along)
    return Claim.at_most(
        id,
        f"{statement} (relative difference along a random direction; delta is for an error of one)",
        value,
        rounding,
        kind="with probability",
        delta=min(1.0, 2.0 * rounding * max(float(np.abs(along).max()), 1e-300)),
        assumptions=("the answer was not made to fit this direction",),
    )
