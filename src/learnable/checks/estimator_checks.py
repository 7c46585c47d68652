"""What every estimator of the house must pass, beyond scikit-learn's own checks.

Each check takes an unfitted estimator and raises AssertionError with a reason. `house_checks(estimator)` yields them.
"""

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from learnable.certificates import certify
from learnable.checks.data import well_posed
from learnable.checks.tamper import tampered
from learnable.trace import Status, steps, watch


def house_checks(estimator: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """(name, check) for every house check, to be run one by one.

    >>> from learnable.linear import Ridge
    >>> for name, check in house_checks(Ridge()):
    ...     check()
    """
    for check in HOUSE_CHECKS:
        yield check.__name__, partial(check, seeded(clone(estimator)))


def seeded(estimator: Any) -> Any:
    """The estimator with a fixed seed, if it draws random numbers: what is asked of it can be asked twice."""
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


def check_certificate_holds(estimator) -> None:
    """On well-posed data the certificate holds, and `certify` finds the same claims again from the data."""
    X, y = well_posed(estimator)
    model = estimator.fit(X, y)
    assert model.certificate_.holds, f"the certificate fails on well-posed data:\n{model.certificate_}"
    assert any(claim.bound is not None for claim in model.certificate_), "the certificate asserts nothing"
    again = certify(model, X, y)
    assert again == model.certificate_, f"certify disagrees with certificate_:\n{again}\n{model.certificate_}"


def check_tamper_law(estimator) -> None:
    """Change any part of the answer noticeably and the certificate must fail."""
    X, y = well_posed(estimator)
    model = estimator.fit(X, y)
    changed = list(tampered(model))
    assert changed, f"{type(estimator).__name__} has no answer to tamper with"
    for what, altered in changed:
        assert not certify(altered, X, y).holds, f"the certificate still holds after {what}"


def check_certificate_needs_these_data(estimator) -> None:
    """A changed row of data is noticed too."""
    X, y = well_posed(estimator)
    model = estimator.fit(X, y)
    other, _ = well_posed(estimator).with_another_row()
    assert not certify(model, other, y).holds, "the certificate still holds on data with a changed row"


def check_same_answer_for_any_n_jobs(estimator) -> None:
    """Bit for bit the same fitted numbers for one and two jobs."""
    if "n_jobs" not in estimator.get_params():
        return
    X, y = well_posed(estimator)
    X, y = np.tile(X, (120, 1)), None if y is None else np.tile(y, 120)
    if X.dtype.kind == "f":
        X += 1e-3 * np.random.default_rng(1).standard_normal(X.shape)
    one, two = (_quiet_fit(clone(estimator).set_params(n_jobs=jobs), X, y) for jobs in (1, 2))
    _assert_same_numbers(one, two, "n_jobs=1 and n_jobs=2")


def check_refit_forgets(estimator) -> None:
    """A second fit gives what a fresh estimator gives: nothing of the first remains."""
    data = well_posed(estimator)
    fresh = clone(estimator).fit(*data.first(150, 4))
    again = estimator.fit(*data).fit(*data.first(150, 4))
    assert set(vars(fresh)) == set(vars(again)), "attributes of the first fit remain after the second"
    _assert_same_numbers(fresh, again, "a fresh fit and a refit")


def check_failed_fit_keeps_the_old_model(estimator) -> None:
    """A fit that raises leaves the estimator as it was."""
    X, y = well_posed(estimator)
    model = estimator.fit(X, y)
    before = pickle.dumps(model)
    missing_cells_are_fine = get_tags(estimator).input_tags.allow_nan
    bad = X.astype(float)
    bad[3, -1] = np.inf if missing_cells_are_fine else np.nan
    try:
        model.fit(bad, y)
    except ValueError:
        pass
    else:
        raise AssertionError(f"{bad[3, -1]} in X was accepted")
    assert pickle.dumps(model) == before, "a failed fit changed the fitted estimator"


def check_caller_data_untouched(estimator) -> None:
    """X, y and the weights are read only: the fit must not even try to write."""
    X, y = well_posed(estimator)
    for given in (np.ascontiguousarray(X), np.asfortranarray(X)):
        given.setflags(write=False)
        target = None if y is None else np.array(y)
        if target is not None:
            target.setflags(write=False)
        clone(estimator).fit(given, target).predict(given)


def check_callbacks_watch_and_stop(estimator) -> None:
    """scikit-learn callbacks are called once a step, can stop the fit, and leave a usable model."""
    X, y = well_posed(estimator)
    counter = _Counter()
    fitted = clone(estimator).set_callbacks(counter).fit(X, y)
    expected = sum(1 for _ in watch(estimator, X, y))
    assert counter.steps == expected, f"{counter.steps} callback tasks for {expected} steps"
    assert counter.scores[-1] == fitted.score(X, y), "the last callback saw another model than the one kept"
    if expected > 1:
        stopped = clone(estimator).set_callbacks(_Counter(stop_after=1)).fit(X, y)
        assert stopped.status_ is Status.STOPPED, f"stopped by a callback, but status_ is {stopped.status_}"
        assert len(stopped.predict(X)) == len(X), "a stopped fit is not usable"


def check_watch_ends_where_fit_does(estimator) -> None:
    """The last state of `watch` is the one `fit` adopts, and watching leaves the estimator alone."""
    X, y = well_posed(estimator)
    seen = list(watch(estimator, X, y))
    assert "certificate_" not in vars(estimator), "watch fitted the estimator it was given"
    copy = clone(estimator)
    fitting = copy._pose(X, y)
    for _ in steps(fitting.iterates, fitting.stop):
        pass
    fitted = clone(estimator).fit(X, y)
    adopted = fitting.attributes(seen[-1].state)
    for name, value in adopted.items():
        assert _same(value, getattr(fitted, name)), f"the last watched state gives another {name} than fit"


def check_pickle_and_skops_round_trip(estimator) -> None:
    """A saved and loaded model predicts the same, and still carries its certificate."""
    import skops.io

    X, y = well_posed(estimator)
    model = estimator.fit(X, y)
    data = skops.io.dumps(model)
    unknown = [name for name in skops.io.get_untrusted_types(data=data) if not name.startswith("learnable.")]
    assert not unknown, f"saving by skops needs types beyond learnable's own: {unknown}"
    loaded = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
    for copy in (pickle.loads(pickle.dumps(model)), loaded):
        _assert_same_numbers(model, copy, "a model and its saved copy")
        assert np.array_equal(copy.predict(X), model.predict(X)), "a loaded model predicts something else"
        assert copy.certificate_ == model.certificate_, "a loaded model lost its certificate"


HOUSE_CHECKS: tuple[Callable[[Any], None], ...] = (
    check_certificate_holds,
    check_tamper_law,
    check_certificate_needs_these_data,
    check_same_answer_for_any_n_jobs,
    check_refit_forgets,
    check_failed_fit_keeps_the_old_model,
    check_caller_data_untouched,
    check_callbacks_watch_and_stop,
    check_watch_ends_where_fit_does,
    check_pickle_and_skops_round_trip,
)


class _Counter:
    """A scikit-learn callback that counts steps, scores the model at each, and may ask to stop."""

    def __init__(self, stop_after: int | None = None):
        self.stop_after, self.steps = stop_after, 0
        self.scores: list[float] = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
        if context.parent is None:
            return False
        self.steps += 1
        self.scores.append(fitted_estimator.score(X, y))
        return self.stop_after is not None and self.steps >= self.stop_after


def _quiet_fit(estimator, X, y):
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator.fit(X, y)


def _assert_same_numbers(one, two, what: str) -> None:
    for name, value in one._fitted_attributes().items():
        assert _same(value, getattr(two, name)), f"{name} differs between {what}"


def _same(a, b) -> bool:
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b))
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)
