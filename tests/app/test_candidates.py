"""The panel: estimators register themselves; the baseline is always there and first."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from tests.cases import each

from learnable.app.errors import UserError
from learnable.app.trials import candidates as panel_of
from learnable.app.trials.candidates import QUICK_FIRST, candidates, chosen_by_name, members
from learnable.checks import all_estimators
from learnable.config import config_context
from learnable.panel import Entry


class Registered(RegressorMixin, BaseEstimator):
    panel = (
        Entry("regression", "newcomer", {"alpha": [1, 2, 3], "beta": [4, 5]}, {"gamma": 7}),
        Entry("regression", "plain newcomer"),
        Entry("regression", "slow newcomer", most_rows=100),
        Entry("regression", "newcomer of many rows", fewest_rows=102),
    )

    def __init__(self, alpha=0, beta=0, gamma=0, random_state=None):
        self.alpha, self.beta, self.gamma, self.random_state = alpha, beta, gamma, random_state


class Heir(Registered):
    """Inherits the attribute, but has not registered itself."""


@each("task", ["classification", "regression"])
def test_the_real_panel(task):
    panel = candidates(task, 0)
    assert panel[0].reference
    assert len(panel) >= 3
    assert len({one.label for one in panel}) == len(panel)
    known = dict(members())
    families = [QUICK_FIRST.index(known[one.name].__module__.split(".")[1]) for one in panel[1:]]
    assert families == sorted(families)


def test_learners_are_asked_for_by_label_or_class_and_an_unknown_one_is_named():
    panel = candidates("regression", 0, n_rows=500)
    assert chosen_by_name(panel, ()) == panel
    few = chosen_by_name(panel, ("Least Squares", "Ridge"))
    assert [one.label for one in few] == ["mean", "least squares", "ridge"]
    with pytest.raises(UserError, match=r"--learner: no 'rigde' in the panel for this table; it has least squares, "):
        chosen_by_name(panel, ("ridge", "rigde"))


def test_reading_the_files_finds_every_estimator_with_a_panel():
    joined = [name for name, kind in all_estimators() if vars(kind).get("panel")]
    assert [name for name, kind in members() if vars(kind)["panel"]] == joined


def test_a_newcomer_joins_by_its_class_attribute(monkeypatch):
    monkeypatch.setattr(panel_of, "members", lambda: [("Heir", Heir), ("Registered", Registered)])
    baseline, plain, tuned = candidates("regression", 11, n_rows=101)
    assert "slow newcomer" in {one.label for one in candidates("regression", 11, n_rows=100)}
    assert "newcomer of many rows" in {one.label for one in candidates("regression", 11, n_rows=102)}
    assert baseline.reference
    assert (plain.label, plain.settings) == ("plain newcomer", [{}])
    assert len(tuned.settings) == 6
    assert (tuned.estimator.gamma, tuned.estimator.random_state) == (7, 11)
    assert [one.label for one in candidates("classification", 0)] == ["commonest class"]


def test_equal_labels_are_told_apart(monkeypatch):
    monkeypatch.setattr(panel_of, "members", lambda: [("One", Registered), ("Two", Registered)])
    labels = {one.label for one in candidates("regression", 0)}
    assert {"newcomer (One)", "newcomer (Two)"} <= labels


def test_no_learner_of_numbers_hangs_on_the_origin_or_the_unit_of_the_target():
    """Prices in thousands or in cents, years from 0 or from 2000, are the same question."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((110, 3))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(110)
    y /= y.std()
    with config_context(certificates=False), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for candidate in candidates("regression", 0, n_rows=110):
            for k in (0, -1):
                said = []
                for origin, unit in ((0.0, 1.0), (1e4, 1.0), (0.0, 1e6), (0.0, 1e-6)):
                    target = origin + unit * y
                    model = clone(candidate.estimator).set_params(**candidate.for_target(target).settings[k])
                    said.append((model.fit(X, target).predict(X) - origin) / unit)
                assert np.abs(np.subtract(said, said[0])).max() < 0.03, (candidate.label, k)
