"""A page to explore: sliders, linked views, a snapshot that works offline. Needs Bokeh, the extra `explore`."""

from .opening import explore
from .report import report
from .scene import Curve, Scene

__all__ = ["Curve", "Scene", "explore", "report"]
