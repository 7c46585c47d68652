"""Which fits of a run are checked: the quick ones, and the chosen one whatever it takes, within the time limit."""

import threading
import time
from dataclasses import asdict
from types import SimpleNamespace

import numpy as np

from learnable.app.judging import certifying
from learnable.app.judging.certifying import LATE, UNCHOSEN, Certificates
from learnable.app.learn import Fitted
from learnable.app.model_files.card_claims import carried_claims, stored_claims
from learnable.app.result import ClaimResult, LearnerResult, plain
from learnable.app.trials.blend import blend_of
from learnable.app.trials.workers import Deadline
from learnable.ensembles import RandomForestRegressor
from learnable.linear import LinearRegression

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] + RNG.normal(size=60)
GAP = ClaimResult("blend", "the weights", 0.0, 1e-6, True, "exact")


def run(limit=None):
    coded = SimpleNamespace(X_train=X, w_train=None, division=SimpleNamespace(y_train=Y))
    return SimpleNamespace(coded=coded, options=SimpleNamespace(time_limit=limit), deadline=Deadline(limit))


def fitted():
    line, forest = LinearRegression().fit(X, Y), RandomForestRegressor(3, random_state=0).fit(X, Y)
    weights = {"line": 0.5, "forest": 0.5}
    return {
        "line": Fitted(LearnerResult("LinearRegression", "line", "finished"), line),
        "forest": Fitted(LearnerResult("RandomForestRegressor", "forest", "finished"), forest),
        "blend": Fitted(
            LearnerResult("QuantityBlend", "blend", "finished", certificate=[GAP], weights=weights),
            blend_of([line, forest], list(weights), list(weights.values())),
        ),
    }


def test_what_is_long_to_check_waits_until_it_is_chosen(monkeypatch):
    monkeypatch.setattr(certifying, "QUICK", 10)
    found = Certificates(run(), fitted())
    results = {label: one.result for label, one in found.fitted.items()}
    assert results["line"].certified
    assert (results["forest"].certificate, results["forest"].uncertified) == (None, UNCHOSEN)
    assert (results["blend"].certificate, results["blend"].uncertified) == (None, UNCHOSEN)
    assert not found.ask("line")
    assert found.ask("blend")
    assert not found.ask("blend")
    results = {label: one.result for label, one in found.fitted.items()}
    assert results["forest"].certified
    assert not results["forest"].uncertified
    assert results["blend"].certificate == [*results["line"].certificate, *results["forest"].certificate, GAP]


def test_trees_that_are_not_chosen_are_checked_only_as_long_as_there_is_time():
    found = Certificates(run(0.0), fitted())
    results = {label: one.result for label, one in found.fitted.items()}
    assert results["line"].certified
    assert (results["forest"].certificate, results["forest"].uncertified) == (None, LATE)
    assert (results["blend"].certificate, results["blend"].uncertified) == (None, LATE)


def test_a_quick_forest_is_checked_unasked():
    found = Certificates(run(), fitted())
    assert all(one.result.certified and not one.result.uncertified for one in found.fitted.values())


def test_one_that_comes_late_is_said_to_be_missing_and_ends(monkeypatch):
    threads = []

    def endless(model, *rest):
        if isinstance(model, LinearRegression):
            return [GAP]
        threads.append(threading.current_thread())
        while True:
            time.sleep(0.001)

    monkeypatch.setattr(certifying, "recompute", endless)
    monkeypatch.setattr(certifying, "QUICK", 10)
    found = Certificates(run(0.01), fitted())
    assert found.fitted["line"].result.certified  # what is quick to check is checked, late or not
    assert found.fitted["forest"].result.uncertified == UNCHOSEN
    while not threads:  # it may be too late to begin
        found = Certificates(run(0.5), fitted())
        found.ask("blend")
    for label in ("forest", "blend"):
        assert found.fitted[label].result.certificate is None
        assert found.fitted[label].result.uncertified == LATE
    for thread in threads:
        thread.join()


def test_a_certificate_that_cannot_be_made_proves_nothing(monkeypatch):
    def broken(*given):
        raise ZeroDivisionError("of all")

    monkeypatch.setattr(certifying, "recompute", broken)
    claims = Certificates(run(), fitted()).fitted["line"].result.certificate
    assert [claim.fails for claim in claims] == [True]
    assert "ZeroDivisionError: of all" in claims[0].statement


def test_members_of_a_blend_may_make_the_same_claim_each_with_its_number():
    told = [ClaimResult("O6", "gap", value, None, True, "exact") for value in (1.0, 2.0)]
    card = {"learner": {"certificate": [plain(asdict(one)) for one in told]}}
    assert stored_claims(card, told).holds
    assert carried_claims(told, told).holds
    for other in (told[::-1], told[:1], [told[0], told[0]], [*told, told[1]]):
        assert stored_claims(card, other).fails
        assert carried_claims(told, other).fails
