"""Quicker claims of a fit on many rows: proved where `certify` proves them, refuted where the answer is altered."""

import copy

import numpy as np

from learnable import certify
from learnable.bayes import GaussianNB
from learnable.certificates import Verdict
from learnable.certificates.core.certify import certificate_of, ledger_of
from learnable.linear import (
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
)

RNG = np.random.default_rng(29)
X = RNG.standard_normal((53_000, 20)) * np.geomspace(1e-3, 1e3, 20)
# Rare columns, one of them zero in every row that is looked at: the lengths of all are found nevertheless.
X[:, 3] = np.arange(len(X)) % 16 == 5
X[:, 4] = RNG.random(len(X)) < 1e-3
Y = X @ (RNG.standard_normal(20) / np.geomspace(1e-3, 1e3, 20)) + RNG.standard_normal(len(X))
LABEL = np.digitize(Y, [Y.mean(), Y.mean() + Y.std()])


def test_quick_claims_of_many_rows_notice_what_slow_ones_do():
    weight = RNG.uniform(0.0, 2.0, len(X))
    two = LABEL > 0
    cases = ((LinearRegression(), Y), (Ridge(1.0), Y), (LogisticRegression(), two), (GaussianNB(), LABEL),
             (LinearDiscriminantAnalysis(), LABEL), (LinearDiscriminantAnalysis(), two),
             (QuadraticDiscriminantAnalysis(reg_param=0.1), LABEL))  # fmt: skip
    for model, y in cases:
        # Cross-products of columns of such different sizes do not show the smallest axes.
        Z = X / X.std(axis=0) if isinstance(model, QuadraticDiscriminantAnalysis) else X
        for moved in (Z, Z + 1e6 * (np.arange(20) == 7)):
            model.fit(moved, y, sample_weight=weight)
            assert model.certificate_.holds, model.certificate_
            assert certify(model, moved, y, weight).holds
        for name in {*ledger_of(type(model)).verified} & vars(model).keys():
            altered = copy.deepcopy(model)
            entries = np.array(getattr(model, name), dtype=float)
            entries.flat[-1] += 1e-3 * np.abs(entries).max()
            setattr(altered, name, entries if entries.ndim else float(entries))
            told = certificate_of(altered, moved, y, weight)
            assert told.verdict is Verdict.REFUTED, f"{name} of {type(model).__name__}: {told}"
