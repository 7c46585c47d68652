"""Naive Bayes against R's e1071::naiveBayes, missing cells included (naive_bayes_r.R, naive_bayes_r.json)."""

import copy
import json
from pathlib import Path

import numpy as np
from tests.cases import each

from learnable.bayes import CategoricalNB, GaussianNB

R = json.loads((Path(__file__).parent / "naive_bayes_r.json").read_text())


def array(name):
    return np.array(R[name], dtype=float)


@each(("X", "suffix"), [("iris", ""), ("holes", "_holes")])
def test_gaussian(X, suffix):
    X = array(X)
    model = GaussianNB(var_smoothing=0.0).fit(X, R["species"])
    np.testing.assert_allclose(model.theta_.T, array("mean" + suffix), rtol=1e-13)
    # e1071 divides by n − 1.
    n = model.observed_count_
    np.testing.assert_allclose((model.var_ * n / (n - 1.0)).T, array("sd" + suffix) ** 2, rtol=1e-12)
    as_r = copy.deepcopy(model)
    as_r.var_ = model.var_ * n / (n - 1.0)
    np.testing.assert_allclose(as_r.predict_proba(X[R["rows"]]), array("posterior" + suffix), rtol=1e-9, atol=1e-300)


@each(("alpha", "suffix"), [(0.0, ""), (2.0, "_laplace_2")])
def test_categorical(alpha, suffix):
    table = array("titanic")
    X, y, count = np.where(table[:, :3] == -1, np.nan, table[:, :3]), table[:, 3].astype(int), table[:, 4]
    model = CategoricalNB(alpha=alpha).fit(X, y, sample_weight=count)
    for ours, theirs in zip(model.feature_log_prob_, R["tables" + suffix], strict=True):
        np.testing.assert_allclose(np.exp(ours), theirs, rtol=1e-13)
    every = array("every")
    np.testing.assert_allclose(model.predict_proba(every), array("titanic_posterior" + suffix), rtol=1e-11)
