"""Values in short texts and notebook tables, and the two methods of results that open upper packages when called.

Results know nothing of pictures: `plot()` asks `plotting` for the function of their class, `report()` asks `explorer`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_SHOWN_ENTRIES = 4  # arrays with more entries are shown by their shape
_MAX_CELL_CHARACTERS = 200  # characters of a table cell


def brief(value: Any) -> str:
    """A short text for a value; large arrays and sparse matrices are shown by their shape."""
    import numpy as np  # noqa: PLC0415  the command line imports this module for its help

    if type(value) is tuple:
        return f"({', '.join(map(brief, value))})"
    if not (isinstance(value, np.ndarray) or hasattr(value, "nnz")):
        return repr(value)
    if isinstance(value, np.ndarray) and value.size <= _MAX_SHOWN_ENTRIES:
        return repr(value.tolist())
    shape = " × ".join(map(str, value.shape))
    return f"<{shape} {value.dtype}>" if isinstance(value, np.ndarray) else f"<{shape} sparse, {value.nnz} entries>"


def counted(n: int, noun: str) -> str:
    """A number of things: 1 cluster, 2,000 clusters, 3 fixes, 4 communities."""
    several = f"{noun[:-1]}ies" if noun.endswith("ty") else f"{noun}{'es' if noun.endswith('x') else 's'}"
    return f"{n:,} {noun if n == 1 else several}"


def quantity(value: float, unit: str = "") -> str:
    """A number with three digits and its unit: 2.68 m, 32.1 km, 5,120."""
    if unit == "m" and value:
        powers = {"km": 1000.0, "m": 1.0, "cm": 0.01, "mm": 0.001}
        unit = next((name for name, size in powers.items() if value >= 0.9995 * size), "mm")
        value /= powers[unit]
    size = abs(value)
    text = f"{value:.3g}" if not 1 <= size < 1e9 else f"{float(f'{value:.3g}'):,.10g}"
    return f"{text} {unit}".rstrip()


def listed(words: Sequence[Any]) -> str:
    """Words or numbers in a sentence: 3, 4 and 5."""
    *others, last = map(str, words) if len(words) else ("",)
    return f"{', '.join(others)} and {last}" if others else last


class HtmlTable:
    """A dataclass that a notebook shows as a table of its fields."""

    def _repr_html_(self) -> str:
        shown = [field.name for field in fields(self) if field.repr]  # type: ignore[arg-type]  # it is a dataclass
        return facts(type(self).__name__, {name: _cell(getattr(self, name)) for name in shown})


class ShortRepr(HtmlTable):
    """A dataclass whose arrays are shown by their shape; the dataclass needs repr=False."""

    def __repr__(self) -> str:
        shown = [
            f"{field.name}={brief(getattr(self, field.name))}"
            for field in fields(self)  # type: ignore[arg-type]  # it is a dataclass
            if field.repr and (field.default is MISSING or getattr(self, field.name) is not field.default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def _cell(value: Any) -> str:
    """The text of a value in a table: numbers with four digits, arrays by shape and range."""
    import numpy as np  # noqa: PLC0415  the command line imports this module for its help

    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray) and value.size > _MAX_SHOWN_ENTRIES and value.dtype.kind in "fiu":
        return f"{brief(value)}, {in_range(value)}"
    text = value if isinstance(value, str) else brief(value)
    return text if len(text) <= _MAX_CELL_CHARACTERS else f"{text[: _MAX_CELL_CHARACTERS - 1]}…"


def in_range(values: Any) -> str:
    """The range of numbers in words, without NaN."""
    import numpy as np  # noqa: PLC0415  the command line imports this module for its help

    array = np.asarray(values, np.float64)
    array = array[~np.isnan(array)]
    return f"{array.min():.4g} to {array.max():.4g}" if array.size else "all unknown" if np.size(values) else "none"


def frame(columns: Mapping[str, Any]) -> Any:
    """Make a DataFrame; pandas is slow to import."""
    return importlib.import_module("pandas").DataFrame(columns)


def facts(title: str, rows: Mapping[str, Any]) -> str:
    """Make an HTML table of names and values."""
    body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows.items())
    return f"<table><caption>{escape(title)}</caption><tbody>{body}</tbody></table>"


def table(title: str, names: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Make an HTML table with a header row."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class HasPlot:
    """A result that draws itself."""

    def plot(self, *, title: str | None = None, **options: Any) -> Figure:
        """Draw the result in a new figure. Needs matplotlib, the extra `plot`.

        Parameters
        ----------
        title : str, optional
            The title. None: a default title, or none.
        **options
            Further options of the function of `wt.plotting` that draws the result, such as `details=True` for a
            clustering or `labels` for points. That function also draws into Axes of yours.

        Returns
        -------
        matplotlib Figure
            A notebook shows it; `figure.savefig(file)` writes it.
        """
        from .plotting import figure_of  # noqa: PLC0415  upwards: listed in the contract of imports

        return figure_of(self, title, **options)


class HasReport(HasPlot):
    """A result that draws itself, and writes an HTML report."""

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
        from .explorer import report  # noqa: PLC0415  upwards: listed in the contract of imports

        return report(self, path, title=title)
