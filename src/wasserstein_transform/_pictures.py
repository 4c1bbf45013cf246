"""Plots and reports of results, by `plotting` and `explorer`, which are imported on demand."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType


def drawn_by(name: str) -> ModuleType:
    """Import a module of `plotting`."""
    return importlib.import_module(f"wasserstein_transform.plotting.{name}")


class Reported:
    """A result with a method that writes an HTML report."""

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path:
        """Write one HTML file with linked, interactive views of the result; it works without a server or network.

        Needs Bokeh, the extra `explore`.

        Parameters
        ----------
        path : str or path
            The file to write; an existing file is replaced.
        title : str, optional
            The heading of the page. None: a default heading.

        Returns
        -------
        Path
            The path of the file.
        """
        written: Path = importlib.import_module("wasserstein_transform.explorer.report").report(self, path, title=title)
        return written
