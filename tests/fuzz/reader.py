"""Files read in a process of their own, which may end, hang or swell without harm to who asks.

The process takes the name of an entry point and of a file by a line each, reads the file and says what came of it. Its
engine has `MEMORY` bytes, so that a file may honestly take no more than that; `GROWTH` is what is allowed beyond.
"""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

MEMORY = 64e6
GROWTH = 200e6
SECONDS, EACH = 2.0, 1e-6  # of computing: at most, and for each byte
_PATIENCE = 20.0  # seconds of waiting, after which the process hangs
_ADDRESSES = 6 << 30  # bytes it may ask the system for: the machine is safe from it
_LONGEST = 1500  # characters of an error


class Answer(NamedTuple):
    """What came of reading a file."""

    error: str | None
    message: str
    is_clear: bool
    seconds: float = 0.0
    grew: float = 0.0
    phase: str = "read"

    def fault(self, name: str, n_bytes: int = 0) -> str | None:
        """What is wrong with it, if a file of that name and size was read; None if nothing is."""
        if self.seconds > SECONDS + EACH * n_bytes:
            return f"it took {self.seconds:.1f} s of computing"
        if self.grew > MEMORY + GROWTH:
            return f"it took {self.grew / 1e6:.0f} MB"
        if self.error is None:
            return None
        if not self.is_clear:
            return f"{self.error} is no clear error: {self.message:.500}"
        if len(self.message) > _LONGEST:
            return f"the error has {len(self.message)} characters: {self.message:.200}…"
        if self.phase == "read" and name not in self.message:
            return f"the error does not name the file: {self.message:.500}"
        return None


class Reader:
    """The process, from outside; it is started anew when it ended."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._warm: set[str] = set()

    def ask(self, entry_point: str, name: str, content: bytes, seeds: Sequence[bytes] = ()) -> Answer:
        """Have a file of that content read; `seeds` first: what is imported then is not the file's fault."""
        if entry_point not in self._warm:
            self._warm.add(entry_point)
            for seed in seeds:
                self.ask(entry_point, name, seed)
        file = self.folder / name
        file.write_bytes(content)
        answer = self._answer(f"{entry_point}\n{file}\n".encode())
        if answer is None:
            return Answer(self._ended(), "the process that read it", False)
        return Answer(**json.loads(answer))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process, self._warm = None, set()

    def _answer(self, line: bytes) -> bytes | None:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.reader"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, cwd=self.folder,
            )  # fmt: skip
            self._line(10 * _PATIENCE)
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(line)
            self._process.stdin.flush()
        return self._line(_PATIENCE)

    def _line(self, patience: float) -> bytes | None:
        assert self._process is not None
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], patience)[0]:
            return None
        return self._process.stdout.readline() or None

    def _ended(self) -> str:
        assert self._process is not None
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            self.close()
            return "Hanging"
        self.close()
        return f"Ended({status})"


def _read(entry_point: Any, file: Path) -> dict[str, Any]:
    phase, error = "read", None
    _forget_peak()
    before, start = _peak(), time.process_time()
    try:
        found = entry_point.read(file)
        phase = "use"
        entry_point.use(found)
    except Exception as raised:
        error = raised
    answer = {
        "seconds": time.process_time() - start,
        "grew": _peak() - before,
        "phase": phase,
        "error": None if error is None else type(error).__name__,
        "message": "" if error is None else str(error),
        "is_clear": error is not None and _is_clear(error),
    }
    del error
    return answer


def _is_clear(error: Exception) -> bool:
    """An error of the house: what libraries raise on their own account is of their own classes."""
    ours = type(error).__module__.startswith("wasserstein_transform")
    kind = (
        isinstance(error, OSError)
        or type(error) in (ValueError, MemoryError)
        or (ours and isinstance(error, ValueError))
    )
    return kind and bool(str(error).strip())


def _forget_peak() -> None:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """Bytes of memory that were held at most since the peak was forgotten."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024.0 * float(line.split()[1])
    except OSError:
        pass
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _main() -> None:
    import logging  # noqa: PLC0415
    import warnings  # noqa: PLC0415

    import wasserstein_transform as wt  # noqa: PLC0415
    from fuzz.entry_points import ENTRY_POINTS  # noqa: PLC0415

    say = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    warnings.simplefilter("ignore")
    logging.disable()
    held = 1024 * int(Path("/proc/self/statm").read_text().split()[0]) * 4 if Path("/proc/self/statm").exists() else 0
    resource.setrlimit(resource.RLIMIT_AS, (held + _ADDRESSES, resource.RLIM_INFINITY))
    print("ready", file=say, flush=True)
    with wt.using(memory=MEMORY, n_jobs=1):
        while name := sys.stdin.readline().rstrip("\n"):
            answer = _read(ENTRY_POINTS[name], Path(sys.stdin.readline().rstrip("\n")))
            print(json.dumps(answer), file=say, flush=True)


if __name__ == "__main__":
    _main()
