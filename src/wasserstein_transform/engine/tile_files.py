"""Finished tiles of tasks in files: zip archives of many tiles, each complete or absent.

A file for each tile would cost more than a short tile does, so tiles are gathered in memory and written together: every
few seconds, when they take much memory, and when a task ends. A member is the record of a tile, named by the key of its
task and its number, and zip's checksum detects damage. Small files are merged, so that there are never many. Writes are
not synced: a power failure may lose files.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from threading import RLock, Timer
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from .._files import writing

_MAX_SECONDS = 5.0  # that a finished tile is in memory only
_MAX_BYTES = 2**26  # of tiles in memory; larger files are not merged
_MAX_NEW_FILES = 200  # until small files are merged


class TileFiles:
    """The finished tiles of all tasks of a store, by name: `key/number`. It may be used from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._mutex = folder, RLock()
        self._pending: dict[str, bytes] = {}
        self._paths: dict[str, Path] = {}
        self._timer: Timer | None = None
        self._reader: ZipFile | None = None
        self._error: OSError | None = None
        files = sorted(path for path in folder.glob("*.zip") if path.stem.isdecimal())
        self._n_bytes, self._n_new, self._last = 0, len(files), int(files[-1].stem) if files else 0
        self.is_damaged = False
        for path in filter(Path.is_file, files):  # a pipe would block
            try:
                with ZipFile(path) as file:
                    self._paths.update(dict.fromkeys(file.namelist(), path))  # later files replace damaged tiles
            except Exception as error:  # zipfile raises many kinds for damaged files
                self.is_damaged = True
                if not isinstance(error, OSError):
                    path.unlink(missing_ok=True)

    def __contains__(self, name: str) -> bool:
        return name in self._paths

    def add(self, name: str, record: bytes) -> None:
        """Keep the record of a tile; it is written a few seconds later."""
        with self._mutex:
            self._pending[name] = record
            self._n_bytes += len(record)
            if self._n_bytes > _MAX_BYTES:
                self._write()
            elif self._timer is None:  # the next tile may take long: do not wait for it
                self._timer = Timer(_MAX_SECONDS, self._write)
                self._timer.daemon = True
                self._timer.start()

    def read(self, name: str) -> bytes | None:
        """Return the record of a tile that was written; None if it is damaged, and then it counts as missing."""
        with self._mutex:
            with suppress(Exception):  # as above
                path = self._paths.pop(name)
                if self._reader is None or self._reader.filename != str(path):
                    self._reader = ZipFile(path)
                if self._reader.getinfo(name).compress_type == ZIP_STORED:  # else few bytes could become many
                    record = self._reader.read(name)
                    self._paths[name] = path
                    return record
            return None

    def flush(self) -> OSError | None:
        """Write the tiles in memory; return the first error since the last flush, such as that of a full disk."""
        with self._mutex:
            self._write()
            if self._n_new > _MAX_NEW_FILES:
                self._merge()
            self._reader, error, self._error = None, self._error, None
            return error

    def forget(self, keys: Collection[str]) -> None:
        """Remove the tiles of tasks, and the files that have no others."""
        with self._mutex:
            names = [name for name in self._paths if name.partition("/")[0] in keys]
            self._remove({self._paths.pop(name) for name in names})

    def _remove(self, paths: set[Path]) -> None:
        self._reader = None
        for path in paths - set(self._paths.values()):
            path.unlink(missing_ok=True)

    def _write(self) -> None:
        with self._mutex:
            if self._timer is not None:
                self._timer.cancel()
            if self._pending:
                self._last, self._n_new = self._last + 1, self._n_new + 1
                path = self._folder / f"{self._last:08d}.zip"
                try:
                    with writing(path) as stream, ZipFile(stream, "w") as file:
                        for name, record in self._pending.items():
                            file.writestr(ZipInfo(name), record)  # without a time: clocks may be wrong
                    self._paths.update(dict.fromkeys(self._pending, path))
                except OSError as error:  # a full disk: the results are still useful
                    self._error = self._error or error
            self._pending, self._n_bytes, self._timer = {}, 0, None

    def _merge(self) -> None:
        """Write the tiles of small files again, together."""
        small = {path for path in set(self._paths.values()) if path.is_file() and path.stat().st_size < _MAX_BYTES}
        for name in [name for name, path in self._paths.items() if path in small]:
            record = self.read(name)
            if record is not None:
                self.add(name, record)
        self._write()
        self._n_new = 0
        if self._error is None:
            self._remove(small)
