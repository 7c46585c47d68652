"""`certify` reads what `fit` reads: lists of sequences, Arrow tables with dictionaries."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from tests.cases import each

from learnable import certify
from learnable.bayes import NaiveBayes
from learnable.linear import LogisticRegression
from learnable.sequences import CategoricalHMM, GaussianHMM


def test_lists_of_sequences():
    rng = np.random.default_rng(0)
    real = [rng.standard_normal((n, 2)) + 3.0 * (i % 2) for i, n in enumerate((30, 40, 50))]
    even = [rng.standard_normal((30, 2)) + 3.0 * i for i in range(2)]
    symbols = [rng.integers(0, 3, n) for n in (30, 40, 50)]
    for kind, sequences in ((GaussianHMM, real), (GaussianHMM, even), (CategoricalHMM, symbols)):
        model = kind(n_components=2, random_state=0).fit(sequences)
        found = certify(model, sequences)
        assert found.verdict is model.certificate_.verdict
        assert set(model.certificate_) <= set(found)
        assert not certify(model, [sequences[0][::-1] // 2, *sequences[1:]]).holds


def test_dictionaries_with_missing_cells():
    colour = pa.array(["red", "blue", None, "red", "blue", "blue"]).dictionary_encode()
    frame = pa.table({"size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "colour": colour})
    y = np.array([0, 0, 1, 1, 0, 1])
    model = NaiveBayes().fit(frame, y)
    assert model.certificate_.holds
    assert certify(model, frame, y) == model.certificate_


def test_a_symbol_that_the_model_does_not_know():
    symbols = [np.array([0, 1, 2, 1, 0, 2, 2, 1]), np.array([1, 1, 0, 2])]
    model = CategoricalHMM(n_components=2, random_state=0).fit(symbols)
    with pytest.raises(ValueError, match="the symbol 4 in row 1"):
        certify(model, [np.array([0, 4, 2, 1, 0, 2, 2, 1]), symbols[1]])


@each("classes", [[0, 2], ["no", "yes"], [0, 1, 2]])
def test_a_label_that_the_model_does_not_know(classes):
    rng = np.random.default_rng(0)
    y = np.array(classes)[rng.integers(0, len(classes), 60)]
    X = rng.standard_normal((60, 2))
    model = LogisticRegression().fit(X, y)
    strange = y.astype(object) if y.dtype.kind == "U" else y.copy()
    strange[7] = "maybe" if y.dtype.kind == "U" else 5
    with pytest.raises(ValueError, match=r"y holds ('maybe'|5), which is not among the classes"):
        certify(model, X, strange.astype(str) if y.dtype.kind == "U" else strange)


def test_numbers_kept_as_objects_and_entries_in_any_order():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    y = (X[:, 0] > 0.0).astype(int)
    for form in (X.astype(object), sparse.coo_matrix(X)):
        model = LogisticRegression().fit(form, y)
        assert certify(model, form, y).holds
