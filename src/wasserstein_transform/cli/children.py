"""Run work in child processes that never outlive this process."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeVar

T = TypeVar("T")


def run_in_processes(work: Callable[[str], T], groups: Iterable[Iterable[str]], n_processes: int) -> Iterator[T]:
    """Yield the results of a function for all names, in the order in which they finish.

    The names of a group are computed in one process. At most `n_processes` run at a time, and groups start in order. An
    exception in one process ends all, and is raised here.
    """
    waiting, running = deque(tuple(names) for names in groups), dict[Connection, BaseProcess]()
    try:
        while waiting or running:
            while waiting and len(running) < n_processes:
                pipe, process = _start(work, waiting.popleft())
                running[pipe] = process
            ready = wait(list(running))
            for pipe in [pipe for pipe in running if pipe in ready]:
                try:
                    result = pipe.recv()
                except EOFError:
                    _end(running.pop(pipe))
                    continue
                if isinstance(result, Exception):
                    raise result
                yield result
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.join()


def _start(work: Callable[[str], T], names: tuple[str, ...]) -> tuple[Connection, BaseProcess]:
    context = get_context("spawn")  # Numba's threads do not survive a fork
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(work, names, theirs), daemon=True)
    process.start()
    theirs.close()  # so that recv raises EOFError when the process ends
    return ours, process


def _run(work: Callable[[str], T], names: tuple[str, ...], pipe: Connection) -> None:
    """The work of a process. It ignores Ctrl-C, which a terminal sends to all processes: the parent ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in names:
        try:
            pipe.send(work(name))
        except Exception as error:
            pipe.send(error)
            return


def _end(process: BaseProcess) -> None:
    process.join()
    if process.exitcode:
        raise ChildProcessError(
            f"a process ended with status {process.exitcode} before its work was done, perhaps for lack of memory; "
            "-j 1 uses only one process"
        )
