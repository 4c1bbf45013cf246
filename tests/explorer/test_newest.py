"""The newest request is computed, the last one always, and few of a burst."""

import threading
import time

import pytest

from wasserstein_transform.engine import Engine
from wasserstein_transform.explorer.newest import SECONDS_BEFORE_CANCEL, Newest


def _settled(newest: Newest, limit: float = 20.0) -> None:
    until = time.monotonic() + limit
    while not newest.is_idle:
        assert time.monotonic() < until
        time.sleep(0.002)


@pytest.fixture
def seen():
    return []


def test_of_a_burst_few_are_computed_and_always_the_last(seen):
    def work(request: int, engine: Engine) -> None:
        time.sleep(0.02)
        seen.append(request)

    newest = Newest(work, lambda *_: None)
    for k in range(1000):
        newest.ask(k)
    _settled(newest)
    newest.close()
    assert seen[-1] == 999
    assert newest.n_started <= 3


def test_long_work_that_is_superseded_is_cancelled(seen):
    def work(request: str, engine: Engine) -> None:
        if request == "long":
            while True:
                engine.check()
                time.sleep(0.005)
        seen.append(request)

    newest = Newest(work, lambda *_: None)
    newest.ask("long")
    time.sleep(2 * SECONDS_BEFORE_CANCEL)
    assert not newest.is_idle
    newest.ask("short")
    _settled(newest)
    newest.close()
    assert seen == ["short"]


def test_quick_work_that_is_superseded_ends(seen):
    started = threading.Event()

    def work(request: int, engine: Engine) -> None:
        started.set()
        time.sleep(SECONDS_BEFORE_CANCEL / 4)
        engine.check()
        seen.append(request)

    newest = Newest(work, lambda *_: None)
    newest.ask(0)
    assert started.wait(5)
    newest.ask(1)
    _settled(newest)
    newest.close()
    assert seen == [0, 1]


def test_what_work_raises_is_told_and_the_next_request_is_served(seen):
    def work(request: int, engine: Engine) -> None:
        if request == 0:
            raise ValueError("no")
        seen.append(request)

    told = []
    newest = Newest(work, lambda request, error: told.append((request, str(error))))
    newest.ask(0)
    _settled(newest)
    newest.ask(1)
    _settled(newest)
    newest.close()
    assert told == [(0, "no")]
    assert seen == [1]


def test_closing_cancels_what_runs():
    ended = threading.Event()

    def work(request: int, engine: Engine) -> None:
        try:
            while True:
                engine.check()
                time.sleep(0.005)
        finally:
            ended.set()

    newest = Newest(work, lambda *_: None)
    newest.ask(0)
    time.sleep(0.05)
    newest.close()
    assert ended.wait(5)
