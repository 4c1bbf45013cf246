"""`wt explore`: serve a page with sliders on this computer."""

from __future__ import annotations

import logging
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from .errors import reporting_errors
from .options import DISTANCES, KIND, SCALES, WEIGHT, argument, command, option
from .printing import say
from .reading import find_column, find_columns, read_table

if TYPE_CHECKING:
    from ..explorer.data import Shelf


@command
@argument("file", "Points as for wt cluster; -: standard input.", metavar="[FILE]", required=False)
@option("--columns", metavar="NAMES", help="Columns to use, by name or number: x,y or 1,2.", show_default="all numeric")
@option("--label", section="Input", metavar="NAME", help="Column of known labels, for coloring.")
@option(
    "--scale", section="Input", type=click.Choice(("auto", *SCALES)), default="auto", metavar="HOW",
    help="Scaling of columns: auto (if units differ), none, standard, robust or range.",
)  # fmt: skip
@option(
    "--missing", section="Input", type=click.Choice(("drop", "fill")), default="drop", metavar="HOW",
    help="Rows with missing cells: drop or fill.",
)  # fmt: skip
@WEIGHT
@DISTANCES
@KIND
@option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port of the server; 0: any free port.")
@option("--browser/--no-browser", default=True, help="Open the page in a browser.")
def explore(
    file: str | None, columns: str | None, label: str | None, scale: str, missing: str, weight: str | None,
    distances: bool, kind: str | None, port: int, browser: bool,
) -> None:  # fmt: skip
    """Explore points with sliders on a page in your browser.

    Only this computer can reach the page, at an address with a secret token, until Ctrl-C. More files can be opened on
    the page itself. Without FILE the page starts with a built-in data set.
    """
    with reporting_errors():
        _check_installed()
        from ..explorer.data import Shelf
        from ..explorer.server import Explorer

        shelf = Shelf()
        if file is not None and distances:
            _put_distances(shelf, file, kind)
        elif file is not None:
            _put(shelf, file, kind, columns, label, weight, scale=scale, missing=missing)

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


def _put_distances(shelf: Shelf, file: str, kind: str | None) -> None:
    from ..explorer.data import of_points
    from ..spaces import Space
    from ..tables import read_matrix

    name = "standard input" if file == "-" else Path(file).name
    source = sys.stdin.buffer if file == "-" else Path(file)
    space = Space.from_distances(read_matrix(source, kind=kind, name=name))
    shelf.put(name, of_points(space, name, reading=f"D = wt.tables.read_matrix({name!r})"))


def _put(
    shelf: Shelf, file: str, kind: str | None, columns: str | None, label: str | None, weight: str | None,
    **reading: str,
) -> None:  # fmt: skip
    from ..explorer.data import Choice, Source

    table, _ = read_table(file, kind)
    chosen = tuple(find_columns(table, columns) or ())
    choice = Choice(chosen, find_column(table, label) or "", find_column(table, weight) or "", **reading)
    shelf.put("standard input" if file == "-" else Path(file).name, Source(table), choice)
