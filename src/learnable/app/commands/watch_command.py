"""The command `learnable watch`: any algorithm on a table, as a film in one HTML file."""

import ast
import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from learnable.app.cli import CLAIM_FAILS, as_json, emit
from learnable.app.errors import UserError


@click.command()
@click.argument("model", metavar="MODEL")
@click.argument("data", required=False)
@click.option("--target", metavar="COL", help="The column to predict, for learners with a target.")
@click.option("--columns", metavar="A,B,...", help="The columns to learn from; all others by default.")
@click.option(
    "--sequence", metavar="COL", help="For sequence models: rows in a row with equal cells here are one sequence."
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the model; repeatable.")
@click.option("--as-is", is_flag=True, help="Take columns of numbers as they are, not standardised.")
@click.option("--frames", type=click.IntRange(2, 1000), default=200, show_default=True, help="Frames at most.")
@click.option("--rows", type=click.IntRange(1, 5000), default=400, show_default=True, help="Rows drawn at most.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of every random choice.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=Path("film.html"), show_default=True, metavar="FILE",
    help="Where to write the film.",
)  # fmt: skip
@as_json
@click.pass_context
def watch(ctx: click.Context, model: str, data: str | None, out: Path, frames: int, rows: int, as_json: bool, **asked):
    """Make a film of MODEL learning from DATA: one HTML file that plays offline.

    MODEL is the name of any estimator of the library, such as perceptron, lasso, k-means or decision-tree-classifier.
    DATA is a table as for `learnable learn`; without it an embedded table is used. Numbers are standardised, categories
    become columns of 0 and 1. The film shows each state of the algorithm with the certificate of its answer. Planners
    (value-iteration, policy-iteration, q-learning) need no table: they plan in a grid world.

    \b
    learnable watch perceptron flowers.csv --target kind -o film.html
    learnable watch lasso prices.csv --target price --set alpha=0.1
    learnable watch k-means shops.csv --set n_clusters=4 --columns size,sales
    """
    ctx.obj["json"] = as_json
    from learnable import watch as watched
    from learnable.app.files import check_writable, refuse_overwriting, write_all

    if data is not None:
        refuse_overwriting(out, {"the table": Path(data)})
    check_writable(out.parent)
    learner = _estimator(model, asked["settings"], asked["seed"])
    inputs, names = _inputs(learner, data, asked)
    more = _lengths(learner, data, asked["sequence"])
    try:
        film = watched(learner, *inputs, **more).film(frames=frames, rows=rows, names=names)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise UserError(f"{type(learner).__name__} cannot learn from this table: {error}") from error
    page = film.html().encode()
    replaced = out.is_file()
    write_all({out: page})
    last = film.frames[-1]
    document = {
        "schema": "learnable.watch/1", "model": type(learner).__name__, "states": last.step,
        "frames": len(film.frames), "status": last.status, "verdict": last.verdict, "file": str(out),
        "replaced": replaced,
    }  # fmt: skip
    text = (
        f"{type(learner).__name__}: {last.step} states, {last.status.replace('_', ' ')} ({last.sentence}); "
        f"its claims: {last.verdict}\n"
        f"film of {len(film.frames)} frames written to {out} ({len(page) / 1000:.0f} kB"
        f"{', replaced an earlier file' if replaced else ''})"
    )
    emit(ctx, document, text)
    if last.verdict == "refuted":
        ctx.exit(CLAIM_FAILS)


def _estimator(name: str, settings: Sequence[str], seed: int) -> Any:
    """The estimator of that name, with what the user set."""
    from learnable.checks.discovery import all_estimators

    known = {_plain(each): kind for each, kind in all_estimators()}
    kind = known.get(_plain(name))
    if kind is None:
        close = difflib.get_close_matches(_plain(name), known, 3)
        like = f"; did you mean {' or '.join(known[each].__name__ for each in close)}?" if close else ";"
        raise UserError(
            f"there is no model {name!r}{like} any estimator of the library will do, such as perceptron, lasso, "
            " logistic-regression, decision-tree-classifier, k-means, gaussian-mixture, pc"
        )
    given = dict(_setting(text) for text in settings)
    try:
        parameters = kind().get_params()
    except TypeError as error:
        raise UserError(f"{kind.__name__} needs more than a table; watch it from Python ({error})") from error
    if strange := sorted(set(given) - set(parameters)):
        raise UserError(f"--set: {kind.__name__} has no parameter {strange[0]!r}; it has {', '.join(parameters)}")
    if "random_state" in parameters:
        given.setdefault("random_state", seed)
    return kind(**given)


def _plain(name: str) -> str:
    return "".join(sign for sign in name.lower() if sign.isalnum())


def _setting(text: str) -> tuple[str, Any]:
    """NAME=VALUE; a value that Python does not read is a word.

    >>> _setting("alpha=0.1"), _setting("kernel=rbf"), _setting("hidden_layer_sizes=(8, 8)")
    (('alpha', 0.1), ('kernel', 'rbf'), ('hidden_layer_sizes', (8, 8)))
    """
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise UserError(f"--set {text}: write NAME=VALUE")
    try:
        return name.strip(), ast.literal_eval(value.strip())
    except (ValueError, SyntaxError):
        return name.strip(), value.strip()


def _inputs(learner: Any, data: str | None, asked: dict[str, Any]) -> tuple[tuple, list[str] | None]:
    """What `fit` takes, and the names of the columns."""
    from sklearn.base import is_classifier, is_regressor

    from learnable.app.table.posing import pose
    from learnable.app.table.reading import Options, Source, column_of, open_table, read
    from learnable.concepts.concept_learner import ConceptLearner
    from learnable.datasets import entry
    from learnable.datasets import names as embedded
    from learnable.reinforcement.planner import Planner

    kind = type(learner).__name__
    if isinstance(learner, Planner):
        if data is not None:
            raise UserError(f"{kind} plans in a decision process, not in a table: leave out DATA for a grid world")
        from learnable.reinforcement import russell_norvig_world

        return (russell_norvig_world().mdp.with_discount(0.95),), None
    supervised = is_classifier(learner) or is_regressor(learner)
    if not supervised:
        if asked["target"] is not None:
            raise UserError(f"--target: {kind} learns without a target; leave the option out")
        table = open_table(data or embedded()[0])
        if asked["sequence"] is not None:
            column_of(table, asked["sequence"], "--sequence")
            table = table.drop(asked["sequence"])
        table = _chosen(table, asked["columns"], None)
        return _coded(table, asked["as_is"])
    task: Any = "classification" if is_classifier(learner) else "regression"
    if data is None:
        data = next(name for name in embedded() if entry(name).task == task)
    options = Options(data, asked["target"], task)
    table, target, _ = read(options)
    column_of(table, target, "--target")
    try:
        question = pose(Source(_chosen(table, asked["columns"], target), target), options)
    except UserError as error:
        other = f"{kind} is for {task}: choose another model, or another column with --target"
        said = str(error).replace(" or use --task regression", f"; {other}")
        raise UserError(said.replace("leave out --task", other)) from error
    features, y = question.features.take(question.goal.known), question.goal.y
    if len(y) == features.n_rows and isinstance(learner, ConceptLearner):
        return (features.to_arrow().to_pandas() if _has_pandas() else _words(features), y), list(features.names)
    (X,), names = _coded(features, asked["as_is"])
    return (X, y), names


def _lengths(learner: Any, data: str | None, column: str | None) -> dict[str, Any]:
    """How long the sequences are: as long as the cells of a column stay the same."""
    from learnable.app.table.reading import open_table
    from learnable.datasets import names as embedded

    if column is None:
        return {}
    if type(learner).__module__.split(".")[1] != "sequences":
        raise UserError(f"--sequence: {type(learner).__name__} is no model of sequences; leave the option out")
    return {"lengths": open_table(data or embedded()[0]).column(column).run_lengths}


def _chosen(table: Any, columns: str | None, target: str | None) -> Any:
    """Only the columns that were asked for, and the target."""
    from learnable.app.table.reading import column_of

    if columns is None:
        return table
    wanted = [name.strip() for name in columns.split(",") if name.strip()]
    for name in wanted:
        column_of(table, name, "--columns")
    return table.drop([name for name in table.names if name not in {*wanted, target}])


def _coded(features: Any, as_is: bool) -> tuple[tuple, list[str]]:
    import numpy as np

    from learnable.app.table.coding import fit_coder
    from learnable.datasets import Kind

    if not as_is:
        coder = fit_coder(features)
        return (coder.transform(features),), [str(name) for name in coder.get_feature_names_out()]
    for column in features.columns:
        if column.kind is not Kind.NUMBER or np.isnan(column.values.astype(float)).any():
            raise UserError(
                f"--as-is: column {column.name!r} is no column of numbers without gaps; choose others with --columns"
            )
    return (np.column_stack([column.values for column in features.columns]),), list(features.names)


def _has_pandas() -> bool:
    from importlib.util import find_spec

    return find_spec("pandas") is not None


def _words(features: Any) -> Any:
    import numpy as np

    return np.column_stack([column.values.astype(object) for column in features.columns])
