"""What is known about a client from one task to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...._check import warn
from .parcels import Parcels
from .versions import check_worker, versions

_NAME = "_wasserstein_transform_session"


@dataclass
class Traffic:
    """Totals so far: messages, bytes sent and received (without Dask's overhead), and seconds of work."""

    messages: int = 0
    sent: int = 0
    received: int = 0
    worked: float = 0.0


@dataclass(eq=False)
class Session:
    """Checked workers, inputs on the cluster, and traffic."""

    met: set[str] = field(default_factory=set)
    parcels: Parcels = field(default_factory=Parcels)
    traffic: Traffic = field(default_factory=Traffic)
    warned: bool = False

    def meet(self, address: str, there: Any) -> None:
        """Accept a worker after checking its versions; warn once if its processor differs."""
        concern = check_worker(address, there, versions())
        if concern and not self.warned:
            self.warned = True
            warn(concern)
        self.met.add(address)


def session_of(client: Any) -> Session:
    """Return the session of a client; it is stored on the client: a weak dictionary would never release it."""
    session: Session = vars(client).setdefault(_NAME, Session())
    return session
