"""The command `learnable cluster`."""

from pathlib import Path

import click

from learnable.app.cli import CLAIM_FAILS, as_json, emit


@click.command()
@click.argument("data", required=False)
@click.option("--max-clusters", type=click.IntRange(2, 50), default=8, show_default=True, help="Largest number tried.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("."), metavar="DIR", help="Where to write; here.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of every random choice.")
@click.option("--drop", multiple=True, metavar="COL", help="Leave a column out; repeatable.")
@as_json
@click.pass_context
def cluster(ctx: click.Context, data: str | None, max_clusters: int, out: Path, seed: int, drop, as_json: bool) -> None:
    """How many clusters can the data tell apart, and how stable are they? Writes clusters.html.

    DATA is a CSV or Parquet file, or the name of an embedded table. Columns of numbers are used, standardised; rows
    with missing cells are left out.
    """
    ctx.obj["json"] = as_json
    from learnable.app.commands.cluster import cluster as job
    from learnable.app.files import check_writable

    check_writable(out)
    found = job(data, max_clusters, seed, tuple(drop))
    report = found.write(out)
    emit(ctx, {**found.to_dict(), "files": {"report": str(report)}}, found.text(report))
    if not found.certificate.holds:
        ctx.exit(CLAIM_FAILS)
