"""The command `learnable lab`: the local page in which algorithms run and can be tampered with."""

from importlib.util import find_spec
from pathlib import Path

import click

from learnable.app.errors import UserError


@click.command()
@click.argument("data", required=False, type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(1024, 65535), help="Where to listen; by default 8740 or the next free one.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def lab(data: Path | None, port: int | None, no_browser: bool) -> None:
    """Open the lab: a page on this machine in which any algorithm runs on any table, step by step.

    DATA is a table that the page offers, as for `learnable learn`; embedded ones and points drawn by hand are there in
    any case. Drag a coefficient, a centre or a threshold and see which claim breaks. Nobody else can reach the page: it
    is bound to the loopback and needs the token in the printed address. Nothing is written to disk.

    \b
    learnable lab
    learnable lab flowers.csv
    """
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UserError('the lab needs Starlette and uvicorn: pip install "learnable[lab]"')
    from learnable.lab.limits import Refused
    from learnable.lab.server import Lab, listening, serve

    if data is not None and not data.is_file():
        raise UserError(f"no file {data}")
    try:
        bound = listening(port)
    except Refused as refusal:
        raise UserError(str(refusal)) from refusal
    table = None if data is None else {"name": data.name, "path": str(data.absolute())}
    made = Lab(bound.getsockname()[1], table=table)
    click.echo(f"The lab is open at {made.address}")
    click.echo("Ctrl-C closes it. Nothing is written to disk.")
    if not no_browser:
        import webbrowser

        webbrowser.open(made.address)
    serve(made, bound)
