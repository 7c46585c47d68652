"""Certificates as text, HTML and JSON; claims and their small print; the registry."""

import json
import math
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from learnable import certify
from learnable.certificates import Certificate, Claim, certifies
from learnable.linear import LinearRegression, Ridge

EVIL = '<img src=x onerror=alert(1)> & "quotes"'


def test_a_claim_holds_when_its_value_is_within_the_bound():
    assert Claim.at_most("X1", "s", 1.0, 1.0).holds
    assert not Claim.at_most("X1", "s", 1.0 + 1e-15, 1.0).holds
    for value, bound in ((math.nan, 1.0), (1.0, math.nan), (math.inf, 1.0), (math.nan, math.nan)):
        assert not Claim.at_most("X1", "s", value, bound).holds
    assert not Claim.disclosure("X1", "s", math.nan).holds
    assert not Claim.disclosure("X1", "s", math.inf).holds


def test_one_failing_claim_fails_the_certificate():
    good, bad = Claim.at_most("A", "good", 0, 1), Claim.at_most("B", "bad", 2, 1)
    assert Certificate("m", [good]).holds
    assert not Certificate("m", [good, bad]).holds
    assert "REFUTED" in str(Certificate("m", [good, bad]))
    assert Certificate("m", [good, bad]).claim("B") is bad
    with pytest.raises(KeyError, match="rows here: A, B"):
        Certificate("m", [good, bad]).claim("C")


def test_json_is_strict_and_complete():
    certificate = Certificate(EVIL, [Claim.at_most("A", EVIL, math.inf, math.nan, assumptions=("iid",), delta=0.05)])

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    back = json.loads(certificate.to_json(), parse_constant=refuse)
    assert back["subject"] == EVIL
    assert back["holds"] is False
    claim = back["claims"][0]
    assert claim["statement"] == EVIL
    assert claim["value"] == "inf"
    assert claim["assumptions"] == ["iid"]
    assert set(claim) == set(Claim._fields)


def test_html_escapes_everything_foreign():
    html = Certificate(EVIL, [Claim.at_most(EVIL, EVIL, 1.0, 2.0)])._repr_html_()
    assert "<img" not in html
    assert html.count("&lt;img") == 3
    assert "✓" in html
    assert "✗" in Certificate("m", [Claim.at_most("A", "s", 3.0, 2.0)])._repr_html_()


def test_text_names_the_probability():
    text = str(Claim.at_most("A", "error", 0.1, 0.2, kind="with probability", delta=0.05))
    assert "with probability" in text
    assert "0.05" in text


def test_certificates_compare_hash_and_pickle():
    X, y = np.arange(6.0)[:, None], np.array([0.0, 1, 2, 3, 4, 6])
    one, two = LinearRegression().fit(X, y).certificate_, LinearRegression().fit(X, y).certificate_
    assert one == two
    assert hash(one) == hash(two)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != Ridge().fit(X, y).certificate_
    assert len(one) == len(list(one))


def test_unknown_and_unfitted_models():
    from sklearn.exceptions import NotFittedError
    from sklearn.neighbors import KNeighborsRegressor

    X, y = np.arange(6.0)[:, None], np.arange(6.0)
    with pytest.raises(TypeError, match=r"no certificate is known for sklearn.*KNeighborsRegressor; known: .*Lasso"):
        certify(KNeighborsRegressor(2).fit(X, y), X, y)
    with pytest.raises(NotFittedError):
        certify(LinearRegression(), X, y)


def test_a_stranger_of_the_same_name_is_not_trusted():
    class Lasso(BaseEstimator):
        def fit(self, X, y):
            self.coef_ = np.zeros(1)
            return self

    with pytest.raises(TypeError, match="no certificate is known"):
        certify(Lasso().fit(None, None), np.zeros((2, 1)), np.zeros(2))


def test_subclasses_are_judged_like_their_parents():
    class Mine(Ridge):
        pass

    X, y = np.arange(6.0)[:, None], np.arange(6.0) ** 2
    certificate = Mine().fit(X, y).certificate_
    assert certificate.holds
    assert certificate.subject == "Mine"
    assert certifies("NoSuchThing")(len) is len
