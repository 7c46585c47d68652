"""Posteriors over finite hypothesis sets: Bayes' rule, order, MAP and ML, the version space."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.bayes import bayes_optimal, brute_force_map, posterior, posterior_from_logs


@st.composite
def finite_problems(draw):
    k, n = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    weights = draw(st.lists(st.integers(1, 20), min_size=k, max_size=k))
    table = draw(st.lists(st.lists(st.integers(1, 10), min_size=k, max_size=k), min_size=n, max_size=n))
    return weights, table


@given(finite_problems())
@settings(max_examples=50, deadline=None)
def test_exact_arithmetic_agrees(problem):
    weights, table = problem
    prior = [Fraction(w, sum(weights)) for w in weights]
    likelihood = [[Fraction(cell, 10) for cell in row] for row in table]
    joint = []
    for h, p in enumerate(prior):
        for row in likelihood:
            p *= row[h]
        joint.append(p)
    belief = posterior([float(p) for p in prior], [[float(c) for c in row] for row in likelihood])
    assert belief.evidence == pytest.approx(float(sum(joint)), rel=1e-12)
    np.testing.assert_allclose(belief.probabilities, [float(j / sum(joint)) for j in joint], rtol=1e-12)
    assert belief.certificate.holds
    assert belief.map in [h for h, j in enumerate(joint) if j == max(joint)]


@given(finite_problems(), st.randoms())
@settings(max_examples=30, deadline=None)
def test_order_of_the_data_and_one_at_a_time_do_not_matter(problem, random):
    weights, table = problem
    prior = np.array(weights) / sum(weights)
    rows = np.array(table) / 10
    at_once = posterior(prior, rows)
    shuffled = rows[random.sample(range(len(rows)), len(rows))]
    one_by_one = posterior(prior, shuffled[0])
    for row in shuffled[1:]:
        one_by_one = one_by_one.updated(row)
    np.testing.assert_allclose(one_by_one.log_probabilities, at_once.log_probabilities, atol=1e-12)
    assert one_by_one.certificate.holds


def test_maximum_likelihood_is_map_under_a_uniform_prior():
    rng = np.random.default_rng(0)
    for _ in range(20):
        likelihood = rng.random(6)
        assert posterior(np.full(6, 1 / 6), likelihood).map == int(np.argmax(likelihood))
    skewed = posterior([0.9, 0.1], [0.3, 0.6])
    assert (skewed.map, skewed.maximum_likelihood) == (0, 1)


def test_a_million_observations_do_not_underflow():
    belief = posterior([0.5, 0.5], np.tile([0.5, 0.500001], (1_000_000, 1)))
    assert belief.evidence == 0.0
    assert belief.log_evidence < -600_000
    assert belief.probabilities[1] == pytest.approx(1 / (1 + np.exp(-1e6 * np.log1p(2e-6))), rel=1e-6)
    assert belief.certificate.holds


def test_ties_are_all_named():
    belief = posterior([0.25] * 4, [0.2, 0.4, 0.4, 0.1], hypotheses=["a", "b", "c", "d"])
    assert belief.map_ties == belief.maximum_likelihood_ties == ("b", "c")
    assert belief.map == "b"


def test_zero_prior_stays_zero():
    belief = posterior([0.0, 0.5, 0.5], [1.0, 0.1, 0.2])
    assert belief.probabilities[0] == 0.0
    assert belief.updated([1.0, 0.5, 0.5]).probabilities[0] == 0.0
    assert belief.certificate.holds


@each(
    "change",
    [
        lambda b: replace(b, log_probabilities=b.log_probabilities + np.array([1e-3, 0, 0])),
        lambda b: replace(b, log_probabilities=b.log_probabilities[[1, 0, 2]]),
        lambda b: replace(b, log_evidence=b.log_evidence + 1e-6),
        lambda b: replace(b, log_evidence=b.log_evidence + 1e-3, log_probabilities=b.log_probabilities - 1e-3),
        lambda b: replace(b, log_prior=b.log_prior[[2, 0, 1]]),
        lambda b: replace(b, log_likelihood=b.log_likelihood * 1.01),
        lambda b: replace(b, log_probabilities=np.log([0.2, 0.5, 0.3])),
    ],
)
def test_tampering_is_noticed(change):
    belief = posterior([0.2, 0.3, 0.5], [0.1, 0.7, 0.4])
    assert belief.certificate.holds
    assert not change(belief).certificate.holds


def test_an_excluded_hypothesis_brought_back_is_noticed():
    belief = posterior([0.5, 0.5], [0.0, 0.3])
    with np.errstate(divide="ignore"):
        revived = replace(belief, log_probabilities=np.log([1e-15, 1.0]))
    assert not revived.certificate.holds


def test_version_space_is_uniform_and_has_the_evidence_of_its_share():
    # All Boolean functions of two inputs; three of four corners are labelled.
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    code = corners @ [2, 1]
    functions = {f: (lambda X, f=f: (f >> (X @ np.array([2, 1]))) & 1) for f in range(16)}
    seen, labels = corners[:3], np.array([1, 0, 1])
    belief = brute_force_map(functions, seen, labels)
    consistent = [f for f in range(16) if all(((f >> c) & 1) == label for c, label in zip(code[:3], labels))]
    assert list(belief.map_ties) == consistent
    np.testing.assert_allclose(belief.probabilities[consistent], 1 / len(consistent))
    assert belief.probabilities.sum() == pytest.approx(1.0)
    assert belief.evidence == pytest.approx(len(consistent) / 16)
    assert belief.certificate.holds
    weighted = brute_force_map(functions, seen, labels, prior={f: (f + 1) / 136 for f in range(16)})
    assert weighted.map == max(consistent)


@each(
    ("call", "message"),
    [
        (lambda: posterior([0.5, 0.6], [0.1, 0.2]), r"sum to 1.1, which is 0.1 more than 1"),
        (lambda: posterior([0.5, 0.4], [0.1, 0.2]), r"0.1 less than 1"),
        (lambda: posterior([1.5, -0.5], [0.1, 0.2]), ">= 0"),
        (lambda: posterior([], []), "list of probabilities"),
        (lambda: posterior([0.0, 0.0], [0.1, 0.2]), "every probability is 0"),
        (lambda: posterior([0.5, 0.5], [0.0, 0.0]), "likelihood is 0 for every hypothesis"),
        (lambda: posterior([1.0, 0.0], [0.0, 0.7]), r"only hypotheses of prior probability 0 allow these data: \[1\]"),
        (lambda: posterior([0.5, 0.5], [0.1, np.nan]), "finite"),
        (lambda: posterior([0.5, 0.5], [0.1, np.inf]), "finite"),
        (lambda: posterior([0.5, 0.5], [0.1, -0.2]), ">= 0"),
        (lambda: posterior([0.5, 0.5], [0.1, 0.2, 0.3]), "a column for each hypothesis"),
        (lambda: posterior([0.5, 0.5], [0.1, 0.2], hypotheses=["a"]), "1 hypotheses, but 2"),
        (lambda: posterior([0.5, 0.5], [0.1, 0.2], hypotheses=["a", "a"]), "'a' is listed more than once"),
        (lambda: posterior_from_logs([0.0, np.nan], [0.0, 0.0]), "numbers or -inf"),
        (lambda: posterior_from_logs([-np.inf, -np.inf], [0.0, 0.0]), "every hypothesis has prior probability 0"),
        (lambda: brute_force_map({}, [1], [1]), "empty"),
        (lambda: brute_force_map({"a": lambda X: X}, np.array([1]), [2]), "none of the 1 hypotheses agrees"),
        (lambda: brute_force_map({"a": lambda X: X[:0]}, np.array([1]), [2]), "returned shape"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_name_for_two_things_is_refused():
    with pytest.raises(ValueError, match="hypothesis 'a' is listed more than once"):
        posterior_from_logs([0.0, 0.0], [0.0, 0.0], hypotheses=["a", "a"])
    with pytest.raises(ValueError, match="label 'yes' is listed more than once"):
        bayes_optimal([0.2, 0.8], [[1, 0], [0, 1]], labels=["yes", "yes"])
