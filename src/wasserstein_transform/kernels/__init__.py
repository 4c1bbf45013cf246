"""Compiled code: arrays in, arrays out, status back. Imports nothing of the package but `_files` and `_cached`.

Every kernel releases the GIL and starts no thread of its own: parallelism lives in `engine`.
"""

from contextlib import suppress
from importlib import import_module
from threading import Thread


def _import_numba() -> None:
    with suppress(ImportError):  # said by those who need it
        import_module("numba")


# Half of numba cannot be imported again, and Ctrl-C is heard by the main thread alone: this one goes on to the end
_whole = Thread(target=_import_numba, name="importing numba")
_whole.start()
_whole.join()
