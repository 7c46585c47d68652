"""Naive Bayes for categories: every value of every column counted again, and its m-estimate. Syllabus: Y6, Y7."""

from typing import Any

import numpy as np

from learnable.certificates.bayes.categorical_probe import MANY, tried
from learnable.certificates.bayes.class_members import class_sums, labelled_rows, row_labels, row_weights
from learnable.certificates.bayes.count_claims import (
    FEW,
    TABLES,
    TOLERANCE,
    alpha_of,
    difference_claim,
    largest_difference,
    prior_claims,
    rounding_of,
    share_claims,
)
from learnable.certificates.bayes.shapes import misshapen
from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.origin import is_ours
from learnable.rows import Block, Rows


@certifies("CategoricalNB", ledger=Ledger(("class_count_", "category_count_"), (*TABLES, "n_categories_")))
def categorical_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """What (data, answer, parameters) prove about the m-estimates of every value of every column."""
    # scikit-learn's class cuts off what stands after the point.
    rows = labelled_rows(model, X if is_ours(model) else np.trunc(X), y, sample_weight)
    n_classes, p = len(model.classes_), rows.n_columns
    shapes = {"class_count_": (n_classes,), "class_log_prior_": (n_classes,), "n_categories_": (p,)}
    if wrong := misshapen("Y6", model, shapes):
        return wrong
    n_values = np.nan_to_num(np.asarray(model.n_categories_)).astype(int).tolist()
    unfit = sum(
        len(tables) != p or any(np.shape(table) != (n_classes, n) for table, n in zip(tables, n_values))
        for tables in (model.category_count_, model.feature_log_prob_)
    ) + int(np.any(np.asarray(model.n_categories_) != n_values))
    if unfit:
        statement = "category_count_ and feature_log_prob_ have a table of n_categories_ for each column (how many not)"
        return [Claim.at_most("Y6", statement, unfit, 0.0)]

    quick = None
    if is_ours(model) and not thorough() and rows.n_rows * p > MANY:
        quick = tried(model, rows, n_values)
    claims = _counted_again(model, rows, n_values) if quick is None else quick
    tables = [np.asarray(table, dtype=float) for table in model.feature_log_prob_]
    stated = [np.asarray(part, dtype=float) for part in model.category_count_]
    smoothed = [part + virtual for part, virtual in zip(stated, _virtual(model, n_values))]
    shares = [share for table, part in zip(tables, smoothed) for share in zip(table, part)]
    sizes = np.repeat(n_values, n_classes)
    claims.extend(share_claims("P(v | c)", "(n_cv + m p_v) / (n_c + m)", shares.__getitem__, sizes, id="Y7"))
    return [*claims, *prior_claims("Y6", model, np.asarray(model.class_log_prior_))]


def _counted_again(model: Any, rows: Rows, n_values: list[int]) -> list[Claim]:
    """Every cell counted."""
    n_classes, p = len(model.classes_), rows.n_columns
    # Where the table of each column begins when they stand one after the other.
    begin = n_classes * (np.cumsum(n_values) - n_values)

    def counted(block: Block):
        labels, weight, strange, found = row_labels(block), row_weights(block), 0, []
        largest = np.zeros(p)
        cells = np.asarray(block.X)
        if cells.size <= FEW and np.all((cells >= 0) & (cells < np.array(n_values)) & (np.floor(cells) == cells)):
            places = begin + labels[:, np.newaxis] * np.array(n_values) + cells.astype(np.int64)
            w = None if block.weight is None else np.repeat(weight, p)
            whole = np.bincount(places.ravel(), w, n_classes * sum(n_values)).astype(float)
            return class_sums(block, n_classes), 0, cells.max(axis=0), tuple(np.split(whole, begin[1:]))
        for j, n in enumerate(n_values):
            code, label, w = np.ascontiguousarray(cells[:, j]), labels, weight
            if not (code.min() >= 0 and code.max() < n and np.array_equal(code, np.floor(code))):
                fine = (code >= 0) & (code < n) & (code == np.floor(code))
                strange += int(np.count_nonzero(~fine & (code == code)))
                code, label, w = code[fine], label[fine], w[fine]
            largest[j] = code.max(initial=-1)
            places = label * n + code.astype(np.int64)
            found.append(np.bincount(places, None if block.weight is None else w, n_classes * n).astype(float))
        return class_sums(block, n_classes), strange, largest, tuple(found)

    def added(a, b):
        return a[0] + b[0], a[1] + b[1], np.maximum(a[2], b[2]), tuple(map(np.add, a[3], b[3]))

    members, strange, largest, found = rows.reduce(counted, added)
    least = 0 if model.min_categories is None else np.asarray(model.min_categories)
    counts = [part.reshape(n_classes, n) for part, n in zip(found, n_values)]
    apart = largest_difference(np.hstack(model.category_count_), np.hstack(counts))
    tolerance = max(TOLERANCE, rounding_of(rows))
    return [
        difference_claim("Y6", "class_count_ is the weight of the rows of each class", model.class_count_, members,
                         rows),
        Claim.at_most("Y6", "cells that are no known category, missing ones aside", strange, 0.0),
        Claim.at_most("Y6", "category_count_ counts the values (largest relative difference)", apart, tolerance),
        Claim.at_most("Y6", "n_categories_ is one more than the largest value, or min_categories (columns where not)",
                      int(np.count_nonzero(np.maximum(largest + 1, least) != n_values)), 0.0),
    ]  # fmt: skip


def _virtual(model: Any, n_values: list[int]) -> list[Any]:
    """m p_v of each column; scikit-learn's class has no m."""
    m = getattr(model, "m", None)
    if m is None:
        return [alpha_of(model)] * len(n_values)
    if model.p is None:
        return [m / max(n, 1) for n in n_values]
    return [m * np.asarray(prior, dtype=float) for prior in model.p]
