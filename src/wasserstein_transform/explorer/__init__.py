"""An interactive web page with sliders and linked views, and reports that work offline.

The page and reports need Bokeh, which the extra `explore` installs.
"""

from .opening import explore
from .report import report

__all__ = (
    "explore",
    "report",
)
