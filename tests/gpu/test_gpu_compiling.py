"""All sources go through NVIDIA's compilers, where these are: as the library has them compiled."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from ctypes.util import find_library
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from wasserstein_transform.cuda.device import FOLDER, OPTIONS, source_of

_NVCC = shutil.which("nvcc")
_ARCHITECTURE = "sm_90"
_REGISTERS = 65536  # of a block, at most

FILES = sorted(path.name for path in FOLDER.glob("*.cu"))
_METRICS: list[dict[str, Any]] = [
    *({"METRIC": 0, "M": m} for m in (1, 2, 3, 64)),
    *({"METRIC": m, "M": m} for m in (1, 2, 3)),
]
_SOLID: list[dict[str, Any]] = [{"METRIC": 4, "M": m} for m in (2, 5, 64)]
_SINGLE: list[dict[str, Any]] = [{"METRIC": kind, "M": m, "REAL": "float"} for kind, m in ((0, 2), (2, 2), (3, 3))]
_PIXELS: list[dict[str, Any]] = [
    {"VALUE": kind, "CHANNELS": channels, "AXES": axes, "SHAPES": shapes}
    for kind, channels, axes, shapes in [
        ("float", 1, 2, 0), ("float", 3, 2, 0), ("float", 3, 2, 4), ("double", 5, 2, 4), ("double", 1, 3, 7),
        ("double", 32, 3, 7),
    ]
]  # fmt: skip
_TEAMS = ((32, 32), (64, 64), (96, 96), (128, 128))
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "balls.cu": _METRICS,
    "cells.cu": [{"KEY": kind} for kind in ("int", "Index")],
    "colors.cu": [
        {"DEPTH": depth, "SPACE": space, "VALUE": "float" if depth < 8 else "double"}
        for depth in (1, 2, 4, 8)
        for space in range(4)
    ],
    "distances.cu": [*_METRICS, *_SINGLE, *({**metric, "STORED": "float"} for metric in (_METRICS[1], *_SINGLE))],
    "exact.cu": [
        {"METRIC": metric, "M": m, "POWER": power, "SIDE": side, "TEAM": team}
        for metric, m, power in ((0, 2, 1), (0, 5, 0), (1, 1, 2))
        for side, team in _TEAMS
    ],
    "gaussians.cu": [*_METRICS[4:], *_SINGLE[1:]],
    "links.cu": [{}],
    "listed_moments.cu": [{"COLUMNS": m} for m in (1, 2, 3)],
    "merging.cu": _METRICS,
    "moments.cu": [{**metric, "COLUMNS": metric["M"]} for metric in _METRICS if metric["M"] <= 3],
    "nearest.cu": _METRICS,
    "pixels.cu": _PIXELS,
    "queued_moments.cu": [{"METRIC": 3, "M": 3, "COLUMNS": 3}],
    "regions.cu": [{}],
    "solid.cu": _SOLID,
    "trees.cu": [{**metric, "REACH": reach} for metric in _METRICS for reach in (0, 1)],
    "wide_moments.cu": [{"METRIC": 0, "M": m, "COLUMNS": columns} for m, columns in ((5, 5), (2, 7), (64, 64))],
}
"""For each file the constants that it is compiled with: the least, the usual, the most."""

BLOCKS = dict.fromkeys(("distances.cu", "nearest.cu", "trees.cu"), 256)
"""Threads of the largest blocks of a file, where these are not 128."""


def _nvrtc() -> Path | None:
    """The compiler that CuPy has sources compiled by: a library of its own, of pip or of the toolkit."""
    packages = find_spec("nvidia")
    folders = [] if packages is None else [Path(folder) for folder in packages.submodule_search_locations or []]
    found = [path for folder in folders for path in folder.glob("**/libnvrtc.so.*") if "alt" not in path.name]
    named = os.environ.get("WT_NVRTC") or find_library("nvrtc")
    return Path(named) if named else found[0] if found else None


@cache
def _library() -> ctypes.CDLL | None:
    path = _nvrtc()
    return None if path is None else ctypes.CDLL(str(path))


def _each() -> list[Any]:
    return [
        pytest.param(file, constants, id=f"{file} {' '.join(map(str, constants.values()))}")
        for file, all_of_them in VARIANTS.items()
        for constants in all_of_them
    ]


def test_all_files_are_listed() -> None:
    assert set(VARIANTS) == set(FILES)


_HOST_ONLY = re.compile(
    r"\b(NAN|INFINITY|HUGE_VAL|M_\w+|DBL_\w+|FLT_\w+|INT_M\w+|LLONG_\w+|UINT_MAX|u?int\d+_t|printf|assert|std::\w+)\b"
)


@pytest.mark.parametrize("file", FILES)
def test_no_words_of_headers_that_nvrtc_does_not_have(file: str) -> None:
    code = re.sub(r"//.*|/\*.*?\*/", "", source_of(file))
    assert not _HOST_ONLY.findall(code)
    assert "#include" not in code
    for line in code.splitlines():
        if line.startswith('extern "C" __global__'):
            assert line.rstrip().endswith("{"), f"the head of a kernel is one line: {line}"


@pytest.mark.slow
@pytest.mark.skipif(_NVCC is None, reason="no nvcc")
@pytest.mark.parametrize(("file", "constants"), _each())
def test_nvcc(file: str, constants: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / file
    source.write_text(source_of(file), encoding="utf-8")
    macros = [f"-D{name}={value}" for name, value in constants.items()]
    made = subprocess.run(
        [str(_NVCC), f"-arch={_ARCHITECTURE}", *OPTIONS, "-cubin", "-Xptxas", "-v", "-Werror", "all-warnings",
         *macros, source, "-o", tmp_path / "made"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr[-4000:]
    registers = [int(found) for found in re.findall(r"Used (\d+) registers", made.stderr)]
    assert registers
    assert max(registers) * BLOCKS.get(file, 128) <= _REGISTERS, "a block has not so many registers"


@pytest.mark.slow
@pytest.mark.skipif(_nvrtc() is None, reason="no NVRTC")
@pytest.mark.parametrize(("file", "constants"), _each())
def test_nvrtc(file: str, constants: dict[str, Any]) -> None:
    nvrtc = _library()
    assert nvrtc is not None
    program = ctypes.c_void_p()
    source = source_of(file).encode()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, file.encode(), 0, None, None) == 0
    options = [f"--gpu-architecture={_ARCHITECTURE}", *OPTIONS, *(f"-D{k}={v}" for k, v in constants.items())]
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    status = nvrtc.nvrtcCompileProgram(program, len(options), given)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    assert status == 0, log.value.decode()[-4000:]
