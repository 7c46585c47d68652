"""Every mistake is named, with its place and a remedy."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from tests.cases import each
from tests.sequences.models import random_categorical, random_gaussian

from learnable.checks import well_posed
from learnable.sequences import (
    CategoricalHMM,
    GaussianHMM,
    MarkovChain,
    MultinomialHMM,
    choose_n_components,
    enumerate_paths,
    stationary_distributions,
)

X, _ = well_posed(GaussianHMM(), 0)
SYMBOLS, _ = well_posed(CategoricalHMM(), 0)
A_WRONG = [[0.5, 0.4], [0.5, 0.5]]


@each(
    ("model", "data", "message"),
    [
        (CategoricalHMM(transmat_init=A_WRONG), SYMBOLS, "transmat_init: row 0 adds up to 0.9, 0.1 too little"),
        (CategoricalHMM(startprob_init=[0.7, 0.7]), SYMBOLS, "startprob_init: it adds up to 1.4, 0.4 too much"),
        (
            CategoricalHMM(startprob_init=[1.5, -0.5]),
            SYMBOLS,
            r"startprob_init\[1\] = -0.5: probabilities must be >= 0",
        ),
        (CategoricalHMM(transmat_init=np.eye(3)), SYMBOLS, r"transmat_init has shape \(3, 3\); expected \(2, 2\)"),
        (CategoricalHMM(emissionprob_init=[[1.0], [1.0]]), SYMBOLS, "X holds symbol 2, but the symbols are 0 … 0"),
        (CategoricalHMM(n_features=2), SYMBOLS, "X holds symbol 2, but the symbols are 0 … 1"),
        (CategoricalHMM(transmat_prior=0.5), SYMBOLS, "transmat_prior"),
        (CategoricalHMM(transmat_prior=[[0.5, 1.0], [1.0, 1.0]]), SYMBOLS, "transmat_prior=.*must be >= 1"),
        (CategoricalHMM(transmat_fixed=np.eye(2, dtype=bool)), SYMBOLS, "give transmat_init too"),
        (CategoricalHMM(params="stx"), SYMBOLS, r"params='stx'\): \['x'\] stands for nothing"),
        (CategoricalHMM(init_params="st"), SYMBOLS, "give emissionprob_init, or set emissionprob_ before fit"),
        (CategoricalHMM(emission_groups=[0]), SYMBOLS, "emission_groups"),
        (
            CategoricalHMM(emission_groups=[1, 1], emissionprob_init=[[0.2, 0.3, 0.5], [0.3, 0.2, 0.5]]),
            SYMBOLS,
            r"states \[0, 1\] share their emission, but emissionprob differs",
        ),
        (
            CategoricalHMM(emission_groups=[1, 1], emissionprob_prior=[[1.0, 2.0, 1.0], [1.0, 1.0, 1.0]]),
            SYMBOLS,
            "emissionprob_prior differs between them",
        ),
        (
            MultinomialHMM(
                emission_groups=[1, 1],
                emissionprob_init=np.full((2, 2), 0.5),
                emissionprob_fixed=[[True, False], [False, False]],
            ),
            np.ones((4, 2)),
            "emissionprob_fixed differs between them",
        ),
        (
            GaussianHMM(emission_groups=[1, 1], means_init=np.eye(2, 3), covars_init=np.ones((2, 3))),
            X,
            r"states \[0, 1\] share their emission, but means differs",
        ),
        (CategoricalHMM(), [[0, 1], [], [1]], "sequence 1 is empty"),
        (CategoricalHMM(), [0, 1, 1.5], "row 2 holds 1.5"),
        (CategoricalHMM(), [[np.nan, np.nan]], "every observation is missing"),
        (CategoricalHMM(), X, "3 columns"),
        (MultinomialHMM(), -np.ones((3, 2)), "Negative values"),
        (MultinomialHMM(), np.zeros((3, 2)), "every count is zero"),
        (GaussianHMM(), np.full((5, 2), np.inf), "infinity"),
        (GaussianHMM(), np.full((5, 2), 1e200), "column 0 of X has entries of size 1.0e\\+200"),
        (GaussianHMM(), np.column_stack([np.arange(5.0), np.full(5, np.nan)]), "column 1 of X has no observation"),
        (GaussianHMM(3), X[:2], r"n_components=3\): n_samples=2"),
        (GaussianHMM(), [X, X[:, :2]], "sequence 1 has 2 columns, the first has 3"),
        (GaussianHMM(covars_init=-np.ones((2, 3))), X, "covariance of state 0 is not"),
        (GaussianHMM(covars_prior=-1.0), X, "covars_prior must be >= 0"),
        (GaussianHMM(means_init=np.zeros((2, 2))), X, r"means must be finite numbers of shape \(2, 3\)"),
        (GaussianHMM(covariance_type="round"), X, "covariance_type"),
        (
            GaussianHMM(covariance_type="full", means_init=np.zeros((2, 3)), means_fixed=np.eye(2, 3) > 0),
            X,
            "all coordinates",
        ),
    ],
)
def test_a_fit_that_cannot_be(model, data, message):
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message):
        model.fit(data)
    assert vars(model).keys() == before.keys()


@each(
    ("fit_params", "message"),
    [
        ({"lengths": [100, 99]}, "lengths add up to 199, but X has 200 rows"),
        ({"lengths": [200, 0]}, r"lengths\[1\] = 0: an empty sequence"),
        ({"lengths": [100.0, 100.0]}, "whole numbers"),
        ({"states": np.zeros(199, int)}, r"shape \(199,\)"),
        ({"states": np.full(200, 2)}, r"states\[0\] = 2, but the states are 0 … 1"),
        ({"sequence_weight": [1.0, 1.0]}, "sequence_weight must hold 1 finite numbers"),
        ({"sequence_weight": [-1.0]}, "sequence_weight"),
        ({"y": [100, 100]}, "Give lengths by name"),
    ],
)
def test_bad_company(fit_params, message):
    with pytest.raises(ValueError, match=message):
        GaussianHMM().fit(X, **fit_params)


def test_lengths_with_a_list():
    with pytest.raises(ValueError, match="has its own lengths"):
        GaussianHMM().fit([X, X], lengths=[200, 200])


def test_values_set_by_hand_are_checked_when_used():
    model = random_categorical(2, 3, np.random.default_rng(0))
    model.transmat_[1, 0] += 0.25
    with pytest.raises(ValueError, match=r"transmat_: row 1 adds up to 1\.25, 0\.25 too much"):
        model.score([0, 1])


def test_unseen_symbols():
    model = random_categorical(2, 3, np.random.default_rng(0))
    for ask in (model.score, model.predict, model.predict_proba):
        with pytest.raises(ValueError, match="X holds symbol 3, but the symbols are 0 … 2"):
            ask([0, 3])
    fitted = CategoricalHMM(n_features=4, random_state=0).fit(SYMBOLS)
    assert fitted.score([3]) == -np.inf
    with_prior = CategoricalHMM(n_features=4, random_state=0, emissionprob_prior=1.1).fit(SYMBOLS)
    assert np.isfinite(with_prior.score([3]))


def test_one_step_and_sequences_of_one():
    model = random_gaussian(2, 3, "full", np.random.default_rng(0))
    assert np.isfinite(model.score(X[:1]))
    assert model.predict(X[:1]).shape == (1,)
    singles = GaussianHMM(2, random_state=0).fit(X, lengths=np.ones(200, int))
    # No transition was ever seen: the start of the fit is kept.
    assert np.allclose(singles.transmat_.sum(axis=1), 1.0)
    assert singles.certificate_.holds


def test_missing_is_not_infinite():
    with_gaps = X.copy()
    with_gaps[5] = with_gaps[9, 1] = np.nan
    for kind in ("spherical", "diag", "full", "tied"):
        assert GaussianHMM(covariance_type=kind, random_state=0).fit(with_gaps).certificate_.holds
    with_gaps[7, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        GaussianHMM(random_state=0).fit(with_gaps)
    assert CategoricalHMM(random_state=0).fit([[0, np.nan, 1, 1, 0], [np.nan, 1]]).certificate_.holds


def _alternating():
    """Starts in state 0; state 1 is always left."""
    model = CategoricalHMM(2)
    model.startprob_, model.transmat_ = np.array([1.0, 0.0]), np.array([[0.5, 0.5], [1.0, 0.0]])
    model.emissionprob_ = np.array([[0.5, 0.5], [0.2, 0.8]])
    return model


def test_paths_of_several_sequences_do_not_run_into_one_another():
    model, paths = _alternating(), [np.array([0, 1]), np.array([0, 1, 1]), np.array([1, 0])]
    assert model.impossible_transitions(paths).tolist() == [4, 5]
    assert model.impossible_transitions(tuple(paths)).tolist() == [4, 5]
    assert model.impossible_transitions(np.concatenate(paths), lengths=[2, 3, 2]).tolist() == [4, 5]
    X = [[0, 1], [1, 1, 0]]
    best = np.split(model.predict(X, None), [2])
    assert model.certify_path(X, best).holds
    assert not model.certify_path(X, [best[0], 1 - best[1]]).holds


@each(
    ("states", "lengths", "message"),
    [
        ([0, 1, 1, 0], [2, 3], "lengths add up to 5"),
        ([0, -1, 1, 0], None, "every state of a path must be known"),
        ([0, 7], None, r"states\[1\] = 7"),
    ],
)
def test_paths_that_are_none(states, lengths, message):
    with pytest.raises(ValueError, match=message):
        _alternating().impossible_transitions(states, lengths)


def test_states_must_be_cut_like_the_sequences():
    with pytest.raises(ValueError, match="give each sequence its own states"):
        CategoricalHMM(2).fit([[0, 1, 0], [1]], states=[[0], [1, -1, 0]])


def test_a_first_state_that_is_none():
    for state in (-1, 2):
        with pytest.raises(ValueError, match=rf"currstate={state}: the states are 0 … 1"):
            _alternating().sample(3, currstate=state)


def test_half_set_by_hand_is_not_fitted():
    model = _alternating()
    del model.emissionprob_
    with pytest.raises(NotFittedError):
        model.score([0, 1])


def test_a_matrix_that_is_not_square():
    with pytest.raises(ValueError, match=r"transmat has shape \(1, 2\); expected \(1, 1\)"):
        stationary_distributions([[0.5, 0.5]])


def test_partitions_without_sequences():
    import dask
    from dask import bag

    whole = [np.array([0, 1, 0]), np.array([1]), np.array([1, 1, 0, 0])]
    some = bag.from_sequence(whole, npartitions=3).filter(lambda sequence: len(sequence) > 1)
    with dask.config.set(scheduler="synchronous"):
        assert np.array_equal(MarkovChain().fit(some).counts_, MarkovChain().fit([whole[0], whole[2]]).counts_)
        with pytest.raises(ValueError, match="holds no sequence"):
            MarkovChain().fit(some.filter(lambda sequence: len(sequence) > 9))


def test_too_many_paths():
    with pytest.raises(ValueError, match=r"2 states and 200 steps make 2\^200 paths"):
        enumerate_paths(CategoricalHMM(random_state=0).fit(SYMBOLS), SYMBOLS)


def test_choosing_states():
    choice = choose_n_components(GaussianHMM(random_state=0, n_init=2), X, range(1, 4))
    assert choice.best.n_components == choice.model.n_components == 2
    assert choice.best.bic == pytest.approx(choice.model.bic(X))
    assert choice.best.aic == pytest.approx(choice.model.aic(X))
    assert "<- chosen" in str(choice)
    with pytest.raises(ValueError, match="criterion='icl'"):
        choose_n_components(GaussianHMM(), X, [1], criterion="icl")
    with pytest.raises(ValueError, match="candidates is empty"):
        choose_n_components(GaussianHMM(), X, [])


def test_constant_data_and_fewer_points_than_states():
    constant = GaussianHMM(2, random_state=0).fit(np.zeros((20, 2)))
    assert all(claim.holds or claim.open for claim in constant.certificate_)
    assert not constant.certificate_.holds, "one state is enough; of the other the data say nothing"
    model = CategoricalHMM(3, random_state=0).fit([0, 0, 0])
    assert model.score([0]) == pytest.approx(0.0)


def test_sequences_of_one_symbol_each_stay_apart():
    symbols = [np.array([0]), np.array([1]), np.array([1])]
    model = CategoricalHMM(n_components=1).fit(symbols)
    assert model.lengths_.tolist() == [1, 1, 1]
    assert CategoricalHMM(n_components=1).fit([[0], [1], [1]]).lengths_.tolist() == [3]


def test_paths_of_several_sequences_are_not_run_together():
    """Two sequences are no sequence of both: their log-likelihoods add up, paths through the seam do not count."""
    model = random_categorical(2, 2, np.random.default_rng(0))
    with pytest.raises(ValueError, match="X holds 2 sequences"):
        enumerate_paths(model, [[0, 1], [1, 0]])


@each("kind", ["diag", "full", "tied", "spherical"])
@each("constant", [0.0, 0.1, -3e5])
def test_no_variance_to_start_from_names_the_remedy(kind, constant):
    model = GaussianHMM(covariance_type=kind, min_covar=0, covars_prior=0)
    message = r"GaussianHMM\(min_covar=0\): column 0 of X is constant.*give min_covar > 0 and covars_prior > 0"
    with pytest.raises(ValueError, match=message):
        model.fit(np.full((21, 1), constant))


@each("kind", ["full", "tied"])
def test_dependent_columns_leave_no_covariance_to_start_from(kind):
    with pytest.raises(ValueError, match=r"min_covar=0\): columns of X are dependent.*give min_covar > 0"):
        GaussianHMM(covariance_type=kind, min_covar=0, covars_prior=0).fit(X[:, [0, 1, 0]])


def test_one_constant_column_is_no_matter_where_there_is_a_remedy():
    flat = np.column_stack([X, np.ones(len(X))])
    with pytest.raises(ValueError, match="column 3 of X is constant"):
        GaussianHMM(min_covar=0, covars_prior=0).fit(flat)
    assert GaussianHMM(min_covar=0, covariance_type="spherical", random_state=0).fit(flat).certificate_.holds
    assert GaussianHMM(random_state=0).fit(flat).certificate_.holds
