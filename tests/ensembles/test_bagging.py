"""Bags of members that take more than a table of numbers: cells that are no numbers, several targets, metadata."""

import copy

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn import ensemble as foreign
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from learnable import certify
from learnable.certificates import Verdict
from learnable.ensembles import BaggingClassifier, BaggingRegressor
from learnable.trees import DecisionTreeClassifier, DecisionTreeRegressor


def in_place_of_gaps(X):
    """Cells that are no finite numbers as 0."""
    return np.where(np.isfinite(X), X, 0.0)


def a_table_with_gaps(n=40):
    random = np.random.default_rng(0)
    X, noise = random.standard_normal((n, 3)), 0.3 * random.standard_normal((n, 2))
    X[3, 1], X[5, 2], X[6, 0] = np.nan, np.inf, -np.inf
    whole = in_place_of_gaps(X)
    return X, whole, np.column_stack([whole[:, 0], whole[:, 1] ** 2]) + noise


@pytest.mark.filterwarnings("ignore:invalid value encountered")  # scikit-learn sums cells, and ∞ − ∞ is no number
@pytest.mark.parametrize("outputs", [1, 2])
def test_members_take_or_refuse_cells_that_are_no_numbers(outputs):
    X, whole, y = a_table_with_gaps()
    y = y[:, 0] if outputs == 1 else y
    for base, Bagging, target in (
        (DecisionTreeRegressor(), BaggingRegressor, y),
        (LinearRegression(), BaggingRegressor, y),
        (DecisionTreeClassifier(), BaggingClassifier, y.reshape(len(y), -1)[:, 0] > 0.0),
    ):
        plain = Bagging(base, random_state=0).fit(whole, target)
        model = Bagging(make_pipeline(FunctionTransformer(in_place_of_gaps), base), random_state=0).fit(X, target)
        assert np.array_equal(model.predict(X), plain.predict(whole))
        assert certify(model, X, target).holds
        other = copy.deepcopy(model)
        other.members_[0] = other.members_[1]
        assert certify(other, X, target).verdict is Verdict.REFUTED
        with pytest.raises(ValueError, match=r"infinity|NaN"):
            Bagging(base, bootstrap=False).fit(X, target)
    with pytest.raises(ValueError, match="BaggingRegressor: Input X contains infinity in column 0, row 6"):
        BaggingRegressor().fit(X, y)


def test_several_targets_are_the_means_of_members_and_judged_out_of_the_bag():
    _, X, y = a_table_with_gaps()
    model = BaggingRegressor(random_state=0, oob_score=True, n_estimators=30).fit(X, y)
    assert np.allclose(model.predict(X), np.mean([member.predict(X) for member in model], axis=0))
    assert model.predict(X).shape == model.oob_prediction_.shape == y.shape
    row = 7
    outside = [member for member, rows in zip(model, model.estimators_samples_) if row not in rows]
    assert np.allclose(model.oob_prediction_[row], np.mean([member.predict(X[[row]])[0] for member in outside], axis=0))
    assert certify(model, X, y).holds
    other = copy.deepcopy(model)
    other.oob_prediction_[row, 1] += 1e-3
    assert certify(other, X, y).verdict is Verdict.REFUTED
    with pytest.warns(UserWarning, match="column-vector"):
        assert BaggingRegressor().fit(X, y[:, :1]).predict(X).shape == (len(y),)
    with pytest.raises(TypeError, match=r"Sparse data was passed for y.*toarray"):
        BaggingRegressor().fit(X, sparse.csr_matrix(y))


class Told(BaseEstimator):
    """Says what it is told with the rows."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self


class ToldClass(ClassifierMixin, Told):
    def predict(self, X, chosen=0):
        return np.full(len(X), self.classes_[chosen])


class ToldShares(ToldClass):
    def predict_proba(self, X, chosen=0):
        return np.eye(len(self.classes_))[self.predict(X, chosen=chosen).astype(int)] * 0.5 + 0.25

    def decision_function(self, X, chosen=0):
        return np.full(len(X), float(chosen))


class ToldLogs(ToldShares):
    def predict_log_proba(self, X, chosen=0):
        return np.log(self.predict_proba(X, chosen=chosen))


class ToldNumber(RegressorMixin, Told):
    def predict(self, X, chosen=0):
        return np.full(len(X), float(chosen))


@pytest.mark.filterwarnings("ignore:divide by zero encountered")  # in scikit-learn's logarithms of 0
def test_metadata_reach_the_method_of_the_members_that_answers():
    X, y = np.arange(24.0).reshape(12, 2), np.arange(12) % 2
    cases = [
        (ToldClass, "predict", ["predict", "predict_proba", "predict_log_proba"]),
        (ToldShares, "predict_proba", ["predict", "predict_proba", "predict_log_proba"]),
        (ToldShares, "decision_function", ["decision_function"]),
        (ToldLogs, "predict_log_proba", ["predict_log_proba"]),
        (ToldNumber, "predict", ["predict"]),
    ]
    for kind, callee, callers in cases:
        name = "BaggingRegressor" if kind is ToldNumber else "BaggingClassifier"
        with config_context(enable_metadata_routing=True):
            member = getattr(kind(), f"set_{callee}_request")(chosen=True)
            ours, theirs = (
                bag(member, n_estimators=3, bootstrap=False).fit(X, y)
                for bag in (globals()[name], getattr(foreign, name))
            )
            for caller in callers:
                for chosen in (0, 1):
                    said = getattr(ours, caller)(X, chosen=chosen)
                    assert np.allclose(said, getattr(theirs, caller)(X, chosen=chosen)), (kind, caller)
                with pytest.raises(TypeError, match="unasked"):
                    getattr(ours, caller)(X, unasked=1)
        with pytest.raises(ValueError, match="enable_metadata_routing=True"):
            getattr(ours, callers[0])(X, chosen=1)


def test_members_whose_rows_are_of_one_class_know_of_the_others():
    """They are given all rows, weighted by how often each was drawn, where they take weights."""
    random = np.random.default_rng(1)
    X, y = random.standard_normal((12, 2)), np.array(["plain"] * 11 + ["rare"])
    for estimator in (LogisticRegression(C=0.5), DecisionTreeClassifier(), foreign.RandomForestClassifier(3)):
        model = BaggingClassifier(estimator, n_estimators=8, random_state=0).fit(X, y)
        without = [11 not in rows for rows in model.estimators_samples_]
        assert 0 < sum(without) < 8
        for member, rows, alone in zip(model.estimators_, model.estimators_samples_, without):
            assert list(member.classes_) == ["plain", "rare"]
            again = clone(member)
            if alone:
                again.fit(X, y, sample_weight=np.bincount(rows, minlength=12).astype(float))
            else:
                again.fit(X[rows], y[rows])
            np.testing.assert_allclose(again.predict_proba(X), member.predict_proba(X))
        assert certify(model, X, y).holds
    members = BaggingClassifier(QuadraticDiscriminantAnalysis(), n_estimators=8, random_state=0)
    with pytest.raises(ValueError, match="class"):
        members.fit(X, y)
