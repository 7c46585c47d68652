"""What a notebook shows of an estimator: scikit-learn's picture, made from the docstring without a warning."""

import inspect
import re
import warnings
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import estimator_html_repr

import learnable
from learnable.checks import all_estimators
from learnable.sparse import Lasso


def public_estimators() -> dict[str, type]:
    """Learners, and whatever else has scikit-learn's interface: planners, encoders, densities."""
    rooms = [import_module(room.name) for room in iter_modules(learnable.__path__, "learnable.") if room.ispkg]
    things = {name: getattr(room, name) for room in rooms for name in getattr(room, "__all__", ())}
    return {
        name: thing
        for name, thing in sorted(things.items())
        if inspect.isclass(thing) and issubclass(thing, BaseEstimator) and not inspect.isabstract(thing)
    }


ESTIMATORS = public_estimators()


def test_every_learner_is_among_them():
    assert {"ValueIteration", "ParametricDensity", *dict(all_estimators())} <= set(ESTIMATORS)


def test_each_is_shown_without_a_warning():
    for name, kind in ESTIMATORS.items():
        required = [
            parameter.name
            for parameter in inspect.signature(kind).parameters.values()
            if parameter.default is inspect.Parameter.empty and parameter.name != "estimator"
        ]
        searched = {"estimator": Lasso()} if issubclass(kind, BaseSearchCV) else {}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            page = estimator_html_repr(kind(**dict.fromkeys(required), **searched))
        assert name in page


def test_docstrings_say_what_the_certificate_claims():
    for name, _ in all_estimators():
        says = re.search(r"^    certificate_ : (.+\n(?:        .+\n)*)", ESTIMATORS[name].__doc__, re.MULTILINE)
        assert says is not None, name
        assert len(says.group(1).split()) > 5, name


def test_a_fitted_one_is_shown_too():
    model = Lasso(alpha=0.1).fit(np.eye(4), np.arange(4.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = estimator_html_repr(model)
    assert "certificate_" in page
    assert "Certificate" in page
