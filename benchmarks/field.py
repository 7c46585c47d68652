"""Who runs in which race. Adapters are named, not imported: each is loaded in the process that runs it."""

import importlib
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.problems import Answer, Problem

# From loose to tight, half a decade a rung; a direct method has one rung.
LADDER = tuple(float(f"{tol:.0e}") for tol in np.geomspace(1e-2, 1e-13, 23))
DIRECT = (0.0,)
# glmnet stops by the largest change of the objective that one coefficient made: far smaller than the gap.
GLMNET_LADDER = tuple(float(f"{tol:.0e}") for tol in np.geomspace(1e-4, 1e-15, 23))
OURS = "learnable"


class Contender(NamedTuple):
    """A name, the function that fits as "module:function", and the tolerances it may be run at.

    `source` is a folder that comes first where its process looks for packages: another checkout of a library.
    """

    name: str
    adapter: str
    ladder: tuple[float, ...] = LADDER
    source: str = ""

    def load(self) -> Callable[[Problem, float], Answer]:
        if self.source:
            sys.path.insert(0, self.source)
        module, function = self.adapter.split(":")
        return getattr(importlib.import_module(module), function)


_LEAST_SQUARES = (
    Contender(OURS, "benchmarks.ours:least_squares", DIRECT),
    Contender("scikit-learn", "benchmarks.rival_sklearn:least_squares", DIRECT),
    Contender("LAPACK gelsd", "benchmarks.rival_lapack:least_squares_gelsd", DIRECT),
    Contender("LAPACK gelsy", "benchmarks.rival_lapack:least_squares_gelsy", DIRECT),
    Contender("LAPACK syrk+posv", "benchmarks.rival_lapack:least_squares_cholesky", DIRECT),
)
_RIDGE = (
    Contender(OURS, "benchmarks.ours:ridge", DIRECT),
    Contender("scikit-learn", "benchmarks.rival_sklearn:ridge", DIRECT),
    Contender("LAPACK syrk+posv", "benchmarks.rival_lapack:ridge_cholesky", DIRECT),
)
_RIDGE_PATH = (
    Contender(OURS, "benchmarks.ours:ridge_path", DIRECT),
    Contender("scikit-learn", "benchmarks.rival_sklearn:ridge", DIRECT),
    Contender("LAPACK syrk+syevd", "benchmarks.rival_lapack:ridge_eigen", DIRECT),
)
_LOGISTIC = (
    Contender(OURS, "benchmarks.ours:logistic"),
    Contender("scikit-learn newton-cholesky", "benchmarks.rival_sklearn:logistic_newton_cholesky"),
    Contender("scikit-learn lbfgs", "benchmarks.rival_sklearn:logistic_lbfgs"),
    Contender("scikit-learn newton-cg", "benchmarks.rival_sklearn:logistic_newton_cg"),
    Contender("glum", "benchmarks.rival_glum:logistic"),
)
_MULTINOMIAL = (
    Contender(OURS, "benchmarks.ours:logistic"),
    Contender("scikit-learn lbfgs", "benchmarks.rival_sklearn:logistic_lbfgs"),
    Contender("scikit-learn newton-cg", "benchmarks.rival_sklearn:logistic_newton_cg"),
)
_POISSON = (
    Contender(OURS, "benchmarks.ours:poisson"),
    Contender("scikit-learn newton-cholesky", "benchmarks.rival_sklearn:poisson_newton_cholesky"),
    Contender("scikit-learn lbfgs", "benchmarks.rival_sklearn:poisson_lbfgs"),
    Contender("glum", "benchmarks.rival_glum:poisson"),
)
_LASSO = (
    Contender(OURS, "benchmarks.ours_sparse:lasso_path"),
    Contender("scikit-learn", "benchmarks.rival_sklearn:lasso_path"),
    Contender("celer", "benchmarks.rival_celer:lasso_path"),
    Contender("skglm", "benchmarks.rival_skglm:lasso_path"),
    Contender("glmnet", "benchmarks.rival_glmnet:lasso_path", GLMNET_LADDER),
)
_ELASTIC_NET = (
    Contender(OURS, "benchmarks.ours_sparse:elastic_net_path"),
    Contender("scikit-learn", "benchmarks.rival_sklearn:elastic_net_path"),
    Contender("celer", "benchmarks.rival_celer:elastic_net_path"),
    Contender("skglm", "benchmarks.rival_skglm:elastic_net_path"),
    Contender("glmnet", "benchmarks.rival_glmnet:elastic_net_path", GLMNET_LADDER),
)
_NAIVE_BAYES = (
    Contender(OURS, "benchmarks.ours_naive_bayes:answer", DIRECT),
    Contender("scikit-learn", "benchmarks.rival_sklearn_naive_bayes:answer", DIRECT),
    Contender("plain NumPy", "benchmarks.rival_numpy_naive_bayes:answer", DIRECT),
)
_DISCRIMINANT = (
    Contender(OURS, "benchmarks.ours_discriminant:answer", DIRECT),
    Contender("scikit-learn", "benchmarks.rival_sklearn_discriminant:answer", DIRECT),
    Contender("scikit-learn by covariances", "benchmarks.rival_sklearn_discriminant:answer_by_covariances", DIRECT),
)
_LOGISTIC_CATEGORICAL = Contender("glum categorical", "benchmarks.rival_glum:logistic_categorical")
_POISSON_CATEGORICAL = Contender("glum categorical", "benchmarks.rival_glum:poisson_categorical")
# What contenders import when they are first called, for a process that shall be ready for any of them.
EVERYONE = [
    "learnable.linear.logistic_regression", "learnable.sparse.lasso", "learnable.sparse.paths",
    "learnable.bayes.multinomial_nb", "learnable._jit.core.compile",
    "sklearn.linear_model", "sklearn.naive_bayes", "sklearn.discriminant_analysis", "statsmodels.api", "tabmat", "glum",
    "celer", "skglm",
]  # fmt: skip


def contenders(problem: Problem) -> tuple[Contender, ...]:
    """Everyone who can solve the problem, ours first."""
    match problem.family:
        case "least squares":
            return _LEAST_SQUARES
        case "ridge":
            return _RIDGE if len(problem.alphas) == 1 else _RIDGE_PATH
        case "logistic":
            return _LOGISTIC if isinstance(problem.X, np.ndarray) else (*_LOGISTIC, _LOGISTIC_CATEGORICAL)
        case "multinomial":
            return _MULTINOMIAL
        case "Poisson":
            return _POISSON if isinstance(problem.X, np.ndarray) else (*_POISSON, _POISSON_CATEGORICAL)
        case "lasso":
            return _LASSO
        case "elastic net":
            return _ELASTIC_NET
        case family if family.startswith("naive Bayes"):
            return _NAIVE_BAYES
        case family if family.startswith("discriminant"):
            return _DISCRIMINANT
    raise ValueError(
        f"contenders(family={problem.family!r}): the families are least squares, ridge, logistic, multinomial, "
        "Poisson, lasso, elastic net, naive Bayes, discriminant"
    )
