"""Searches and pipelines: what stands around a model is held to answer by it, and to have chosen it."""

import copy

import numpy as np
import pandas as pd
from sklearn import linear_model
from sklearn.decomposition import PCA
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, KFold, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.cases import each

from learnable import certify, selection
from learnable.certificates import Verdict
from learnable.features import Standardizer
from learnable.linear import Ridge
from learnable.sparse import Lasso

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 4)) * [1.0, 10.0, 100.0, 1.0] + 5.0
Y = X @ [1.0, 0.1, 0.0, 2.0] + RNG.standard_normal(80)
FRAME = pd.DataFrame(X, columns=list("abcd"))
GRID = {"alpha": [0.1, 1.0, 10.0]}
LOGISTIC = make_pipeline(StandardScaler(), linear_model.LogisticRegression())

SEARCHES = [
    GridSearchCV(Ridge(), GRID, cv=3),
    GridSearchCV(Ridge(), GRID, cv=KFold(4, shuffle=True, random_state=0), scoring="neg_mean_absolute_error"),
    GridSearchCV(Ridge(), GRID, cv=3, scoring=["r2", "neg_mean_squared_error"], refit="r2"),
    GridSearchCV(Ridge(), GRID, cv=3, refit=lambda results: 2),
    selection.GridSearchCV(Ridge(), GRID, cv=3),
    RandomizedSearchCV(LOGISTIC, {"logisticregression__C": [0.1, 1.0, 10.0]}, n_iter=2, random_state=0, cv=3),
    HalvingGridSearchCV(linear_model.Ridge(), GRID, cv=3, random_state=0),
    make_pipeline(Standardizer(), GridSearchCV(Ridge(), GRID, cv=3)),
    GridSearchCV(make_pipeline(Standardizer(), Ridge()), {"ridge": [Ridge(), Lasso(0.1)]}, cv=3),
]


@each("search", SEARCHES)
@each("table", [X, FRAME], ids=["array", "frame"])
def test_honest_searches_are_proved_and_name_what_is_not(search, table):
    y = np.median(Y) < Y if isinstance(search, RandomizedSearchCV) else Y
    search = copy.deepcopy(search).fit(table, y)
    found = certify(search, table, y)
    assert found.holds, found
    assert "cv_results_" in found.unverified


def _with(search, **altered):
    forged = copy.deepcopy(search)
    for name, value in altered.items():
        setattr(forged, name, value)
    return forged


def test_another_model_than_the_chosen_one_is_refuted():
    search = GridSearchCV(Ridge(), GRID, cv=3).fit(X, Y)
    results, best = search.cv_results_, search.best_index_
    other = (best + 1) % 3
    raised = results["mean_test_score"].copy()
    raised[other] = 2.0
    forgeries = {
        "another penalty": _with(search, best_estimator_=Ridge(alpha=1e4).fit(X, Y)),
        "another class": _with(search, best_estimator_=Lasso(alpha=0.1).fit(X, Y)),
        "other parameters": _with(search, best_params_={"alpha": 7.0}),
        "another score": _with(search, best_score_=0.5 * search.best_score_),
        "another place": _with(search, best_index_=other),
        "a worse one, consistently": _with(
            search, best_index_=other, best_params_=results["params"][other],
            best_score_=results["mean_test_score"][other],
            best_estimator_=Ridge(**results["params"][other]).fit(X, Y),
        ),
        "means that are none": _with(search, cv_results_=results | {"mean_test_score": raised}),
    }  # fmt: skip
    missing = copy.deepcopy(search)
    del missing.cv_results_
    for what, forged in (forgeries | {"nothing told": missing}).items():
        assert certify(forged, X, Y).verdict is Verdict.REFUTED, what


def test_who_answers_otherwise_than_the_model_inside_is_not_proved():
    class Tripled(GridSearchCV):
        def predict(self, X):
            return 3.0 * super().predict(X)

    class Clipped(type(LOGISTIC)):
        def predict(self, X):
            return np.clip(super().predict(X), 0.0, 1.0)

    for wrapped in (Tripled(Ridge(), GRID), Clipped([("scale", Standardizer()), ("fit", Ridge())])):
        assert certify(wrapped.fit(X, Y), X, Y).verdict is Verdict.NOTHING_ASSERTED
    for wrapped in (GridSearchCV(Ridge(), GRID), make_pipeline(Standardizer(), Ridge())):
        wrapped.fit(X, Y).predict = lambda X: np.zeros(len(X))
        assert certify(wrapped, X, Y).verdict is Verdict.REFUTED


@each(
    "step, imputer",
    [
        (SimpleImputer(), lambda step: step),
        (FeatureUnion([("fill", SimpleImputer()), ("scale", StandardScaler())]), lambda step: step["fill"]),
        (make_pipeline(SimpleImputer(), StandardScaler()), lambda step: step[0]),
    ],
)
def test_what_a_step_would_do_to_missing_cells_is_that_of_its_fit(step, imputer):
    """None is missing here, and no prediction depends on what stands for one."""
    model = make_pipeline(copy.deepcopy(step), Ridge()).fit(X, Y)
    assert certify(model, X, Y).holds
    imputer(model[0]).statistics_ += 100.0
    assert certify(model, X, Y).verdict is Verdict.NOTHING_ASSERTED


def test_steps_that_overwrite_their_rows_are_given_a_copy():
    kept = X.copy()
    model = make_pipeline(PCA(copy=False), StandardScaler(copy=False), Ridge()).fit(X.copy(), Y)
    assert certify(model, X, Y).holds
    np.testing.assert_array_equal(X, kept)
