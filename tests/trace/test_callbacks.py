"""scikit-learn's own callbacks on our estimators, alone and inside meta-estimators; interruption in mid-fit."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.cases import each

from learnable import watch
from learnable.ensembles import AdaBoostClassifier
from learnable.linear import LinearRegression, LogisticRegression, Perceptron, Ridge
from learnable.sparse import Lasso
from learnable.trace import Status

RNG = np.random.default_rng(11)
X = RNG.standard_normal((120, 5))
SCORE = X @ np.array([1.0, -1.0, 0.5, 0.0, 0.0])
TARGET = SCORE + 0.1 * RNG.standard_normal(120)
LABEL = np.where(SCORE + RNG.logistic(size=120) > 0, "yes", "no")

MODELS = [
    Lasso(alpha=0.01, tol=1e-10),
    LogisticRegression(tol=1e-8),
    Perceptron(tol=None, max_iter=7),
    LinearRegression(),
    Ridge(),
]


def metric(model):
    return "accuracy" if hasattr(model, "class_weight") else "r2"


def target(model):
    return LABEL if is_classifier(model) else TARGET


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("model", MODELS, ids=lambda m: type(m).__name__)
def test_scoring_monitor_logs_every_step(model):
    y = target(model)
    monitor = ScoringMonitor(scoring=metric(model))
    fitted = clone(model).set_callbacks(monitor).fit(X, y)
    scores = [entry[metric(model)] for entry in _entries(monitor) if metric(model) in entry]
    n_steps = sum(1 for _ in watch(model, X, y))
    # One score a step; the fit as a whole is a task of its own.
    assert len(scores) in (n_steps, n_steps + 1)
    assert scores[-1] == pytest.approx(fitted.score(X, y), abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("model", MODELS, ids=lambda m: type(m).__name__)
def test_callbacks_change_nothing(model):
    y = target(model)
    plain = clone(model).fit(X, y)
    watched = clone(model).set_callbacks(ScoringMonitor(scoring=metric(model))).fit(X, y)
    np.testing.assert_array_equal(plain.coef_, watched.coef_)
    assert plain.status_ is watched.status_
    assert plain.certificate_ == watched.certificate_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", [*MODELS[:3], AdaBoostClassifier(n_estimators=3)], ids=lambda m: type(m).__name__)
def test_progress_bar(model, capsys):
    """It is drawn when the callbacks are told that the fit is over; one that is not told waits for ever."""
    fitted = clone(model).set_callbacks(ProgressBar()).fit(X, target(model))
    assert fitted.predict(X).shape == (120,)
    assert type(model).__name__ in capsys.readouterr().out


def test_inside_a_pipeline_and_a_grid_search():
    pipeline = make_pipeline(StandardScaler(), Lasso(alpha=0.01).set_callbacks(ScoringMonitor(scoring="r2")))
    search = GridSearchCV(pipeline, {"lasso__alpha": [0.01, 0.1]}, cv=2)
    assert search.fit(X, TARGET).best_params_ == {"lasso__alpha": 0.01}
    monitor = ScoringMonitor(scoring="accuracy")
    pipeline = make_pipeline(StandardScaler(), LogisticRegression().set_callbacks(monitor))
    pipeline.fit(X, LABEL)
    assert len(_entries(monitor)) >= 2


class Raising:
    """A callback that interrupts the fit after some steps."""

    def __init__(self, error, after):
        self.error, self.after, self.seen = error, after, 0

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context):
        if context.parent is not None:
            self.seen += 1
            if self.seen >= self.after:
                raise self.error


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("error", [KeyboardInterrupt(), RuntimeError("from a callback")], ids=repr)
@each("model", MODELS[:3], ids=lambda m: type(m).__name__)
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(model, error):
    y = target(model)
    fresh = clone(model).set_callbacks(Raising(error, 2))
    with pytest.raises(type(error)):
        fresh.fit(X, y)
    assert not hasattr(fresh, "coef_")

    fitted = clone(model).fit(X, y)
    before = pickle.dumps(fitted)
    fitted.set_callbacks(Raising(error, 2))
    with pytest.raises(type(error)) as caught:
        fitted.fit(X[::-1], y)
    if isinstance(error, KeyboardInterrupt):
        assert any("after step" in note for note in caught.value.__notes__)
    fitted.set_callbacks()
    again = pickle.loads(before)
    np.testing.assert_array_equal(fitted.coef_, again.coef_)
    assert fitted.certificate_ == again.certificate_
    assert fitted.status_ == again.status_


def test_watch_gives_states_of_ones_own():
    states = [step.state for step in watch(Lasso(alpha=0.01, tol=1e-12), X, TARGET)]
    assert len(states) > 1
    objectives = [state.objective for state in states]
    # Coordinate descent never climbs.
    assert all(b <= a + 1e-12 for a, b in itertools.pairwise(objectives))
    assert not np.array_equal(states[0].coef, states[-1].coef)


def test_watch_refuses_strangers_and_bad_parameters():
    from sklearn.linear_model import Lasso as Foreign

    with pytest.raises(TypeError, match=r"watch.Lasso.: only estimators of learnable"):
        next(iter(watch(Foreign(), X, TARGET)))
    with pytest.raises(ValueError, match="alpha"):
        next(iter(watch(Lasso(alpha=-1.0), X, TARGET)))


def test_a_callback_can_stop_a_long_fit():
    class Enough(Raising):
        def on_fit_task_end(self, estimator, context):
            return context.parent is not None

    model = LogisticRegression(tol=1e-12).set_callbacks(Enough(None, 0)).fit(X, LABEL)
    assert model.status_ is Status.STOPPED
    assert model.n_iter_[0] == 0


def _entries(monitor):
    return list(monitor.get_logs().data)
