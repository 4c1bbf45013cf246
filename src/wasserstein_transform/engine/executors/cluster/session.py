"""What is known of a client from one task to the next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...._warn import warn
from .parcels import Parcels
from .versions import check_worker, versions

_NAME = "_wasserstein_transform_session"


@dataclass
class Traffic:
    """Messages with work, bytes of inputs, messages and records, without what Dask adds, and seconds of work so far."""

    messages: int = 0
    sent: int = 0
    received: int = 0
    worked: float = 0.0


@dataclass(eq=False)
class Session:
    """Workers that were met, inputs that are on the cluster, and what traveled."""

    met: set[str] = field(default_factory=set)
    parcels: Parcels = field(default_factory=Parcels)
    traffic: Traffic = field(default_factory=Traffic)
    warned: bool = False

    def meet(self, address: str, there: Any) -> None:
        """Accept a worker by what it says of itself; that processors differ is said once."""
        concern = check_worker(address, there, versions())
        if concern and not self.warned:
            self.warned = True
            warn(concern)
        self.met.add(address)


def session_of(client: Any) -> Session:
    """The session of a client. It lies with the client: futures hold theirs, so that no weak table would let it go."""
    session: Session = vars(client).setdefault(_NAME, Session())
    return session
