"""The coefficients along the path, the penalties that were chosen, and the duality gap below."""

from typing import Any

import numpy as np

from learnable.evaluation.displays.style import INK, MUTED, ORANGE, PALETTE, VERMILION, legend, short_names, tidy
from learnable.sparse.paths import enet_path


class PathDisplay:
    """β(α) for falling α, with α_min and α_1se marked; below, the duality gap of every solution.

    Parameters
    ----------
    alphas : (m,) penalties, falling.
    coefs : (p, m) coefficients.
    gaps : (m,) duality gaps over the mean square of the target.
    chosen : name -> penalty, marked by a line.
    names : of the columns, default x0, x1, …
    tolerance : the relative gap asked for, drawn as a line if given.

    Attributes
    ----------
    figure_, axes_ : of the last plot: coefficients and gaps.

    Examples
    --------
    >>> import numpy as np
    >>> display = PathDisplay([1.0, 0.1], np.array([[0.0, 2.0], [0.0, 0.5]]), [1e-9, 1e-8], {"α_min": 0.1})
    >>> display.labelled(1).tolist()
    [0]
    """

    def __init__(self, alphas, coefs, gaps, chosen=None, *, names=None, tolerance: float | None = None):
        self.alphas, self.coefs = np.asarray(alphas, dtype=float), np.asarray(coefs, dtype=float)
        self.gaps, self.chosen = np.asarray(gaps, dtype=float), dict(chosen or {})
        if self.coefs.shape[1:] != self.alphas.shape or self.gaps.shape != self.alphas.shape:
            raise ValueError(
                f"PathDisplay: {len(self.alphas)} penalties, coefficients {self.coefs.shape}, {len(self.gaps)} gaps; "
                "there must be one column and one gap for each penalty"
            )
        self.names = [f"x{j}" for j in range(len(self.coefs))] if names is None else [str(name) for name in names]
        self.tolerance = tolerance

    @classmethod
    def from_estimator(cls, model: Any, X, y, sample_weight=None) -> "PathDisplay":
        """The path of a fitted `LassoCV` or `ElasticNetCV` on all rows, at the l1_ratio that was chosen."""
        X, y = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float), np.asarray(y, dtype=float).ravel()
        ratio = getattr(model, "l1_ratio_", 1.0)
        alphas = np.atleast_2d(model.alphas_)
        ratios = np.atleast_1d(getattr(model, "l1_ratio", 1.0))
        alphas = alphas[int(np.argmax(ratios == ratio)) if len(alphas) > 1 else 0]
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        if model.fit_intercept:
            X, y = X - weight @ X / weight.sum(), y - weight @ y / weight.sum()
        alphas, coefs, gaps = enet_path(
            X, y, l1_ratio=ratio, alphas=alphas[alphas > 0.0], tol=model.tol, max_iter=model.max_iter,
            positive=model.positive, sample_weight=sample_weight, penalty_factor=model.penalty_factor,
        )  # fmt: skip
        size = max(float(weight @ y**2 / weight.sum()), np.finfo(float).tiny)
        chosen = {"α_min": model.alpha_, "α_1se": model.alpha_1se_}
        names = getattr(model, "feature_names_in_", None)
        return cls(alphas, coefs, gaps / size, chosen, names=names, tolerance=model.tol)

    def labelled(self, most: int = 6) -> np.ndarray:
        """The columns whose coefficients become largest, at most so many, the largest first."""
        size = np.abs(self.coefs).max(axis=1)
        order = np.argsort(-size, kind="stable")[:most]
        return order[size[order] > 0.0]

    def plot(self, axes: Any = None) -> "PathDisplay":
        """Draw on two axes (coefficients, gaps), or on a new figure."""
        if axes is None:
            import matplotlib.pyplot as plt

            figure, axes = plt.subplots(
                2, 1, figsize=(6.0, 5.0), sharex=True, height_ratios=(3, 1), layout="constrained"
            )
        else:
            figure = axes[0].figure
        top, bottom = axes
        told = self.labelled()
        rest = np.setdiff1d(np.arange(len(self.coefs)), told)
        top.semilogx(self.alphas, self.coefs[rest].T, color="#C4C9D1", linewidth=0.8)
        for j, name, colour in zip(told, short_names([self.names[j] for j in told], 18), PALETTE):
            top.semilogx(self.alphas, self.coefs[j], color=colour, linewidth=1.5, label=name)
        gaps = np.maximum(self.gaps, 1e-17)
        bottom.loglog(self.alphas, gaps, ".", color=INK, markersize=3)
        if self.tolerance:
            bottom.axhline(self.tolerance, color=VERMILION, linewidth=1, linestyle="--")
            bottom.annotate("asked for", (self.alphas[0], self.tolerance), fontsize=8, color=VERMILION, va="bottom")
        for (name, alpha), style in zip(self.chosen.items(), ("-", "--", ":")):
            for ax in axes:
                ax.axvline(alpha, color=MUTED if ax is bottom else ORANGE, linewidth=1.2, linestyle=style)
            top.annotate(f" {name}", (alpha, 1.0), xycoords=("data", "axes fraction"), fontsize=8, va="top")
        top.invert_xaxis()  # the axes share it
        tidy(top, ylabel="coefficient")
        tidy(bottom, xlabel="penalty α", ylabel="gap / mean square")
        if len(told):
            legend(top, loc="upper left", ncols=2)
        self.figure_, self.axes_ = figure, axes
        return self
