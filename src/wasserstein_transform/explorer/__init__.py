"""An interactive web page with sliders and linked views, and reports that work offline.

Needs Bokeh, which the extra `explore` installs.
"""

from .opening import explore
from .report import report
from .scene import Curve, Scene

__all__ = ["Curve", "Scene", "explore", "report"]
