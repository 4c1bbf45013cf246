"""A cluster of Dask: heavy tasks and jobs are sent to its workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..places import Record
from ..task import Task
from .base import Overseer


@dataclass(frozen=True)
class Cluster:
    """The workers that a `dask.distributed.Client` knows."""

    client: Any

    def run(self, task: Task, out: Record, engine: Overseer) -> None:
        """Send tiles, some at a time, and put the records that come back."""
        raise NotImplementedError

    def each(
        self, function: Callable[..., Any], jobs: Sequence[Any], name: str, engine: Overseer
    ) -> Iterator[tuple[int, Any]]:
        """Send jobs, some at a time; results as they end."""
        raise NotImplementedError
