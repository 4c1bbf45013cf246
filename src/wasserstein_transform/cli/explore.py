"""`wt explore`: serve a page with sliders on this computer."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from .errors import reporting_errors
from .options import DISTANCES, KIND, command
from .printing import say
from .reading import name_of, open_input, read_table


@command
@click.argument("file", required=False)
@DISTANCES
@KIND
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port of the server; 0: any free port."
)
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
def explore(file: str | None, distances: bool, kind: str | None, port: int, no_browser: bool) -> None:
    """Open a page with sliders in your browser.

    It shows the points of FILE, as for wt cluster (-: standard input), or a built-in data set. Columns and their scale
    are chosen there, and more files can be opened. Only this computer can reach the page, at an address with a secret
    token, until Ctrl-C.
    """
    with reporting_errors():
        from ..explorer import explore as open_page
        from ..io import read_matrix
        from ..spaces import Space

        name, X = "X", None
        if file is not None:
            name = Path(name_of(file)).name
            if distances:
                X = Space.from_distances(read_matrix(open_input(file), kind=kind, name=name))
            else:
                X = read_table(file, kind)[0]
        for logger in ("bokeh", "tornado"):
            logging.getLogger(logger).setLevel(logging.CRITICAL)  # such as requests for pages that do not exist
        page = open_page(X, name=name, port=port)
        say(page.url)
        say("open this address in a browser; Ctrl-C ends it", err=True)
        with TemporaryDirectory() as private:
            if not no_browser:
                threading.Thread(target=_show, args=(page.url, Path(private)), daemon=True).start()
            try:
                page.wait()
            except KeyboardInterrupt:
                page.stop()
                say("ended", err=True)


def _show(url: str, private: Path) -> None:
    """Open a file that leads to the page: all users of the machine can read the arguments of a browser."""
    import webbrowser

    from .._files import write_bytes

    file = private / "explore.html"
    file.touch(0o600)
    write_bytes(file, f'<meta http-equiv="refresh" content="0; url={url}"><a href="{url}">Explorer</a>'.encode())
    webbrowser.open(file.as_uri())
