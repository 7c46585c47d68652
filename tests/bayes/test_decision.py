"""Decisions: Bayes optimal votes, loss matrices, the two-class theorem, plug-in rules."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats
from tests.cases import each

from learnable.bayes import (
    bayes_decision,
    bayes_optimal,
    discriminative_law,
    generative_law,
    plug_in_excess,
    posterior,
    two_class_posterior,
    zero_one_loss,
)
from learnable.datasets import three_hypotheses
from learnable.theory.bayes_classifier import DiscreteLaw


def test_three_hypotheses_where_the_most_probable_one_is_outvoted():
    weights, labels, votes = three_hypotheses()
    vote = bayes_optimal(weights, votes, labels=labels)
    np.testing.assert_allclose(vote.masses, [0.4, 0.6])
    assert (vote.label, vote.map_label) == ("-", "+")
    assert vote.error == pytest.approx(0.4)
    assert vote.map_error == pytest.approx(0.6)
    assert vote.certificate.holds


def test_no_other_rule_has_a_lower_posterior_error():
    rng = np.random.default_rng(1)
    for _ in range(50):
        weights, votes = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(3), size=4)
        vote = bayes_optimal(weights, votes)
        # P(wrong) of every deterministic answer, by summing over hypotheses and outcomes.
        errors = [
            sum(weights[h] * votes[h, y] for h, y in product(range(4), range(3)) if y != answer) for answer in range(3)
        ]
        assert vote.error == pytest.approx(min(errors))
        assert vote.map_error >= vote.error - 1e-12
        gibbs = sum(
            weights[h] * votes[h, a] * weights[g] * votes[g, y]
            for h, g, a, y in product(range(4), range(4), range(3), range(3))
            if a != y
        )
        assert vote.gibbs_error == pytest.approx(gibbs)
        assert vote.gibbs_error <= 2 * vote.error + 1e-12


def test_votes_of_a_posterior():
    belief = posterior([0.5, 0.5], [0.9, 0.1])
    assert bayes_optimal(belief, np.eye(2), labels=["a", "b"]).label == "a"


@each(
    "change",
    [
        lambda v: replace(v, index=0),
        lambda v: replace(v, masses=v.masses[::-1].copy()),
        lambda v: replace(v, masses=v.masses + np.array([1e-6, -1e-6])),
        lambda v: replace(v, weights=np.array([0.8, 0.1, 0.1])),
    ],
)
def test_tampered_votes(change):
    weights, labels, votes = three_hypotheses()
    assert not change(bayes_optimal(weights, votes, labels=labels)).certificate.holds


def test_decision_is_the_minimum_over_all_actions_and_zero_one_loss_gives_the_mode():
    rng = np.random.default_rng(2)
    for _ in range(50):
        p, loss = rng.dirichlet(np.ones(4)), rng.normal(size=(5, 4))
        made = bayes_decision(p, loss)
        risks = [sum(p[y] * loss[a, y] for y in range(4)) for a in range(5)]
        assert made.risk == pytest.approx(min(risks))
        assert made.certificate.holds
        assert bayes_decision(p, zero_one_loss(4)).index == int(np.argmax(p))


def test_a_matrix_of_posteriors_is_decided_row_by_row():
    rng = np.random.default_rng(7)
    P, loss = rng.dirichlet(np.ones(4), size=60), rng.normal(size=(5, 4))
    given = P.copy()
    made = bayes_decision(P, loss, actions="abcde")
    each = [bayes_decision(p, loss, actions="abcde") for p in P]
    assert made.action == [one.action for one in each]
    np.testing.assert_array_equal(made.index, [one.index for one in each])
    np.testing.assert_allclose(made.expected_loss, [one.expected_loss for one in each], rtol=0, atol=1e-14)
    np.testing.assert_allclose(made.risk, [one.risk for one in each], rtol=0, atol=1e-14)
    assert len(set(made.action)) > 1
    assert made.certificate.holds
    np.testing.assert_array_equal(P, given)
    # With 0-1 loss the decision is the most probable label, and its risk what is left.
    votes = bayes_decision(P, zero_one_loss(4))
    np.testing.assert_array_equal(votes.index, P.argmax(axis=1))
    np.testing.assert_allclose(votes.risk, 1.0 - P.max(axis=1), atol=1e-14)
    assert bayes_decision(P[:1], loss).index.tolist() == [bayes_decision(P[0], loss).index]
    assert bayes_decision(P[:0], loss).action == []


@each(
    "change",
    [
        lambda d: replace(d, index=np.array([1, 1, 1])),
        lambda d: replace(d, expected_loss=d.expected_loss * [[1], [1.001], [1]]),
        lambda d: replace(d, posterior=d.posterior[::-1].copy()),
        lambda d: replace(d, posterior=d.posterior * [[1], [1], [1.01]]),
        lambda d: replace(d, posterior=1.01 * d.posterior, expected_loss=1.01 * d.expected_loss),
        lambda d: replace(
            d, posterior=d.posterior * [[1], [1], [1.01]], expected_loss=d.expected_loss * [[1], [1], [1.01]]
        ),
        lambda d: replace(d, loss=d.loss[::-1].copy()),
    ],
)
def test_one_row_tampered_with_is_enough(change):
    made = bayes_decision([[0.9, 0.1], [0.99, 0.01], [0.2, 0.8]], [[0, 50], [1, 0]])
    assert made.index.tolist() == [1, 0, 1]
    assert made.certificate.holds
    assert not change(made).certificate.holds


def test_reject_exactly_where_no_label_is_sure_enough():
    loss = zero_one_loss(2, reject=0.2)
    chosen = {p: bayes_decision([1 - p, p], loss, actions=["no", "yes", "?"]).action for p in (0.1, 0.3, 0.7, 0.9)}
    assert chosen == {0.1: "no", 0.3: "?", 0.7: "?", 0.9: "yes"}


@each(
    "change",
    [
        lambda d: replace(d, index=0),
        lambda d: replace(d, expected_loss=d.expected_loss * 1.01),
        lambda d: replace(d, posterior=np.array([0.2, 0.8])),
        lambda d: replace(d, posterior=np.array([0.9, 0.2])),
        lambda d: replace(d, loss=d.loss[::-1].copy()),
    ],
)
def test_tampered_decision(change):
    assert not change(bayes_decision([0.9, 0.1], [[0, 50], [1, 0]])).certificate.holds


def test_two_classes_by_the_formula_and_far_in_the_tails():
    x = np.linspace(-3, 3, 13)
    one, zero = stats.norm(1, 1), stats.norm(-1, 1)
    direct = 0.3 * one.pdf(x) / (0.3 * one.pdf(x) + 0.7 * zero.pdf(x))
    np.testing.assert_allclose(two_class_posterior(0.3, one.logpdf(x), zero.logpdf(x)), direct, rtol=1e-12)
    # Both densities underflow at 60, their ratio does not: log odds are 2x + log(0.3/0.7).
    far = two_class_posterior(0.3, one.logpdf([-60.0]), zero.logpdf([-60.0]))
    assert np.log(far[0]) == pytest.approx(-120 + np.log(0.3 / 0.7), rel=1e-9)
    assert two_class_posterior(0.0, [0.0], [-5.0]).tolist() == [0.0]
    assert two_class_posterior(1.0, [0.0], [-np.inf]).tolist() == [1.0]


def test_both_factorisations_are_the_same_law():
    joint = np.random.default_rng(3).dirichlet(np.ones(12)).reshape(4, 3)
    prior, marginal = joint.sum(axis=0), joint.sum(axis=1)
    generative = generative_law(prior, joint / prior)
    discriminative = discriminative_law(marginal, joint / marginal[:, None])
    np.testing.assert_allclose(generative.joint, discriminative.joint, atol=1e-15)
    np.testing.assert_allclose(generative.posterior, discriminative.posterior, atol=1e-14)
    # Both are the law that was taken apart, and Bayes' identity gives back P(y|x).
    np.testing.assert_allclose(generative.joint, joint, atol=1e-15)
    np.testing.assert_allclose(generative.posterior, joint / marginal[:, None], atol=1e-14)
    # The rule that is plugged in is wrong on the mass of all classes but its own.
    guess = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8], [0.3, 0.4, 0.3]])
    cost = plug_in_excess(generative, discriminative_law(marginal, guess))
    own = joint[np.arange(4), [1, 0, 2, 1]]
    assert cost.excess == pytest.approx(joint.max(axis=1).sum() - own.sum())
    assert cost.excess > 0.0
    assert cost.bound == pytest.approx(np.abs(joint - marginal[:, None] * guess).sum())


def test_plug_in_excess_is_within_its_bound_and_zero_for_the_truth():
    rng = np.random.default_rng(4)
    worst = 0.0
    for _ in range(200):
        truth = DiscreteLaw(rng.dirichlet(np.ones(10)).reshape(5, 2))
        near = truth.joint + 0.05 * rng.random((5, 2))
        cost = plug_in_excess(truth, DiscreteLaw(near / near.sum()))
        assert cost.excess >= -1e-12
        assert cost.holds
        worst = max(worst, cost.excess / cost.bound)
        assert plug_in_excess(truth, truth).excess == pytest.approx(0.0, abs=1e-12)
    assert worst > 0.2  # the bound is not idle


@each(
    ("call", "message"),
    [
        (lambda: bayes_decision([0.5, 0.5], [[0, np.inf]]), "finite"),
        (lambda: bayes_decision([0.5, 0.4], [[0, 1]]), "0.1 less than 1"),
        (lambda: bayes_decision([0.5, 0.5], [[0, 1, 2]]), "2 columns"),
        (lambda: bayes_decision([[0.5, 0.5]], [[0, 1, 2]]), "2 columns"),
        (lambda: bayes_decision([[0.5, 0.5], [0.5, 0.4]], [[0, 1]]), "row 1.*0.1 less than 1"),
        (lambda: bayes_decision([[0.5, 0.5], [1.5, -0.5]], [[0, 1]]), "row 1.*>= 0"),
        (lambda: bayes_decision([[np.nan, 0.5], [0.5, 0.5]], [[0, 1]]), "row 0.*finite"),
        (lambda: bayes_decision([[0.0, 0.0]], [[0, 1]]), "row 0.*every probability is 0"),
        (lambda: bayes_decision([[[1.0]]], [[0]]), r"shape \(1, 1, 1\)"),
        (lambda: bayes_decision([0.5, 0.5], [[0, 1]], actions=["a", "b"]), "2 names for 1 rows"),
        (lambda: zero_one_loss(0), "k must be >= 1"),
        (lambda: zero_one_loss(2, reject=-1), "cost must be"),
        (lambda: bayes_optimal([0.5, 0.5], [[0.5, 0.6], [1, 0]]), "votes of hypothesis 0.*0.1 more"),
        (lambda: bayes_optimal([0.5, 0.5], [[1, 0]]), "each of 2 hypotheses"),
        (lambda: bayes_optimal([0.5, 0.5], np.eye(2), labels=["a"]), "1 labels for 2"),
        (lambda: two_class_posterior(1.5, [0.0], [0.0]), "prior must be in"),
        (lambda: two_class_posterior(0.5, [-np.inf], [-np.inf]), "neither class can produce x in row 0"),
        (lambda: two_class_posterior(0.5, [np.nan], [0.0]), "numbers or -inf"),
        (lambda: generative_law([0.5, 0.5], [[0.5, 0.5], [0.4, 0.5]]), "likelihood of class 0"),
        (lambda: discriminative_law([0.5, 0.5], [[0.5, 0.5]]), "each of 2 points"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
