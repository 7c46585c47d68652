"""The command line: `learnable learn | predict | certify | show | cluster | theory | watch | lab | prepare`.

Exit codes: 0 all well; 1 a claim of a certificate fails; 2 bad usage or data; 3 a bug in learnable; 130 interrupted.
With `--json`, stdout carries exactly one JSON object, whose "schema" names its form; an error is
{"schema": "learnable.error/1", "error": "..."}. Heavy imports happen inside the commands, so `--help` is quick.
"""

import json
import math
import os
import shutil
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from learnable import __version__
from learnable._jit.core.interrupt import interrupts_pass
from learnable.app.errors import UserError, printable
from learnable.app.startup import spare_imports

CLAIM_FAILS, BAD_INPUT, BUG, INTERRUPTED = 1, 2, 3, 130

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout; on stderr errors only.")


def a_number(ctx: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse nan, which passes every range."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is not a number.", ctx, parameter)
    return value


def reading(command: Any) -> Any:
    """The options of how a table is read."""
    options = [
        click.option("--delimiter", metavar="SIGN", help="Between the cells of a text file; found by default."),
        click.option("--decimal", type=click.Choice([".", ","]), help="Of a text file; found by default."),
        click.option("--sheet", metavar="NAME", help="Of a workbook (.xlsx); the first by default."),
        click.option("--memory", type=click.FloatRange(0, min_open=True), metavar="GB", callback=a_number,
                     help="A file that needs more is read in blocks; by default what is free."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


class Guarded(click.Group):
    """A group whose commands never end in a stack trace, unless `--debug` asks for it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), "cluster", "lab", "prepare", "theory", "watch"]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name == "cluster":
            from learnable.app.commands.cluster_command import cluster

            return cluster
        if name == "theory":
            from learnable.app.commands.theory_commands import theory

            return theory
        if name == "watch":
            from learnable.app.commands.watch_command import watch

            return watch
        if name == "lab":
            from learnable.app.commands.lab_command import lab

            return lab
        if name == "prepare":
            from learnable.app.commands.prepare_command import prepare

            return prepare
        return super().get_command(ctx, name)

    def invoke(self, ctx: click.Context) -> Any:
        # Known before the command reads its own options, so that a fault in those is an object too.
        ctx.obj = {"json": "--json" in ctx.args}
        try:
            with interrupts_pass():
                return super().invoke(ctx)
        except UserError as error:
            self.fail(ctx, str(error), BAD_INPUT)
        except KeyboardInterrupt:
            self.fail(ctx, "interrupted; no half-written file is left", INTERRUPTED)
        except MemoryError as error:
            self.fail(ctx, f"not enough memory: {error or 'use fewer rows or columns'}", BAD_INPUT)
        except click.UsageError as error:
            if not ctx.obj["json"]:
                raise
            self.fail(ctx, error.format_message(), BAD_INPUT)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            ctx.exit(0)  # the reader has seen enough, as `head` does
        except OutputError as error:
            # With a full or closed stdout there is only stderr to say so.
            ctx.obj["json"] = False
            self.fail(ctx, f"cannot write to stdout: {error}", BAD_INPUT)
        except Exception as error:
            if ctx.params.get("debug"):
                raise
            message = (
                f"a bug in learnable: {type(error).__name__}: {error} (run `learnable --debug ...` for the details)"
            )
            self.fail(ctx, message, BUG)

    def fail(self, ctx: click.Context, message: str, code: int) -> None:
        """One line on stderr, and with --json the same on stdout as an object."""
        line = printable(message, 2000)
        click.echo(f"learnable: {line}", err=True)
        if ctx.obj["json"]:
            click.echo(json.dumps({"schema": "learnable.error/1", "error": line}))
        ctx.exit(code)


@click.group(cls=Guarded, context_settings=SETTINGS)
@click.version_option(__version__, prog_name="learnable")
@click.option("--debug", is_flag=True, help="Show the stack trace of an unexpected error.")
def cli(debug: bool) -> None:
    """Statistical learning you can check: every fit carries a certificate, every score its uncertainty.

    \b
    Exit codes: 0 all well, 1 a claim of a certificate fails, 2 bad usage or data,
    3 a bug in learnable, 130 interrupted.
    """


class OutputError(Exception):
    """What was to go to stdout could not be written."""


def put(text: str, nl: bool = True) -> None:
    """Text on stdout."""
    try:
        click.echo(text, nl=nl)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror) from error


def emit(ctx: click.Context, document: dict[str, Any], text: str) -> None:
    """The result on stdout: an object for machines or text for people."""
    put(json.dumps(document, allow_nan=False) if ctx.obj["json"] else text)


@cli.command()
@click.argument("data", required=False)
@click.option("--target", metavar="COL", help="The column to predict.")
@click.option("--task", type=click.Choice(["classification", "regression", "counts"]), help="Instead of inferring it.")
@click.option(
    "--metric",
    type=click.Choice(
        ["log_loss", "brier", "error", "balanced_error", "auc", "average_precision", "rmse", "mae", "poisson"]
    ),
    help="What learners are tuned, ranked and chosen by.",
)
@click.option(
    "--prefer",
    type=click.Choice(["accuracy", "simple", "fast", "interpretable"]),
    default="accuracy",
    show_default=True,
    help="What may be bought with a little accuracy.",
)
@click.option("--learner", multiple=True, metavar="NAME", help="Try this learner instead of all; repeatable.")
@click.option("--cost", multiple=True, metavar="TRUE:CALLED=N|FILE", help="What mistakes cost; repeatable.")
@click.option("--class-weight", metavar="balanced|CLASS=N,...", help="Weights of the classes.")
@click.option("--time", metavar="COL", help="When a row happened: learn from the past, judge on what came after.")
@click.option("--group", metavar="COL", help="Rows of one group stay together.")
@click.option("--weight", metavar="COL", help="How much a row counts.")
@reading
@click.option("--out", type=click.Path(path_type=Path), default=Path("."), metavar="DIR", help="Where to write; here.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of every random choice.")
@click.option("--jobs", type=click.IntRange(1), help="Threads; by default one per processor.")
@click.option("--dask", metavar="ADDRESS", help="Tune and judge on the Dask cluster of this scheduler.")
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Then start no more fits.",
    callback=a_number,
)
@click.option("--test-size", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              callback=a_number, help="Share of the rows held out for the test; by default 0.2, or none and nested "
              "cross-validation where the rows are fewer than 200.")  # fmt: skip
@click.option("--ordered", multiple=True, metavar="COL=a<b<c", help="Levels of an ordered column; repeatable.")
@click.option("--drop", multiple=True, metavar="COL", help="Leave a column out; repeatable.")
@click.option("--times/--no-times", default=True, show_default=True,
              help="Say how long things took; without, the same seed gives the same bytes.")  # fmt: skip
@click.option("--refit", is_flag=True,
              help="Fit the chosen model anew on all rows in the end, those held out for the test too.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Describe the table and the panel; fit and write nothing.")
@as_json
@click.pass_context
def learn(ctx: click.Context, as_json: bool, dry_run: bool, out: Path, jobs: int | None, **given: Any) -> None:
    """Fit, tune and compare a panel of learners on a table; write report.html and model.skops.

    DATA is a file (CSV, Parquet, Arrow, JSON lines, xlsx; also .gz, .xz, .bz2, .zst, .zip), - for stdin, or the name of
    an embedded table; without it an embedded table is used.

    The task is classification when the target is text, a category or a boolean, or a number with at most 10 distinct
    whole values; whole numbers from 0 that thin out upwards are counts (unless named as a score); anything else is
    regression. Every learner is tuned by cross-validation on the same folds and judged over as many rounds of folds as
    the questions need. The best is chosen, or a simpler one that costs next to nothing, with the price printed.

    Of a CSV or Parquet file larger than memory a random sample is tuned and compared on; the chosen learner is then
    fitted on every row, block by block, if it can learn that way. The report says which.
    """
    ctx.obj["json"] = as_json
    from learnable.app import learn as job
    from learnable.app.files import check_writable
    from learnable.app.progress import for_stream

    options = job.Options(jobs=jobs or os.cpu_count() or 1, **given)
    if dry_run:
        plan = job.plan(options)
        return emit(ctx, plan.to_dict(), plan.text())
    check_writable(out)
    progress = for_stream(silent=as_json)
    try:
        outcome = job.learn(options, progress)
        progress.stage("writing the report")
        replaced = [kind for kind, path in job.outputs(out).items() if path.exists()]
        files = outcome.write(out)
    finally:
        progress.close()
    written = {"files": {kind: str(path) for kind, path in files.items()}, "replaced": replaced}
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    emit(ctx, {**outcome.result.to_dict(), **written}, outcome.text(files, replaced, width))
    if outcome.result.winner.certified is False:
        ctx.exit(CLAIM_FAILS)


@cli.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the CSV here, not to stdout.")
@reading
@as_json
@click.pass_context
def predict(ctx: click.Context, model: Path, data: str, out: Path | None, as_json: bool, **given: Any) -> None:
    """Predict for the rows of DATA with a saved MODEL: CSV, with probabilities where the model has them.

    Columns are found by name: their order does not matter, and further columns are ignored. Text cells that a
    spreadsheet would take for a formula (= + - @) are written with a quote before them. A CSV or Parquet file larger
    than memory is read, and its predictions are written, in blocks.
    """
    ctx.obj["json"] = as_json
    from learnable.app.commands.predict import Told, predict_file
    from learnable.app.files import refuse_overwriting, write_all
    from learnable.app.table.reading import HowToRead

    if out is not None:
        refuse_overwriting(out, {"the model": model, "the table": Path(data)})
    found = Told(predict_file(model, data, HowToRead(**given)), keep=as_json)
    replaced = out is not None and out.is_file()
    if out is not None:
        write_all({out: (text.encode() for text in found.csv())})
    elif not as_json:
        for text in found.csv():
            put(text, nl=False)
    if as_json:
        written = {"file": None if out is None else str(out), "replaced": replaced}
        return emit(ctx, {**found.together().to_dict(), **written}, "")
    for warning in found.warnings:
        click.echo(f"warning: {printable(warning, 500)}", err=True)
    if out is not None:
        put(f"{found.rows} predictions written to {out}{' (replaced an earlier file)' if replaced else ''}")


@cli.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data")
@click.option("--vc", type=click.IntRange(1), metavar="D", help="VC dimension of the classifier's class.")
@click.option("--delta", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              callback=a_number, help="Probability that a claim about new rows fails.")  # fmt: skip
@reading
@as_json
@click.pass_context
def certify(
    ctx: click.Context, model: Path, data: str, vc: int | None, delta: float, as_json: bool, **given: Any
) -> None:
    """Compute the certificate of a saved MODEL again, from DATA and the fitted numbers alone.

    DATA is the table given to `learnable learn` (its training rows are found again) or the training rows alone.
    The exit code is 1 when a claim fails; claims are about the training data, so on other data they may well fail.
    What the card says of the model (class, settings, weights, stored claims) is compared with the model.

    Where DATA holds the rows that were held out from training, the scores in the card are measured again on them.

    The error of a classifier on new rows is bounded exactly from the rows of DATA that are not training rows, and,
    given the VC dimension of its class (such as the number of coded columns + 1 for a linear one), from those that are.
    A CSV or Parquet file larger than memory is read in blocks.
    """
    ctx.obj["json"] = as_json
    from learnable.app.commands.certify import certify_file
    from learnable.app.table.reading import HowToRead

    verdict = certify_file(model, data, vc, delta, HowToRead(**given))
    emit(ctx, verdict.to_dict(), verdict.text())
    if verdict.fails:
        ctx.exit(CLAIM_FAILS)


@cli.command()
@click.argument("model", type=click.Path(path_type=Path))
@as_json
@click.pass_context
def show(ctx: click.Context, model: Path, as_json: bool) -> None:
    """Say what a saved MODEL is, how it was trained, how good it is, what is proved and what weighs most."""
    ctx.obj["json"] = as_json
    from learnable.app.commands.show import show_file

    card = show_file(model)
    emit(ctx, card.to_dict(), card.text())


def main() -> None:
    """The console script."""
    if "--debug" not in sys.argv:
        # What matters to the user is said in the output; warnings of libraries are for developers.
        warnings.simplefilter("ignore")
    if sys.argv[1:2] in (["learn"], ["predict"], ["certify"]) and "--dask" not in " ".join(sys.argv):
        spare_imports()
    try:
        cli.main(prog_name="learnable", standalone_mode=True)
    except SystemExit as end:
        # Fits that were abandoned may still run in daemon threads: leave without waiting for them.
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # a shell may have closed it
                with suppress(OSError):
                    stream.flush()
        os._exit(end.code if isinstance(end.code, int) else 0 if end.code is None else 1)
