"""Metrics on the device: what `geometry.h` reads, made once for each form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..._elsewhere import where_it_lies
from ..forms import Cloud, Form
from .device import Array, Device

_MOST = 64  # coordinates: more are left to the CPU


@dataclass(frozen=True)
class Geometry:
    """A metric on the device: the constants a file is compiled with, and the arrays its kernels begin with."""

    constants: dict[str, Any]
    arrays: tuple[Array, ...]


def geometry_of(form: Form, device: Device) -> Geometry | None:
    """The metric on the device; None if it is one for the CPU."""
    if isinstance(form, Cloud) and form.points.shape[1] <= _MOST:
        return form.kept(f"geometry on {device.name}", lambda: _cloud(form, device))
    return None


def _cloud(form: Cloud, device: Device) -> Geometry:
    return Geometry({"METRIC": 0, "M": form.points.shape[1]}, (device.put(where_it_lies(form, "points")),))
