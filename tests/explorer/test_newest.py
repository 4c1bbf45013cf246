"""The newest request is computed, the last one always, and few of a burst."""

import threading
import time

import pytest

from wasserstein_transform.explorer.newest import SECONDS_BEFORE_CANCEL, Newest


@pytest.fixture
def seen():
    return []


def test_of_a_burst_few_are_computed_and_always_the_last(seen):
    def work(request, engine):
        time.sleep(0.02)
        seen.append(request)

    newest = Newest(work, lambda *_: None)
    for k in range(1000):
        last = newest.ask(k)
    last.result(20)
    newest.close()
    assert seen[-1] == 999
    assert len(seen) <= 5


def test_long_work_that_is_superseded_is_cancelled(seen):
    started = threading.Event()

    def work(request, engine):
        while request == "long":
            started.set()
            engine.check()
            time.sleep(0.005)
        seen.append(request)

    newest = Newest(work, lambda *_: None)
    newest.ask("long")
    assert started.wait(5)
    newest.ask("short").result(20)
    newest.close()
    assert seen == ["short"]


def test_quick_work_that_is_superseded_ends(seen):
    started = threading.Event()

    def work(request, engine):
        started.set()
        time.sleep(SECONDS_BEFORE_CANCEL / 4)
        engine.check()
        seen.append(request)

    newest = Newest(work, lambda *_: None)
    newest.ask(0)
    assert started.wait(5)
    newest.ask(1).result(20)
    newest.close()
    assert seen == [0, 1]


def test_what_work_raises_is_told_and_the_next_request_is_served(seen):
    def work(request, engine):
        if request == 0:
            raise ValueError("no")
        seen.append(request)

    told = []
    newest = Newest(work, lambda request, error: told.append((request, str(error))))
    newest.ask(0).result(20)
    newest.ask(1).result(20)
    newest.close()
    assert told == [(0, "no")]
    assert seen == [1]


def test_closing_cancels_what_runs():
    started, ended = threading.Event(), threading.Event()

    def work(request, engine):
        try:
            while True:
                started.set()
                engine.check()
                time.sleep(0.005)
        finally:
            ended.set()

    newest = Newest(work, lambda *_: None)
    newest.ask(0)
    assert started.wait(5)
    newest.close()
    assert ended.wait(5)
