"""Dates and other things that are no numbers: the column is named, and the row where not all are such."""

import copy
import datetime

import numpy as np
import pandas as pd
import pytest
from tests.cases import each

from learnable.bayes import GaussianNB
from learnable.features import NormScaler, PolynomialBasis, Standardizer
from learnable.kernels import RBFSampler
from learnable.linear import LinearDiscriminantAnalysis, Ridge, RidgeCV
from learnable.sparse import Lasso
from learnable.trees import DecisionTreeRegressor
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
