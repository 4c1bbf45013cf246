"""Compiled kernels: arrays in, arrays out, a status back. They import only `_files` and `_cached` of the package.

Every kernel releases the GIL and starts no threads: parallelism is in `engine`.
"""

from contextlib import suppress
from importlib import import_module
from threading import Thread


def _import_numba() -> None:
    with suppress(ImportError):  # modules that need Numba raise a clear error
        import_module("numba")


# A partial import of Numba cannot be repeated, and Ctrl-C interrupts only the main thread: so import it in another one
_whole = Thread(target=_import_numba, name="importing numba")
_whole.start()
_whole.join()
