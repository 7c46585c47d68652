"""The search over parameters that are drawn, whose candidates are fitted without certificates."""

from typing import Any

from sklearn import model_selection

from learnable.config import config_context


class RandomizedSearchCV(model_selection.RandomizedSearchCV):
    """scikit-learn's search over parameters drawn at random; of its fits the last one is certified, which is kept.

    Parameters, attributes and choices are those of :class:`sklearn.model_selection.RandomizedSearchCV`; see
    `GridSearchCV` for what is left out. Syllabus: MS7.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_diabetes
    >>> from learnable.linear import Ridge
    >>> from learnable.selection import RandomizedSearchCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = RandomizedSearchCV(Ridge(), {"alpha": loguniform(1e-3, 1.0)}, n_iter=5, random_state=0).fit(X, y)
    >>> search.best_estimator_.certificate_.holds
    True
    """

    def _run_search(self, evaluate_candidates: Any, *, callback_ctx: Any = None) -> None:
        with config_context(certificates=False):
            super()._run_search(evaluate_candidates, callback_ctx=callback_ctx)
