"""Stochastic gradient descent over rows in blocks: the epochs of an array, and what is claimed of the answer."""

import dask.array as da
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from sklearn.base import clone
from tests.cases import each

from learnable import certify
from learnable.certificates.linear.stochastic_gradient import longest_row, standing
from learnable.certificates.linear.stochastic_gradient_in_blocks import Point, standing_in_blocks
from learnable.linear import SGDClassifier, SGDRegressor
from learnable.problems.linear.losses import Hinge, Logistic, Squared
from learnable.problems.linear.regression_losses import Huber
from learnable.problems.sparse.penalties import L1, L2
from learnable.rows import ParquetRows, as_rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(6)
X = RNG.normal(size=(300, 3))
SCORE = X @ [1.0, -1.0, 0.5]
Y = SCORE + RNG.normal(size=300)
KIND = 3 + np.digitize(Y, [-0.5, 0.7])
WEIGHT = RNG.uniform(0.5, 2.0, size=300)
FITS = {
    "log loss": (SGDClassifier("log_loss", alpha=0.01), KIND),
    "hinge, L1, averaged": (SGDClassifier(penalty="l1", alpha=0.01, average=50), KIND == 3),
    "passive-aggressive": (SGDClassifier(learning_rate="pa1", eta0=1.0, penalty=None), KIND),
    "squared error": (SGDRegressor(), Y),
    "Huber, adaptive rate": (SGDRegressor("huber", learning_rate="adaptive", eta0=0.05, penalty="elasticnet"), Y),
}
for model, _ in FITS.values():
    model.set_params(max_iter=5, tol=None)


def chunked(values, size=120):
    return da.from_array(values, chunks=(size, *values.shape[1:]))


def in_chunks(model, y, size=120):
    return clone(model).fit(chunked(X, size), chunked(y, size), sample_weight=chunked(WEIGHT, size))


def test_single_precision_is_answered_in_single_precision():
    single = X.astype(np.float32)
    whole = SGDRegressor(max_iter=5, tol=None, shuffle=False).fit(single, Y)
    found = clone(whole).fit(chunked(single), chunked(Y))
    assert found.coef_.dtype == found.intercept_.dtype == whole.coef_.dtype == np.float32
    np.testing.assert_allclose(found.coef_, whole.coef_, rtol=1e-5)


@each("name", FITS)
def test_without_shuffling_the_epochs_are_those_of_an_array(name):
    model, y = FITS[name]
    model = clone(model).set_params(shuffle=False)
    whole = clone(model).fit(X, y, sample_weight=WEIGHT)
    for found in (in_chunks(model, y), clone(model).fit(as_rows(X, y, WEIGHT))):
        assert (found.n_iter_, found.t_) == (whole.n_iter_, whole.t_)
        np.testing.assert_allclose(found.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.intercept_, whole.intercept_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.objective_, whole.objective_, rtol=1e-9)
        assert found.certificate_.verdict is whole.certificate_.verdict


@each("name", FITS)
def test_with_shuffling_the_same_chunks_give_the_same_bits_and_the_certificate_is_that_of_arrays(name):
    model, y = FITS[name]
    model = clone(model).set_params(random_state=0)
    found, again = in_chunks(model, y), in_chunks(model, y)
    np.testing.assert_array_equal(found.coef_, again.coef_)
    assert not np.array_equal(found.coef_, in_chunks(model.set_params(random_state=1), y).coef_)
    here = certify(found, X, y, sample_weight=WEIGHT)
    assert [claim.statement for claim in found.certificate_] == [claim.statement for claim in here]
    for claim, other in zip(found.certificate_, here):
        assert claim.verdict is other.verdict
        np.testing.assert_allclose(claim.value, other.value, rtol=1e-6, atol=1e-12)
    altered = clone(found).set_params(random_state=0)
    vars(altered).update(vars(found), coef_=found.coef_ * 1.001)
    assert not certify(altered, chunked(X), chunked(y), chunked(WEIGHT)).holds


@each("loss", [Hinge(), Logistic(), Squared(), Huber(0.5)], ids=repr)
@each("penalty", [L2(0.1), L1(0.05)], ids=repr)
@each("free", [True, False])
def test_an_answer_stands_in_blocks_as_in_memory(loss, penalty, free):
    target = Y if isinstance(loss, Squared | Huber) else np.sign(Y)
    coef, b = np.array([0.8, -0.6, 0.1]), 0.2 if free else 0.0
    whole = standing(X, target, WEIGHT / 300, coef, b, loss, penalty, free, longest_row(X))
    rows = as_rows(chunked(X), chunked(target), chunked(WEIGHT))
    found = standing_in_blocks(rows, lambda block: (block.y, block.weight / 300), Point(coef, b, loss), penalty, free)
    np.testing.assert_allclose(found._replace(flat=0.0), whole._replace(flat=0.0), rtol=1e-9, atol=1e-12)
    assert found.flat == pytest.approx(whole.flat, rel=0.01)


def test_a_file_goes_in_as_it_is_and_what_needs_all_rows_is_refused(tmp_path):
    columns = {f"x{j}": X[:, j] for j in range(3)}
    parquet.write_table(pyarrow.table(columns | {"kind": KIND}), tmp_path / "rows.parquet", row_group_size=80)
    rows = ParquetRows(tmp_path / "rows.parquet", target="kind")
    model = SGDClassifier("log_loss", alpha=0.01, shuffle=False).fit(rows)
    whole = SGDClassifier("log_loss", alpha=0.01, shuffle=False).fit(X, KIND)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9)
    with pytest.raises(ValueError, match=r"early_stopping=True. sets rows aside"):
        SGDClassifier(early_stopping=True).fit(rows)
    with pytest.raises(ValueError, match="class_weight is not available for rows read in blocks"):
        SGDClassifier(class_weight="balanced").fit(rows)
