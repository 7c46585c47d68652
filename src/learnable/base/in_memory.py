"""Why a learner needs all rows in memory, and what to use instead where they come in blocks."""

from typing import Any

# By room of the library.
ROOMS = {
    "kernels": "a kernel joins every row with every other; `Nystroem` and `RBFSampler` make features of rows in "
    "blocks, for any linear learner",
    "trees": "every node sorts its rows anew; for rows in blocks take `HistGradientBoosting…`",
    "ensembles": "every round draws or weighs all rows anew; for rows in blocks take `HistGradientBoosting…`",
    "neural": "it draws its batches from all rows",
    "graphical": "it goes back to the rows themselves; for rows in blocks take `GraphicalLasso`, `CLIME` or "
    "`NodewiseRegression`, or `PC` with the test 'fisher_z', which need their covariance alone",
    "concepts": "it compares every example with the whole hypothesis",
    "sparse": "its working sets go down the columns; for rows in blocks take `Lasso`, `ElasticNet` or their kin, whose "
    "squared errors are known from cross-products, `SparseLogisticRegression` or `SparsePoissonRegressor`",
    "linear": "it goes through single rows in an order of its own; for rows in blocks take `LogisticRegression` or "
    "`SGDClassifier`",
    "bayes": "its densities are fitted to all rows of a class",
}
# By learner, where more can be said.
LEARNERS = {
    "LinearSVC": "its dual has a number for every row; for rows in blocks take `LogisticRegression`",
    "LinearSVR": "its dual has a number for every row; for rows in blocks take `Ridge` or `LinearRegression`",
    "ParametricDensity": "its likelihood is maximised over all rows; for rows in blocks take `GaussianMixture`",
}


def refusal(model: Any, X: Any) -> str:
    """Why this model does not take rows in blocks, as a sentence with the remedy.

    >>> from learnable.rows import as_rows
    >>> from learnable.kernels import SVC
    >>> refusal(SVC(), as_rows([[1.0]]))[:93]
    'SVC needs all rows in memory, but X is a ArrayRows: a kernel joins every row with every other'
    """
    kind = type(model)
    room = kind.__module__.split(".")[1] if kind.__module__.startswith("learnable.") else ""
    reason = LEARNERS.get(kind.__name__) or ROOMS.get(room) or "it goes back and forth between them"
    return (
        f"{kind.__name__} needs all rows in memory, but X is a {type(X).__name__}: {reason}. Where they fit, pass an "
        "array (for a dask array, X.compute()), or some of them"
    )
