"""Draw the four pictures of the front page: docs/_static/idea_*.svg. Each is computed by the library itself.

`python docs/make_ideas.py` takes a few seconds.
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("svg")
mpl.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "learnable",
        "font.family": "sans-serif",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.constrained_layout.use": True,
    }
)

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.patches import FancyBboxPatch  # noqa: E402

STATIC = Path(__file__).parent / "_static"
BLUE, ORANGE, GREY = "#2f6db5", "#c8622b", "#8a8f98"
SIZE = (4.6, 2.9)


def main() -> None:
    for number, draw in enumerate((certificate, steps, intervals, blocks), start=1):
        figure, axes = plt.subplots(figsize=SIZE)
        draw(axes)
        figure.savefig(STATIC / f"idea_{number}.svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)


def problem():
    from learnable.datasets import toeplitz_regression
    from learnable.sparse import Lasso

    X, y, *_ = toeplitz_regression(100, 300, random_state=0)
    return X, y, Lasso(alpha=0.1, tol=1e-12)


def certificate(axes) -> None:
    """The gap that the certificate computes when somebody changes one coefficient."""
    from learnable import certify

    X, y, model = problem()
    model.fit(X, y)
    sizes = np.logspace(-8, 0, 33)
    gaps, honest = [], model.coef_.copy()
    for size in sizes:
        model.coef_ = honest.copy()
        model.coef_[0] += size
        claim = certify(model, X, y).claim("L3")
        gaps.append(claim.value)
    gaps = np.array(gaps)
    refuted = gaps > claim.bound
    axes.loglog(sizes[~refuted], gaps[~refuted], "o", color=BLUE, ms=4, label="proved")
    axes.loglog(sizes[refuted], gaps[refuted], "o", color=ORANGE, ms=4, label="refuted")
    axes.axhline(claim.bound, color=GREY, lw=1, ls="--")
    axes.set(xlabel="change of one coefficient", ylabel="duality gap, computed anew")
    axes.legend(frameon=False)


def steps(axes) -> None:
    """The duality gap of a lasso, state by state."""
    from learnable import watch

    X, y, model = problem()
    model.set_params(alpha=0.01)
    gaps = [float(step.state.gap[0]) for step in watch(model, X, y)]
    axes.semilogy(np.arange(1, len(gaps) + 1), np.maximum(gaps, 1e-17), "o-", color=BLUE, ms=4, lw=1)
    axes.set(xlabel="step of the fit", ylabel="distance to the optimum, at most")


def intervals(axes) -> None:
    """Errors of five classifiers with their intervals on the rows that were held out."""
    from learnable.bayes import GaussianNB
    from learnable.datasets import load
    from learnable.evaluation import error_interval
    from learnable.features import TableCoder
    from learnable.linear import LinearDiscriminantAnalysis, LogisticRegression, QuadraticDiscriminantAnalysis
    from learnable.trees import DecisionTreeClassifier

    table = load("loans")
    order = np.random.default_rng(0).permutation(table.n_rows)
    train, test = table.take(order[:400]), table.take(order[400:])
    coder = TableCoder().fit(train.drop("default"))
    X, X_test = coder.transform(train.drop("default")), coder.transform(test.drop("default"))
    y, y_test = (part.column("default").values.astype(str) for part in (train, test))
    learners = {
        "logistic regression": LogisticRegression(),
        "linear discriminant": LinearDiscriminantAnalysis(),
        "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=0.1),
        "naive Bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
    }
    found = {name: error_interval(y_test, model.fit(X, y).predict(X_test)) for name, model in learners.items()}
    for place, (name, one) in enumerate(sorted(found.items(), key=lambda item: -item[1].estimate)):
        axes.plot([one.low, one.high], [place, place], color=BLUE, lw=2)
        axes.plot([one.estimate], [place], "o", color=BLUE, ms=5)
        axes.text(one.high + 0.01, place, name, va="center", fontsize=9)
    axes.set(xlabel="error on rows not seen, 95% interval", yticks=[], xlim=(0.1, 0.62))
    axes.spines["left"].set_visible(False)


def blocks(axes) -> None:
    """Where rows may be, and the one sum over them."""
    for place, name in enumerate(["array in memory", "file larger than memory", "cluster"]):
        height = 2.2 - 1.1 * place
        for part in range(4):
            box = FancyBboxPatch((0.42 * part, height), 0.3, 0.5, boxstyle="round,pad=0.03", fc=BLUE, ec="none")
            box.set_alpha(0.35 + 0.15 * part)
            axes.add_patch(box)
        axes.text(0.0, height - 0.3, name, fontsize=9)
        axes.annotate("", (3.0, 1.35), (1.8, height + 0.25), arrowprops={"arrowstyle": "->", "color": GREY})
    axes.text(3.1, 1.45, "Σ over blocks,", fontsize=10, va="center")
    axes.text(3.1, 1.1, "the same bits", fontsize=10, va="center")
    axes.set(xlim=(-0.1, 4.6), ylim=(-0.5, 3.0))
    axes.axis("off")


if __name__ == "__main__":
    main()
