"""Best paths: the certificate accepts the right one and nothing else; ties; many sequences."""

import numpy as np
import pytest
from tests.cases import each
from tests.sequences.models import holding, random_categorical, random_gaussian

from learnable.sequences import CategoricalHMM, enumerate_paths


@each("seed", range(30))
def test_against_all_paths(seed):
    generator = np.random.default_rng(seed)
    model = random_categorical(3, 3, generator, zeros=bool(seed % 2))
    X, _ = model.sample(7, random_state=generator)
    truth = enumerate_paths(model, X)
    value, path = model.decode(X)
    assert value == pytest.approx(truth.log_joint, rel=1e-12)
    assert model.log_joint(X, path) == pytest.approx(value, rel=1e-12)


def test_every_other_path_is_refused():
    model = random_categorical(2, 3, np.random.default_rng(0))
    X, _ = model.sample(6, random_state=1)
    best = model.predict(X)
    assert model.certify_path(X, best).holds
    for number in range(2**6):
        path = np.array([number >> t & 1 for t in range(6)])
        if not np.array_equal(path, best):
            assert not model.certify_path(X, path).holds, path


def test_long_paths_of_many_sequences_are_certified():
    generator = np.random.default_rng(1)
    model = random_gaussian(5, 2, "full", generator)
    listed = [model.sample(int(n), random_state=generator)[0] for n in generator.integers(1, 800, size=12)]
    value, path = model.decode(listed)
    assert model.certify_path(listed, path).holds
    assert value == pytest.approx(model.log_joint(listed, path), rel=1e-12)
    worse = path.copy()
    worse[100] = (worse[100] + 1) % 5
    assert not model.certify_path(listed, worse).holds


def test_a_forbidden_path_is_refused():
    model = holding(
        CategoricalHMM(2),
        startprob_=[0.5, 0.5],
        transmat_=[[0.0, 1.0], [1.0, 0.0]],
        emissionprob_=[[0.5, 0.5], [0.5, 0.5]],
    )
    certificate = model.certify_path([0, 1, 1], [0, 0, 1])
    assert not certificate.holds
    assert certificate[0].value == 1


def test_of_equal_paths_the_first_is_taken():
    even = holding(
        CategoricalHMM(3),
        startprob_=np.full(3, 1 / 3),
        transmat_=np.full((3, 3), 1 / 3),
        emissionprob_=np.full((3, 2), 0.5),
    )
    assert list(even.predict([0, 1, 1, 0])) == [0, 0, 0, 0]
    assert even.certify_path([0, 1, 1, 0], [2, 0, 1, 1]).holds


def test_the_map_path_has_the_best_posteriors():
    model = random_categorical(4, 3, np.random.default_rng(2))
    X, states = model.sample(2000, random_state=3)
    value, path = model.decode(X, algorithm="map")
    posterior = model.predict_proba(X)
    assert value == pytest.approx(np.log(posterior[np.arange(2000), path]).sum(), rel=1e-12)
    # It is the guess with the largest expected number of hits.
    assert posterior[np.arange(2000), path].sum() >= posterior[np.arange(2000), model.predict(X)].sum()
    assert abs(np.mean(path == states) - posterior.max(axis=1).mean()) < 0.05
    assert np.array_equal(model.set_params(algorithm="map").predict(X), path)
