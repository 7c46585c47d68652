"""The only module that speaks scikit-learn's callback protocol: a watcher that turns states into fit tasks."""

from collections.abc import Callable
from typing import Any


class CallbackWatcher:
    """One scikit-learn fit task per state, so that `ProgressBar`, `ScoringMonitor` and others work on every fit here.

    Parameters
    ----------
    estimator : the estimator being fitted.
    context : its root `CallbackContext`.
    X, y, sample_weight : the training data, handed to callbacks that ask for them.
    attributes : state -> the fitted attributes that make the estimator usable at that state.

    Attributes
    ----------
    asked_to_stop : whether one of the callbacks asked for that after the last state.
    """

    def __init__(self, estimator, context, X, y, sample_weight, attributes: Callable[[Any], dict[str, Any]]):
        self.estimator, self.context, self.attributes = estimator, context, attributes
        self.asked_to_stop = False
        self.data = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}

    def begin(self) -> None:
        self.context.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def __call__(self, number: int, state: Any) -> bool:
        task = self.context.subcontext(task_name="step")
        task.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        self.asked_to_stop = task.call_on_fit_task_end(
            estimator=self.estimator, **self.data, reconstruction_attributes=lambda: self.attributes(state)
        )
        return self.asked_to_stop

    def end(self) -> None:
        self.context.call_on_fit_task_end(estimator=self.estimator, **self.data, reconstruction_attributes={})
