"""`wt explore`: serve a page with sliders on this computer."""

from __future__ import annotations

import logging
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from .columns import column_named, columns_named
from .errors import reporting_errors
from .printing import say
from .reading import opened_table

if TYPE_CHECKING:
    from ..explorer.shelf import Shelf


def explore(
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="Points as for wt cluster, or an image; -: stdin.", show_default=False),
    ] = None,
    columns: Annotated[
        str | None, typer.Option(help="Coordinate columns, by name or number: x,y or 1,2.", show_default="all numeric")
    ] = None,
    label: Annotated[str | None, typer.Option(help="Column of known labels, for coloring.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column of weights.")] = None,
    distances: Annotated[bool, typer.Option("--distances", help="FILE holds distances, square or condensed.")] = False,
    kind: Annotated[str | None, typer.Option(help="Format of FILE if its name does not tell: csv, npy, ...")] = None,
    port: Annotated[int, typer.Option(help="Port of the server; 0: any free port.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Explore points with sliders on a page in your browser.

    Only this computer can reach the page, at an address with a secret token, until Ctrl-C. More files can be opened on
    the page itself. Without FILE the page starts with a built-in data set.
    """
    with reporting_errors("wt explore"):
        _check_installed()
        from ..explorer.shelf import Shelf

        shelf = Shelf()
        if file is not None:
            _put(shelf, file, columns, label, weight, distances, kind)
        from ..explorer.server import Explorer

        for name in ("bokeh", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # such as requests for pages that do not exist
        explorer = Explorer(shelf, port)
        say(explorer.url)
        say("open this address in a browser; Ctrl-C ends it", err=True)
        sys.stdout.flush()
        with TemporaryDirectory() as private:
            if browser:
                threading.Thread(target=_show, args=(explorer.url, Path(private)), daemon=True).start()
            try:
                explorer.serve()
            except KeyboardInterrupt:
                say("ended", err=True)


def _check_installed() -> None:
    if find_spec("bokeh") is None:
        raise ImportError(
            'the page needs Bokeh, which is not installed; run: pip install "wasserstein-transform[explore]"'
        )


def _show(url: str, private: Path) -> None:
    """Open a file that leads to the page: all users of the machine can read the arguments of a browser."""
    import webbrowser

    from .._files import write_bytes

    file = private / "explore.html"
    file.touch(0o600)
    write_bytes(file, f'<meta http-equiv="refresh" content="0; url={url}"><a href="{url}">Explorer</a>'.encode())
    webbrowser.open(file.as_uri())


def _put(
    shelf: Shelf, file: str, columns: str | None, label: str | None, weight: str | None, distances: bool,
    kind: str | None,
) -> None:  # fmt: skip
    from ..engine import current
    from ..explorer.shelf import PICTURES, Choice

    name = "standard input" if file == "-" else Path(file).name
    if distances:
        from ..explorer.sets import of_points
        from ..spaces import Space
        from ..tables import read_matrix

        source = sys.stdin.buffer if file == "-" else Path(file)
        space = Space.from_distances(read_matrix(source, kind=kind, name=name))
        shelf.put(name, of_points(space, name, reading=f"D = wt.tables.read_matrix({name!r})"))
        return
    if kind is None and name.lower().endswith(PICTURES):
        current().reserve(Path(file).stat().st_size, file, "choose a smaller image")
        shelf.open(name, Path(file).read_bytes())
        return
    table, _ = opened_table(file, kind)
    chosen = columns_named(table, columns) or ()
    choice = Choice(tuple(chosen), column_named(table, label) or "", column_named(table, weight) or "")
    from ..explorer.sets import of_table

    of_table(table, choice.columns, choice.label, choice.weight)  # raises now if the table cannot be shown
    shelf.put(name, table, choice)
