"""How results show themselves: by `plotting` and `explorer`, which sit above them and are imported when asked for."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType


def drawn_by(name: str) -> ModuleType:
    """The module of `plotting` with that name."""
    return importlib.import_module(f"wasserstein_transform.plotting.{name}")


class Reported:
    """A result that writes a page about itself."""

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path:
        """Write one HTML file with linked, interactive views of the result; it needs no server and no network.

        Needs Bokeh, the extra `explore`.

        Parameters
        ----------
        path : path
            Where to write; a file of that name is replaced.
        title : str, optional
            The heading of the page.

        Returns
        -------
        Path
        """
        written: Path = importlib.import_module("wasserstein_transform.explorer.report").report(self, path, title=title)
        return written
