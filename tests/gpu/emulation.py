"""A device on the host: the CUDA sources compiled by a C++ compiler, NumPy's arrays.

Threads and blocks run in an order by `WT_EMULATED_SEED`: whatever it is, results must be the same. `WT_EMULATED=strict`
stops at undefined behavior, and gives kernels arrays that end where memory ends. That takes longer, and ends the
process where a GPU would do the same or worse.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from gpu.arrays import OnEmulated, functions, guarded

from wasserstein_transform.cuda.device import Device, source_of

COMPILER = shutil.which(os.environ.get("CXX", "g++"))
_HEADERS = [Path(__file__).with_name(name) for name in ("fibers.h", "emulated.h")]
_SEED = int(os.environ.get("WT_EMULATED_SEED", "1"))
_STRICT = os.environ.get("WT_EMULATED") == "strict"
_CHECKED = ["-O2", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"]
_OPTIONS = [
    "-std=c++17", "-O1", "-fPIC", "-fno-gnu-unique", "-Wall", "-Wno-unused-function",
    "-ffp-contract=off", "-U_FORTIFY_SOURCE", *(_CHECKED if _STRICT else []),
]  # fmt: skip
"""Some compilers fortify by default: longjmp to the stack of another fiber would abort there."""
_MOST_THREADS, _MOST_SHARED, _MOST_BLOCKS = 1024, 227 << 10, 2**31 - 1  # of a block, and of a grid
_SETTING = "long long grid_, long long size_, long long shared_, long long seed_, long long together_"
_KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(([^)]*)\)')
_FOLDER = Path(tempfile.gettempdir()) / f"wasserstein-transform-emulated-{os.getuid() if hasattr(os, 'getuid') else 0}"


class Emulated(Device):
    """Kernels on the host, thread after thread; those that wait for each other as fibers."""

    name, xp = "the emulated GPU", functions(np)

    def __init__(self) -> None:
        self.launched: list[str] = []

    def put(self, values: Any) -> Any:
        assert not isinstance(values, OnEmulated), "np.ascontiguousarray of an array of the device is an error on a GPU"
        return super().put(values)

    def fetch(self, array: np.ndarray) -> np.ndarray:
        assert isinstance(array, OnEmulated), "only arrays of the device are fetched"
        return np.array(array.view(np.ndarray))

    def free_bytes(self) -> float:
        return 2.0**32

    def wait(self) -> None:
        pass

    def launch(
        self, file: str, kernel: str, n_threads: int, args: tuple[Any, ...], *, block: int = 128, shared: int = 0,
        **constants: Any,
    ) -> None:  # fmt: skip
        self.launched.append(kernel)
        if n_threads == 0:
            return
        n_blocks = -(-n_threads // block)
        assert 0 < block <= _MOST_THREADS, f"no GPU has blocks of {block} threads"
        assert shared <= _MOST_SHARED, f"no block has {shared} bytes of shared memory"
        assert n_blocks <= _MOST_BLOCKS, f"no grid has {n_blocks} blocks"
        library, cooperative = compiled(file, tuple(sorted(constants.items())))
        run = getattr(library, f"emulated_{kernel}")
        with guarded(args) if _STRICT else nullcontext(args) as given:
            run(*map(ctypes.c_longlong, (n_blocks, block, shared, _SEED, cooperative)), *map(_argument, given))


def _argument(value: Any) -> Any:
    if isinstance(value, ctypes.c_void_p):
        return value
    if isinstance(value, np.ndarray):
        assert isinstance(value, OnEmulated), "kernels read arrays of the device"
        assert value.flags.c_contiguous, "kernels read arrays in a row"
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, bool | int | np.integer):
        return ctypes.c_longlong(int(value))
    assert isinstance(value, float), f"{value!r} cannot be given to a kernel"
    return ctypes.c_double(value)


@cache
def compiled(file: str, constants: tuple[tuple[str, Any], ...]) -> tuple[ctypes.CDLL, bool]:
    """The library of a file, and whether its threads wait for each other."""
    text = emulated_source(file)
    macros = [f"-D{name}={value}" for name, value in constants]
    path = _FOLDER / f"{file.removesuffix('.cu')}-{_key(text, _header(), *macros)}.so"
    if not path.exists():
        _compile(text, path, "c++", "-shared", "-include", str(_FOLDER / _header()), *macros)
    return ctypes.CDLL(str(path)), re.search(r"__sync|_sync\(", source_of(file)) is not None


@cache
def _header() -> str:
    """The name of a header with CUDA's words, compiled beforehand: most of what a compiler reads of a kernel."""
    text = "\n".join(header.read_text(encoding="utf-8") for header in _HEADERS)
    name = f"emulated-{_key(text, *_OPTIONS)}.h"
    _FOLDER.mkdir(mode=0o700, exist_ok=True)
    if not (_FOLDER / f"{name}.gch").exists():
        part = _FOLDER / f"{name}.{os.getpid()}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(_FOLDER / name)
        _compile("", _FOLDER / f"{name}.gch", "c++-header", source=str(_FOLDER / name))
    return name


def _compile(text: str, path: Path, language: str, *options: str, source: str = "-") -> None:
    assert COMPILER is not None
    part = path.with_suffix(f".{os.getpid()}.part")
    command = [COMPILER, "-x", language, source, "-o", part, *_OPTIONS, *options]
    made = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    assert made.returncode == 0, made.stderr[-4000:]
    part.replace(path)


def _key(*what: str) -> str:
    return hashlib.sha256("\0".join(what).encode()).hexdigest()[:24]


def emulated_source(file: str) -> str:
    """A file as C++, with an entry for each kernel."""
    source = source_of(file)
    entries = ["#ifndef REAL", "#define REAL double", "#endif"]
    for name, parameters in _KERNEL.findall(source):
        names = [re.findall(r"\w+", parameter)[-1] for parameter in parameters.split(",")]
        entries.append(
            f'extern "C" void emulated_{name}({_SETTING}, {parameters}) {{ '
            "emulation::Flushing flushing_(sizeof(REAL) == 4); "
            f"emulation::launch(grid_, (int)size_, shared_, seed_, together_ != 0, [&] {{ {name}({', '.join(names)}); "
            "}); }"
        )
    return "\n".join([source, *entries]) + "\n"
