"""The search over a grid, whose candidates are fitted without certificates."""

from typing import Any

from sklearn import model_selection

from learnable.config import config_context


class GridSearchCV(model_selection.GridSearchCV):
    """scikit-learn's search over a grid of parameters; of its fits the last one is certified, which is kept.

    Nobody reads the certificates of the candidates, one for each fold. Where they take as long as a small fit, a search
    takes half the time without them. Parameters, attributes and choices are those of
    :class:`sklearn.model_selection.GridSearchCV`. With `n_jobs`, the fits of other processes are certified.

    The choice itself is an estimate: `evaluation.compare` tells which candidates are distinguishable. Syllabus: MS7.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from learnable import certify
    >>> from learnable.linear import Ridge
    >>> from learnable.selection import GridSearchCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = GridSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1.0]}, cv=5).fit(X, y)
    >>> search.best_params_
    {'alpha': 0.01}
    >>> search.best_estimator_.certificate_.holds, certify(search, X, y).holds
    (True, True)
    """

    def _run_search(self, evaluate_candidates: Any, *, callback_ctx: Any = None) -> None:
        with config_context(certificates=False):
            super()._run_search(evaluate_candidates, callback_ctx=callback_ctx)
