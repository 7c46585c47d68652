"""Features and stochastic descent from rows in blocks as in memory; who refuses blocks says why and what to use."""

import dask.array as da
import numpy as np
import pytest

from learnable import certify
from learnable.checks.discovery import all_estimators
from learnable.kernels import Nystroem, RBFSampler
from learnable.linear import SGDClassifier, SGDRegressor
from learnable.rows import as_rows, taken

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 4))
Z = da.from_array(X, chunks=(70, 4))


def test_rows_are_taken_in_the_order_asked_for():
    places = RNG.permutation(300)[:40]
    np.testing.assert_array_equal(taken(as_rows(Z), places), X[places])
    np.testing.assert_array_equal(taken(as_rows(X), places), X[places])


def test_features_of_chunks_are_those_of_memory():
    for kind in (Nystroem, RBFSampler):
        one, two = (kind(n_components=20, random_state=0).fit(table) for table in (X, Z))
        np.testing.assert_allclose(two.transform(Z).compute(), one.transform(X), atol=1e-12)
        assert two.certificate_.holds
        assert certify(two, Z).holds
        assert any("error" in claim.statement for claim in certify(two, Z))
        assert certify(two, X).holds
    broken = Nystroem(n_components=20, random_state=0).fit(Z)
    broken.components_ = broken.components_ + 1e-3
    assert not certify(broken, Z).holds
    with pytest.raises(TypeError, match="the width must be given as a number"):
        RBFSampler(gamma="scale").fit(Z)


def test_stochastic_descent_goes_through_chunks_as_through_batches():
    label = np.where(X[:, 0] > 0, "yes", "no")
    for kind, y, named in (
        (SGDClassifier, label, {"classes": ["no", "yes"]}),
        (SGDRegressor, X @ [1.0, 0.0, 2.0, 0.0], {}),
    ):
        whole, batches = kind(random_state=0), kind(random_state=0)
        for _ in range(2):
            whole.partial_fit(Z, da.from_array(y, chunks=70), **named)
            for start in range(0, 300, 70):
                batches.partial_fit(X[start : start + 70], y[start : start + 70], **named)
        np.testing.assert_array_equal(whole.coef_, batches.coef_)


def test_whoever_refuses_blocks_says_why_and_what_to_do():
    y = (X[:, 0] > 0).astype(int)
    refused = 0
    for _, kind in all_estimators():
        room = kind.__module__.split(".")[1]
        if room not in ("kernels", "trees", "ensembles", "neural", "graphical"):
            continue
        try:
            kind().fit(Z, y)
        except TypeError as error:
            refused += 1
            said = str(error)
            assert said.startswith(kind.__name__), said
            assert "memory" in said or "partial_fit" in said, said
            assert "X.compute()" in said or "partial_fit" in said, said
        except ValueError:
            pass  # other data are wanted
    assert refused > 20
