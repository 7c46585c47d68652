"""The commands of `learnable theory`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from learnable.app.cli import a_number, as_json, emit
from learnable.app.errors import UserError

_probability = click.FloatRange(0, 1, min_open=True, max_open=True)
delta = click.option(
    "--delta", type=_probability, required=True, callback=a_number, help="Probability that the guarantee fails."
)
vc = click.option("--vc", type=click.IntRange(1), metavar="D", help="VC dimension of the class of hypotheses.")
size = click.option("--size", type=click.IntRange(1), metavar="N", help="Number of hypotheses, for a finite class.")
training_error = click.option(
    "--training-error", type=click.FloatRange(0, 1, max_open=True), default=0.0, show_default=True,
    callback=a_number, help="Share of mistakes on the examples.",
)  # fmt: skip
plot = click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the answers as well: .svg, .png or .pdf."
)


@click.group()
def theory() -> None:
    """Ask the bounds of learning theory: examples needed, error guaranteed, any bound solved for any quantity."""


@theory.command()
@vc
@size
@click.option(
    "--epsilon", type=click.FloatRange(0, 1, min_open=True), required=True, callback=a_number,
    help="Error that is to be guaranteed.",
)  # fmt: skip
@delta
@training_error
@plot
@as_json
@click.pass_context
def samples(ctx: click.Context, as_json: bool, plot: Path | None, **given: Any) -> None:
    """How many examples guarantee an error of at most EPSILON with probability 1 - DELTA?

    \b
    learnable theory samples --vc 3 --epsilon 0.05 --delta 0.01
    """
    from learnable.app.commands.theory import samples

    _respond(ctx, as_json, plot, "epsilon", lambda: samples(**given))


@theory.command()
@vc
@size
@click.option("--examples", "m", type=click.IntRange(1), required=True, metavar="M", help="Number of examples.")
@delta
@training_error
@plot
@as_json
@click.pass_context
def error(ctx: click.Context, as_json: bool, plot: Path | None, **given: Any) -> None:
    """Which error do M examples guarantee with probability 1 - DELTA?

    \b
    learnable theory error --vc 3 --examples 10000 --delta 0.05
    """
    from learnable.app.commands.theory import error

    _respond(ctx, as_json, plot, "m", lambda: error(**given))


@theory.command()
@click.argument("bound")
@click.argument("unknown")
@click.argument("known", nargs=-1, required=True, metavar="NAME=VALUE...")
@click.option("--over", metavar="NAME", help="What runs along the plot; by default the first of the known.")
@plot
@as_json
@click.pass_context
def solve(
    ctx: click.Context, bound: str, unknown: str, known: tuple[str, ...], over: str | None, plot: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Solve a BOUND for an UNKNOWN, given all its other quantities.

    \b
    learnable theory solve hoeffding_two_sided m epsilon=0.02 delta=0.05
    """
    from learnable.app.commands.theory import solve

    ctx.obj["json"] = as_json
    values = dict(_named(text) for text in known)
    if over is not None and over not in values:
        raise UserError(f"--over {over}: give one of the known quantities, {', '.join(values)}")
    _respond(ctx, as_json, plot, over or next(iter(values)), lambda: solve(bound, unknown, values))


@theory.command()
@as_json
@click.pass_context
def bounds(ctx: click.Context, as_json: bool) -> None:
    """List every bound, with its row of the syllabus and its quantities."""
    ctx.obj["json"] = as_json
    from learnable.app.commands.theory import Catalogue

    emit(ctx, Catalogue().to_dict(), Catalogue().text())


def _respond(ctx: click.Context, as_json: bool, plot: Path | None, over: str, ask: Callable[[], Any]) -> None:
    """Ask, draw when a picture is wanted, and print."""
    ctx.obj["json"] = as_json
    from learnable.app.commands.theory import check_plot
    from learnable.app.files import write_all

    check_plot(plot)
    found = ask()
    if plot is not None:
        write_all({plot: found.picture(over, plot.suffix.lower())})
    written = "" if plot is None else f"\n\nplot: {plot}"
    emit(ctx, {**found.to_dict(), "plot": None if plot is None else str(plot)}, found.text() + written)


def _named(text: str) -> tuple[str, float]:
    """NAME=VALUE, a whole number kept exact.

    >>> _named("size=59049"), _named("epsilon=0.05")
    (('size', 59049), ('epsilon', 0.05))
    """
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UserError(f"{text!r}: write a known quantity as NAME=VALUE, such as delta=0.05")
    try:
        return name, int(value)
    except ValueError:
        pass
    try:
        return name, float(value)
    except ValueError as error:
        raise UserError(f"{text!r}: {value!r} is not a number") from error
