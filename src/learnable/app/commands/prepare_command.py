"""The command `learnable prepare`: what first fits would wait for is compiled now."""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

# Rows of a tall table: enough for the kernels that threads share.
TALL = 3000
USES = ("predict", "predict_proba", "decision_function", "transform")


@click.command()
@click.option("--only", metavar="TEXT", default="", help="Estimators whose name contains it; all of them by default.")
@click.option("--jobs", type=int, default=-1, metavar="N", help="Processes that compile; by default one a core.")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="For any processor of this kind, as a wheel has them; by default for this one, in the cache.",
)
def prepare(only: str, jobs: int, into: Path | None) -> None:
    """Compile the kernels that first fits would wait for: minutes once, instead of seconds here and there.

    Every estimator is fitted to small tables, so that what its fits and predictions call is kept on disk.

    \b
    learnable prepare
    learnable prepare --only Boosting
    """
    os.environ["LEARNABLE_READY_DIR"] = ""  # what came ready is compiled as well
    if into is not None:
        _compile_for_all(into)
    from learnable.checks import all_estimators
    from learnable.processes import in_processes

    names = [name for name, _ in all_estimators() if only.lower() in name.lower()]
    for name, fits in zip(names, in_processes(fitted, ((name,) for name in names), jobs)):
        click.echo(f"{name}: {fits} fit{'s' if fits > 1 else ''}")


def _compile_for_all(folder: Path) -> None:
    """Settings of the compiler, read when it is loaded: here and in the processes that are started."""
    from llvmlite import binding as llvm

    from learnable._jit.core.ready import shared_settings

    os.environ.update(shared_settings(llvm.get_process_triple()) | {"LEARNABLE_CACHE_DIR": str(folder.absolute())})


def fitted(name: str) -> int:
    """Fit the estimator of this name to its tables and use it; how many fits came to an end.

    >>> fitted("GaussianNB")
    3
    """
    from sklearn.base import clone

    from learnable.checks import all_estimators, by_default

    model = by_default(dict(all_estimators())[name])
    done = 0
    for settings, X, y in _cases(model):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                learnt = clone(model).set_params(**settings).fit(*(part for part in (X, y) if part is not None))
                for use in USES:
                    if hasattr(learnt, use):
                        getattr(learnt, use)(X)
                done += 1
            except Exception:  # an estimator that does not take such a table compiles nothing for it
                continue
    return done


def _cases(model: Any) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """Settings and tables: a small table, a tall one and a sparse one; only the first where the estimator takes
    something else. On the small one, what has kernels of its own: another number of classes, and of trees each
    criterion and splitter, and categories.
    """
    import numpy as np
    from scipy import sparse
    from sklearn.base import is_classifier

    from learnable.checks import well_posed

    X, y = well_posed(model)[:2]
    yield {}, X, y
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype != np.float64:
        return
    again = np.resize(np.arange(len(X)), TALL)
    wobble = 1.0 + 1e-3 * np.random.default_rng(0).standard_normal((TALL, X.shape[1]))
    yield {}, X[again] * wobble, None if y is None else y[again]
    yield {}, sparse.csr_array(X), y
    if is_classifier(model):
        yield {}, X, np.resize([0, 1, 2] if len(np.unique(y)) == 2 else [0, 1], len(X))
    for name in ("criterion", "splitter"):
        for allowed in getattr(model, "_parameter_constraints", {}).get(name, []):
            for option in sorted(getattr(allowed, "options", ())):
                yield {name: option}, X, y if option != "poisson" else np.abs(y)
    if "categorical_features" in model.get_params():
        coded = X.copy()
        coded[:, 0] = np.resize(np.arange(4.0), len(X))
        yield {"categorical_features": [0]}, coded, y
