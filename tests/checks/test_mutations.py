"""The mutation law: a broken solver never keeps its certificate (`learnable.checks.mutation`)."""

import warnings
from collections import defaultdict

import numpy as np
import pytest
from sklearn.base import clone

from learnable.certificates.linear import class_spread
from learnable.checks import all_estimators
from learnable.checks.data import well_posed
from learnable.checks.estimator_checks import seeded
from learnable.checks.mutation import BREAKS, REGISTRY, Mutant, called_functions, caught, mutated, survives
from learnable.linear import LinearDiscriminantAnalysis
from learnable.rows import as_rows, moments
from learnable.solvers.linear.shrinkage import ledoit_wolf_intensity


def hard_subset():
    """Data on which one cut does not decide between subsets."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 8))
    X[:, 1] += X[:, 0]
    return X, X @ rng.standard_normal(8) + rng.standard_normal(40)


def test_no_mutant_of_the_registry_survives():
    kinds, fits = dict(all_estimators()), {}
    escaped, of_a_fit = [], defaultdict(set)
    for entry in REGISTRY:
        of_a_fit[entry.estimator, *sorted(entry.parameters.items())].add((entry.mutant.module, entry.mutant.name))
    for entry in REGISTRY:
        key = (entry.estimator, *sorted(entry.parameters.items()))
        if key not in fits:
            estimator = seeded(kinds[entry.estimator]()).set_params(**entry.parameters)
            X, y = hard_subset() if entry.estimator == "BestSubsetMILP" else well_posed(estimator)

            def fit(estimator=estimator, X=X, y=y):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return clone(estimator).fit(X, y)

            honest = fit()
            assert honest.certificate_.holds, honest.certificate_
            fits[key] = fit, honest, X, called_functions(fit, of_a_fit[key])
        fit, honest, X, calls = fits[key]
        times = calls[entry.mutant.module, entry.mutant.name]
        if not times:
            escaped.append((entry.estimator, entry.mutant, "is not called"))
            continue
        if not caught(entry.mutant, fit, 10 * times + 20):
            escaped.append((entry.estimator, entry.mutant, "holds"))
        for how in BREAKS.keys() - {entry.mutant.how}:  # which has been caught: nothing of it can survive
            mutant = entry.mutant._replace(how=how)
            if moved := survives(mutant, fit, honest, X, 10 * times + 20):
                escaped.append((entry.estimator, mutant, moved))
    assert not escaped, escaped


def test_a_mutant_lasts_as_long_as_its_context():
    rows, before = as_rows([[1.0], [3.0]]), moments(as_rows([[1.0], [3.0]]))
    broken = Mutant("learnable.rows.moments", "moments", "halved")
    with mutated(broken), pytest.raises(ZeroDivisionError):
        raise ZeroDivisionError
    assert moments(rows).mean_x == before.mean_x


def test_a_certificate_that_shares_code_with_its_solver_is_found_out(monkeypatch):
    estimator = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 12)) * np.geomspace(1.0, 4.0, 12), np.arange(30) % 2
    X[:, :4] += y[:, None]
    honest = clone(estimator).fit(X, y)
    halved = Mutant("learnable.solvers.linear.shrinkage", "ledoit_wolf_intensity", "halved")
    assert survives(halved, lambda: clone(estimator).fit(X, y), honest, X, 100) is None
    monkeypatch.setattr(class_spread, "_least_risk", ledoit_wolf_intensity)
    assert survives(halved, lambda: clone(estimator).fit(X, y), honest, X, 100) == "decision_function"
