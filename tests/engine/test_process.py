"""What belongs to the whole process is left as it was: warning filters, BLAS threads, locks, half imported modules."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_info

from wasserstein_transform._types import cached_property
from wasserstein_transform.engine import blas, one_blas_thread

SOURCE = Path(__file__).parents[2] / "src"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")


def blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def in_threads(*works: Any) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_blas_has_its_threads_again_whoever_leaves_first() -> None:
    before = blas_threads()
    both, left = threading.Barrier(2), threading.Event()
    within: list[list[int]] = []

    def first() -> None:
        with one_blas_thread():
            both.wait()
            within.append(blas_threads())
        left.set()

    def second() -> None:
        with one_blas_thread():
            both.wait()
            left.wait()
            within.append(blas_threads())

    in_threads(first, second)
    assert within == [[1] * len(before)] * 2
    assert blas_threads() == before


def test_an_error_gives_blas_its_threads_again() -> None:
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), one_blas_thread(), one_blas_thread():
        _ = 1 / 0
    assert blas_threads() == before


def test_a_child_of_a_process_within_the_limit_can_enter_and_restores() -> None:
    before = blas_threads()
    with blas._LIMIT._lock:  # as a fork may find it
        blas._LIMIT._users = 1
        blas._LIMIT.reset_after_fork()
    with one_blas_thread():
        assert blas_threads() == [1] * len(before)
    assert blas_threads() == before


class Slow:
    """Whose attribute is computed in one thread while others ask."""

    def __init__(self) -> None:
        self.begun, self.go, self.count = threading.Event(), threading.Event(), 0

    @cached_property
    def value(self) -> list[int]:
        """Something new each time it is computed."""
        self.count += 1
        if self.count == 1:
            self.begun.set()
            self.go.wait()
        return [self.count]


def test_attributes_are_computed_once_and_are_one_object_for_all_threads() -> None:
    slow, found = Slow(), list[Any]()
    slow.go.set()
    assert slow.value is slow.value
    assert slow.count == 1
    assert Slow.value.__doc__ == "Something new each time it is computed."
    slow = Slow()
    thread = threading.Thread(target=lambda: found.append(slow.value))
    thread.start()
    slow.begun.wait()
    found.append(slow.value)  # does not wait for the other
    slow.go.set()
    thread.join()
    assert found[0] is found[1] is slow.value


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_process_forked_while_an_attribute_is_computed_does_not_wait_for_it() -> None:
    slow = Slow()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    slow.begun.wait()
    child = os.fork()
    if child == 0:
        other = Slow()  # of the same class
        other.go.set()
        os._exit(0 if other.value == [1] else 1)
    waited, status = 0, 0
    deadline = threading.Event()
    for _ in range(100):
        waited, status = os.waitpid(child, os.WNOHANG)
        if waited:
            break
        deadline.wait(0.05)
    if not waited:
        os.kill(child, 9)
        os.waitpid(child, 0)
    slow.go.set()
    thread.join()
    assert waited == child
    assert status == 0


def test_no_class_of_the_library_has_a_lock_for_all_its_attributes() -> None:
    files = [file for file in (SOURCE / "wasserstein_transform").rglob("*.py") if file.name != "_cached.py"]
    assert not [file for file in files if "functools import cached_property" in file.read_text(encoding="utf-8")]


@pytest.mark.slow
def test_numba_is_whole_after_a_ctrl_c_while_it_is_imported() -> None:
    code = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background are started without
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "numba.core.types":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
try:
    import wasserstein_transform.compute.jit.decorators
except KeyboardInterrupt:
    print("stopped")
from wasserstein_transform.compute.jit.arithmetic_jit import lowest
print("whole")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stdout == "stopped\nwhole\n", done.stderr
