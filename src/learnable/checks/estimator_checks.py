"""What every estimator of the house must pass, beyond scikit-learn's own checks.

Each check takes an unfitted estimator and raises AssertionError with a reason. `house_checks(estimator)` yields them.
They ask the kind of the estimator (`checks.kinds`) for data and outputs, so that they fit regressors and planners
alike; estimators of other libraries pass them after `certifies` and `register`.
"""

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import is_dataclass
from functools import partial
from inspect import signature
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils._param_validation import Interval

from learnable.certificates import Verdict, certify
from learnable.certificates.core.certify import ledger_of
from learnable.certificates.core.origin import is_ours
from learnable.checks.data import well_posed
from learnable.checks.kinds import kind_of
from learnable.checks.mutation import moved
from learnable.checks.registry import known_of
from learnable.checks.tamper import tampered
from learnable.trace import Abandoned, Status, abandoned_when, steps, watch

# A count that no fit here reaches, and more states than any fit that is done again may take.
MANY, MOST_STATES = 10**12, 10_000
# Bytes that a check may ask for beside what it has: some systems promise more memory than there is.
ROOM = 2**31


def house_checks(estimator: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """(name, check) for every house check, to be run one by one.

    >>> from learnable.linear import Ridge
    >>> for name, check in house_checks(Ridge()):
    ...     check()
    """
    fits: dict[bytes, Any] = {}
    for check in HOUSE_CHECKS:
        yield check.__name__, partial(_sharing, fits, check, seeded(clone(estimator)))


def made(kind: type) -> Any:
    """An unfitted estimator of a class: as registered, or with its defaults."""
    make = known_of(kind.__name__).make
    return seeded(kind() if make is None else make())


def by_default(kind: type) -> Any:
    """An unfitted estimator of a class as its users make it: with its defaults, as registered where these make none.

    >>> from learnable.reinforcement import PolicyEvaluation
    >>> by_default(PolicyEvaluation).policy
    array([0, 1, 2, 0, 1, 2])
    """
    asked = list(signature(kind).parameters.values())
    return made(kind) if any(one.default is one.empty for one in asked) else kind()


def seeded(estimator: Any) -> Any:
    """The estimator with a fixed seed, if it draws random numbers: what is asked of it can be asked twice."""
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


def check_certificate_holds(estimator) -> None:
    """On well-posed data the certificate proves something, and `certify` finds the same claims again from the data."""
    data = well_posed(estimator)
    model = _fitted(estimator, data)
    found = model.certificate_
    assert found.verdict is not Verdict.NOTHING_ASSERTED, "the certificate asserts nothing"
    assert found.holds, f"the certificate fails on well-posed data:\n{found}"
    again = certify(model, *data)
    assert again.holds, f"certify refutes what certificate_ proves:\n{again}\n{found}"
    assert set(found) <= set(again), f"certify disagrees with certificate_:\n{again}\n{found}"


def check_ledger_is_complete(estimator) -> None:
    """Every fitted attribute is verified, derived or said to be unverified, where the certifier has a ledger."""
    ledger = ledger_of(type(estimator))
    if not any(ledger):
        return
    model = _fitted(estimator, well_posed(estimator))
    missing = ledger.missing_from(vars(model))
    assert not missing, f"the ledger of {type(estimator).__name__} does not know {', '.join(missing)}"


def check_tamper_law(estimator) -> None:
    """Change any part of the answer noticeably and the certificate must fail."""
    data = well_posed(estimator)
    model = _fitted(estimator, data)
    passed, tried = [], 0
    for what, altered in tampered(model):
        tried += 1
        if _accepted(altered, data):
            passed.append(what)
    assert tried, f"{type(estimator).__name__} has no answer to tamper with"
    assert not passed, f"the certificate still holds after {'; '.join(passed)}"


def check_certify_ends_whatever_the_parameters_say(estimator) -> None:
    """Counts among the parameters, altered after the fit, set no amount of work or memory; nor do they in an altered
    answer that says its budget was spent, of which the fit is done again. The states of such fits are counted.
    """
    data = well_posed(estimator)
    model = _fitted(estimator, data)
    _, altered = next(tampered(model))
    altered.status_ = Status.BUDGET_SPENT
    for name, value in model.get_params(deep=False).items():
        if name == "random_state" or not (_is_count(value) or _may_count(estimator, name)):
            continue
        for forged in (deepcopy(model), deepcopy(altered)):
            setattr(forged, name, MANY)
            states = iter(range(MOST_STATES))
            try:
                with _room(ROOM), abandoned_when(partial(_at_its_end, states)):
                    _accepted(forged, data)
            except Abandoned:
                raise AssertionError(f"certify does not end after {name}={MANY}, status_={forged.status_}") from None


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _may_count(estimator: Any, name: str) -> bool:
    """Whether a parameter that is no count may be one, as large as anybody likes."""
    allowed = getattr(estimator, "_parameter_constraints", {}).get(name, ())
    return any(isinstance(one, Interval) and one.type is Integral and one.right is None for one in allowed)


def check_an_answer_is_that_of_its_random_numbers(estimator) -> None:
    """What another seed gives is no answer of this one, unless it says the same; so much is asked of this library."""
    if "random_state" not in estimator.get_params(deep=False) or not is_ours(estimator):
        return
    data, kind = well_posed(estimator), kind_of(estimator)
    one, two = (clone(estimator).set_params(random_state=seed).fit(*data) for seed in (0, 1))
    said, others = kind.outputs(one, data), kind.outputs(two, data)
    if any(moved(said[name], others[name]) for name in said):
        assert not _accepted(two.set_params(random_state=0), data), "the certificate holds of what another seed gave"


def check_certificate_needs_these_data(estimator) -> None:
    """A changed row of data is noticed too."""
    data = well_posed(estimator)
    model = _fitted(estimator, data)
    other = kind_of(estimator).altered(data)
    assert not certify(model, *other).holds, "the certificate still holds on data with a changed row"


def check_same_answer_for_any_n_jobs(estimator) -> None:
    """Bit for bit the same fitted numbers for one and two jobs."""
    if "n_jobs" not in estimator.get_params():
        return
    data = kind_of(estimator).larger(well_posed(estimator), known_of(type(estimator).__name__).copies)
    one, two = (_quiet_fit(clone(estimator).set_params(n_jobs=jobs), *data) for jobs in (1, 2))
    _assert_same_numbers(one, two, "n_jobs=1 and n_jobs=2")


def check_refit_forgets(estimator) -> None:
    """A second fit gives what a fresh estimator gives: nothing of the first remains."""
    data = well_posed(estimator)
    less = kind_of(estimator).smaller(data)
    fresh = _quiet_fit(clone(estimator), *less)
    again = _quiet_fit(estimator.fit(*data), *less)
    assert set(vars(fresh)) == set(vars(again)), "attributes of the first fit remain after the second"
    _assert_same_numbers(fresh, again, "a fresh fit and a refit")


def check_failed_fit_keeps_the_old_model(estimator) -> None:
    """A fit that raises leaves the estimator as it was."""
    data = well_posed(estimator)
    model = estimator.fit(*data)
    before = pickle.dumps(model)
    try:
        model.fit(*kind_of(estimator).spoiled(estimator, data))
    except (ValueError, TypeError):
        pass
    else:
        raise AssertionError("spoiled data were accepted")
    assert pickle.dumps(model) == before, "a failed fit changed the fitted estimator"


def check_caller_data_untouched(estimator) -> None:
    """What the caller gave is read only: neither the fit nor what is read off it may even try to write.

    Nor is it kept: whatever the caller writes there afterwards, the model stays as it is.
    """
    kind, data = kind_of(estimator), well_posed(estimator)
    for given, kept in zip(kind.read_only(data), kind.read_only(data)):
        model = clone(estimator).fit(*given)
        before = kind.outputs(model, kept)
        for part in given:
            if isinstance(part, np.ndarray):
                part.setflags(write=True)
                part[...] = part.flat[0]
        _assert_same(before, kind.outputs(model, kept), "the model as fitted", "itself after the data were overwritten")


def check_callbacks_watch_and_stop(estimator) -> None:
    """scikit-learn callbacks are called once a step, can stop the fit, and leave a usable model."""
    kind, data = kind_of(estimator), well_posed(estimator)
    counter = _Counter()
    fitted = clone(estimator).set_callbacks(counter).fit(*data)
    expected = sum(1 for _ in watch(estimator, *data))
    assert counter.steps == expected, f"{counter.steps} callback tasks for {expected} steps"
    assert counter.seen is not None, "no callback saw a usable model"
    _assert_same(kind.outputs(counter.seen, data), kind.outputs(fitted, data), "the model of the last callback", "fit")
    if expected > 1:
        stopped = _quiet_fit(clone(estimator).set_callbacks(_Counter(stop_after=1)), *data)
        assert stopped.status_ is Status.STOPPED, f"stopped by a callback, but status_ is {stopped.status_}"
        assert kind.outputs(stopped, data), "a stopped fit is not usable"


def check_a_stopped_fit_excuses_no_other_answer(estimator) -> None:
    """A fit that a callback stopped is not refuted; an altered answer is, whatever it says of a stop."""
    data = well_posed(estimator)
    stopped = _quiet_fit(clone(estimator).set_callbacks(_Counter(stop_after=1)), *data)
    if stopped.status_ is not Status.STOPPED:
        return
    found = certify(stopped, *data)
    assert found.verdict is not Verdict.REFUTED, f"certify refutes a fit that was stopped:\n{found}"
    for what, altered in tampered(_fitted(estimator, data)):
        if not _refuted(altered, data):
            continue
        altered.status_, altered.certificate_, altered._began = Status.STOPPED, found, vars(stopped)["_began"]
        assert _refuted(altered, data), f"a forged stop excuses {what}"
        return


def check_watch_ends_where_fit_does(estimator) -> None:
    """The last state of `watch` is the one `fit` adopts, and watching leaves the estimator alone."""
    data = well_posed(estimator)
    seen = list(watch(estimator, *data))
    assert "certificate_" not in vars(estimator), "watch fitted the estimator it was given"
    copy = clone(estimator)
    with copy._blas_of(data[0]):
        fitting = copy._pose(*data)
        for _ in steps(fitting.iterates, fitting.stop):
            pass
    fitted = _fitted(estimator, data)
    adopted = fitting.attributes(seen[-1].state)
    for name, value in adopted.items():
        assert _same(value, getattr(fitted, name)), f"the last watched state gives another {name} than fit"


def check_pickle_and_skops_round_trip(estimator) -> None:
    """A saved and loaded model gives the same answers, and still carries its certificate."""
    import skops.io

    kind, data = kind_of(estimator), well_posed(estimator)
    model = _fitted(estimator, data)
    saved = skops.io.dumps(model)
    homes = ("learnable.", f"{type(estimator).__module__.partition('.')[0]}.")
    named = skops.io.get_untrusted_types(data=saved)
    unknown = [name for name in named if not name.startswith(homes)]
    assert not unknown, f"saving by skops needs types beyond learnable's own: {unknown}"
    loaded = skops.io.loads(saved, trusted=named)
    for copy in (pickle.loads(pickle.dumps(model)), loaded):
        _assert_same_numbers(model, copy, "a model and its saved copy")
        _assert_same(kind.outputs(model, data), kind.outputs(copy, data), "a model", "its saved copy")
        assert copy.certificate_ == model.certificate_, "a loaded model lost its certificate"


HOUSE_CHECKS: tuple[Callable[[Any], None], ...] = (
    check_certificate_holds,
    check_ledger_is_complete,
    check_tamper_law,
    check_certify_ends_whatever_the_parameters_say,
    check_an_answer_is_that_of_its_random_numbers,
    check_certificate_needs_these_data,
    check_same_answer_for_any_n_jobs,
    check_refit_forgets,
    check_failed_fit_keeps_the_old_model,
    check_caller_data_untouched,
    check_callbacks_watch_and_stop,
    check_a_stopped_fit_excuses_no_other_answer,
    check_watch_ends_where_fit_does,
    check_pickle_and_skops_round_trip,
)


class _Counter:
    """A scikit-learn callback that counts steps, keeps the last model it saw, and may ask to stop."""

    def __init__(self, stop_after: int | None = None):
        self.stop_after, self.steps = stop_after, 0
        self.seen: Any = None

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
        self.seen = fitted_estimator
        return self.stop_after is not None and self.steps >= self.stop_after


@contextmanager
def _room(size: int) -> Iterator[None]:
    """Let this process ask for so many bytes more, where the system can be told."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    most = pages * resource.getpagesize() + size
    resource.setrlimit(resource.RLIMIT_AS, (most if before[0] < 0 else min(most, before[0]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


# Fits to check data that may serve another check, by the estimator before its fit; None: every check makes its own.
_fits: ContextVar[dict[bytes, Any] | None] = ContextVar("fits", default=None)


def _sharing(fits: dict[bytes, Any], check: Callable[[Any], None], estimator: Any) -> None:
    before = _fits.set(fits)
    try:
        check(estimator)
    finally:
        _fits.reset(before)


def _fitted(estimator: Any, data: Any) -> Any:
    """The estimator fitted to its check data, for checks that only read it: they may share it."""
    fits = _fits.get()
    if fits is None:
        return clone(estimator).fit(*data)
    key = pickle.dumps(estimator)
    if key not in fits:
        fits[key] = clone(estimator).fit(*data)
    return fits[key]


def _at_its_end(states: Iterator[int]) -> bool:
    return next(states, None) is None


def _accepted(model, data) -> bool:
    """Whether the certificate holds; an answer that cannot be read at all is refused in words, which is as good."""
    try:
        return certify(model, *data).holds
    except (ValueError, TypeError):
        return False


def _refuted(model, data) -> bool:
    try:
        return certify(model, *data).verdict is Verdict.REFUTED
    except (ValueError, TypeError):
        return False


def _quiet_fit(estimator, X, y):
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator.fit(X, y)


def _assert_same(one: dict[str, Any], two: dict[str, Any], first: str, second: str) -> None:
    for name, value in one.items():
        assert _same(value, two[name]), f"{name} differs between {first} and {second}"


def _assert_same_numbers(one, two, what: str) -> None:
    for name, value in one._fitted_attributes().items():
        assert _same(value, getattr(two, name)), f"{name} differs between {what}"


def _same(a, b) -> bool:
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b))
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if is_dataclass(a):
        return type(a) is type(b) and _same(vars(a), vars(b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(value, b[key]) for key, value in a.items())
    if sparse.issparse(a):
        return (a != b).nnz == 0
    return bool(a == b) or (a != a and b != b)
