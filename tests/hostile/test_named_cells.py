"""Dates and other things that are no numbers: the column is named, and the row where not all are such."""

import copy
import datetime
import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.cases import each

from learnable.bayes import GaussianNB, NaiveBayes
from learnable.checks import all_estimators, kind_of, well_posed
from learnable.checks.estimator_checks import made
from learnable.features import NormScaler, PolynomialBasis, Standardizer
from learnable.kernels import SVC, SVR, NuSVC, NuSVR, OneClassSVM, RBFSampler
from learnable.linear import LinearDiscriminantAnalysis, Ridge, RidgeCV
from learnable.sparse import Lasso
from learnable.trees import DecisionTreeRegressor, SLIQClassifier
from learnable.unsupervised import PCA, KMeans

FRAME = pd.DataFrame({"age": np.arange(12.0), "income": np.arange(12.0) ** 2})
Y = np.arange(12) % 2
MODELS = [
    Ridge(), RidgeCV(), Lasso(), LinearDiscriminantAnalysis(), GaussianNB(), DecisionTreeRegressor(), RBFSampler(),
    Standardizer(), NormScaler(), PolynomialBasis(), PCA(), KMeans(2),
]  # fmt: skip


@each("model", MODELS)
def test_dates_are_refused_by_their_column(model):
    dates = FRAME.assign(income=pd.date_range("2020-01-01", periods=12))
    with pytest.raises(TypeError, match=r"X holds dates or durations .* in column 'income'; turn them into numbers"):
        copy.deepcopy(model).fit(dates, Y)
    fitted = copy.deepcopy(model).fit(FRAME, Y)
    with pytest.raises(TypeError, match="in column 'income'"):
        (fitted.predict if hasattr(fitted, "predict") else fitted.transform)(dates)


@each("model", MODELS)
@each("thing", [pd.Timestamp("2020-01-01"), datetime.date(2020, 1, 1), {"a": 1}], ids=["timestamp", "date", "dict"])
def test_one_cell_that_is_no_number_is_named(model, thing):
    one = FRAME.astype({"income": object})
    one.at[3, "income"] = thing
    with pytest.raises(TypeError, match=r"X holds .* in column 'income', row 3: .*turn it into a number"):
        copy.deepcopy(model).fit(one, Y)


WEIGHED = [Ridge(), GaussianNB(), NaiveBayes(), DecisionTreeRegressor()]


@each("model", WEIGHED)
@each(
    ("cell", "said"),
    [("heavy", "sample_weight holds 'heavy' in row 2"), (None, "missing value"), (np.nan, "NaN in row 2")],
)
def test_a_weight_that_is_no_number_is_named(model, cell, said):
    weights = [1.0] * 12
    weights[2] = cell
    for given in (weights, np.array(weights, dtype=object)):
        with pytest.raises(ValueError, match=f"{said}.*(drop or impute|encode) it first"):
            copy.deepcopy(model).fit(FRAME.to_numpy(), Y, sample_weight=given)


@each("model", [*MODELS[:4], NaiveBayes()])
def test_words_are_named_as_they_are_written(model):
    with pytest.raises(ValueError, match="X holds 'tall' in column 1, row 0: "):
        copy.deepcopy(model).fit(np.array([["1", "tall"]] * 12), Y)


@each("model", MODELS[:6])
def test_rows_of_different_lengths_are_named(model):
    rows = [[1.0, 2.0]] * 5 + [[3.0]] + [[4.0, 5.0]] * 6
    with pytest.raises(ValueError, match="X has rows of 2 and 1 cells, rows 4 and 5; give each row as many"):
        copy.deepcopy(model).fit(rows, Y)


def test_a_folder_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"SLIQClassifier\(directory='nowhere'\): no such folder; make it"):
        SLIQClassifier(directory="nowhere").fit(FRAME, Y)


AS_IN_LIBSVM = (SVC, NuSVC, SVR, NuSVR, OneClassSVM)
"""Leave out rows of weights below zero, as scikit-learn's do."""
# NaiveBayes leaves reading to Arrow, ID3 takes cells of any kind.
OTHERWISE = [("NaiveBayes", ("[1, 2]", "row 3")), ("ID3Classifier", ("[1, 2]", "row 3"))]


@pytest.fixture(scope="module")
def on_tables():
    """(an unfitted estimator, 40 rows of a table, its targets) of every estimator that is fitted on a table."""
    found = []
    for _, kind in all_estimators():
        model = made(kind)
        X, y = well_posed(model) if kind_of(model).table else (None, None)
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] > 1:
            found.append((model, X[:40], None if y is None else y[:40]))
    return found


def how_refused(model, X, y, **weights):
    """The words in which a fit is refused; empty where it is not."""
    try:
        copy.deepcopy(model).fit(*((X,) if y is None else (X, y)), **weights)
    except (ValueError, TypeError) as error:
        return str(error)
    return ""


def test_a_target_that_is_missing_is_named_by_its_row(on_tables):
    asked, unnamed = 0, []
    for model, X, y in on_tables:
        if y is None:
            continue
        for missing in (None, np.nan):
            targets = y.astype(object)
            targets[4] = missing
            said = how_refused(model, X, targets)
            asked += 1
            if "row 4" not in said or "y " not in said:
                unnamed.append((type(model).__name__, missing, said))
    assert asked > 100
    assert not unnamed


def test_a_weight_below_zero_is_named_by_its_row(on_tables):
    asked, unnamed = 0, []
    for model, X, y in on_tables:
        if "sample_weight" not in inspect.signature(type(model).fit).parameters:
            continue
        weights, each_row = np.where(np.arange(len(X)) == 4, -0.5, 1.0), f"for each of the {len(X)} rows"
        for given, place in (
            (weights, "-0.5 in row 4"),
            ({"a": 1}, each_row),
            ("heavy", each_row),
        ):
            said = how_refused(model, X, y, sample_weight=given)
            asked += 1
            if (place not in said or "sample_weight" not in said) and (said or type(model) not in AS_IN_LIBSVM):
                unnamed.append((type(model).__name__, given, said))
    assert asked > 100
    assert not unnamed


def test_lists_in_cells_and_names_that_stand_twice_are_named(on_tables):
    unnamed = []
    for model, X, y in on_tables:
        names = [f"c{j}" for j in range(X.shape[1])]
        nested = pd.DataFrame(X, columns=names).astype({"c1": object})
        nested.at[3, "c1"] = [1, 2]
        twice = pd.DataFrame(X, columns=["same", "same", *names[2:]])
        for frame, places in ((nested, ("[1, 2]", "row 3")), (twice, ("two columns of X are called 'same'",))):
            said = how_refused(model, frame, y)
            if not all(place in said for place in places) and (type(model).__name__, places) not in OTHERWISE:
                unnamed.append((type(model).__name__, places, said))
    assert len(on_tables) > 90
    assert not unnamed


@each("model", [Ridge(), RidgeCV(), Lasso(), DecisionTreeRegressor()])
def test_targets_of_polars_are_read(model):
    X, y = FRAME.to_numpy(), np.arange(12.0)
    frame = copy.deepcopy(model).fit(X, pl.Series(y))
    np.testing.assert_array_equal(frame.predict(X), copy.deepcopy(model).fit(X, y).predict(X))
