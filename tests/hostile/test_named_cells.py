"""Dates and other things that are no numbers: the column is named, and the row where not all are such."""

import copy
import datetime

import numpy as np
import pandas as pd
import pytest
from tests.cases import each

from learnable.bayes import GaussianNB, NaiveBayes
from learnable.features import NormScaler, PolynomialBasis, Standardizer
from learnable.kernels import RBFSampler
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
