"""Check that a process can run on stored clouds: its steps must have a finite reach."""

from __future__ import annotations

import numpy as np

from ..localize import Extrinsic, Kernel
from ..transforms import Process, Transform
from ..transport import Bures, DiracDistance

_INSTEAD = "use wt.mean_shift or wt.gaussian_transform, or wt.iterate in memory"


def check_process(process: Process, n_iter: int) -> None:
    """Reject steps that cannot be computed part by part, with the reason."""
    n_steps = 1 if isinstance(process.step, Transform) else max(n_iter, 1)
    for step in [process.start, *(process.at(k) for k in range(n_steps))]:
        if step is not None:
            _check_step(step)


def _check_step(step: Transform) -> None:
    localize, transport = step.localize, step.transport
    if not isinstance(transport, DiracDistance | Bures):
        raise ValueError(
            f"a stored cloud moves its points, but {transport!r} makes a metric without points, of n × n distances; "
            f"{_INSTEAD}"
        )
    if not isinstance(localize, Extrinsic) or not issubclass(localize.makes, transport.accepts):
        raise ValueError(f"{transport!r} needs {transport.accepts.__name__}, got {localize!r}; {_INSTEAD}")
    base = localize.base
    if not isinstance(base, Kernel) or callable(base.profile):
        raise ValueError(
            f"a stored cloud needs neighborhoods by a kernel with a named profile, such as Truncation(eps), "
            f"got {base!r}; {_INSTEAD}"
        )
    if not np.isfinite(base.reach):
        raise ValueError(
            f"a stored cloud needs a kernel of finite reach, and {base!r} reaches everywhere; give it a cut, as in "
            f"Kernel({base.eps!r}, {base.profile!r}, cut=3), or use another profile"
        )
