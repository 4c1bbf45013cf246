"""Sizes of problems that are solved together, and what a problem of each takes on the device."""

from __future__ import annotations

from ..device import Device

_SIZES = (16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 104, 128)  # each lets more problems share a multiprocessor
_TEAMS = {32: (32, 64), 64: (64, 64), 96: (96, 96), 128: (128, 128)}
_AT_ONCE = {32: 1 << 20, 48: 1 << 19, 64: 1 << 18, 96: 1 << 16, 128: 1 << 15}


def classes_of(device: Device) -> tuple[int, ...]:
    """Sizes of the larger measure up to which problems are solved together; larger ones are left to the CPU."""
    return tuple(size for size in _SIZES if shared_bytes(size) <= device.shared_bytes)


def side_of(size: int) -> int:
    """The points a side that the kernel of a class is compiled for."""
    return next(side for side in _TEAMS if size <= side)


def threads_of(size: int) -> tuple[int, int]:
    """Threads of a problem and of a block."""
    return _TEAMS[side_of(size)]


def at_once(size: int) -> int:
    """Problems in a launch of at most 0.1 s."""
    return next(count for most, count in _AT_ONCE.items() if size <= most)


def bytes_of(size: int) -> int:
    """Shared memory of a problem: see `exact_memory.h`."""
    side = side_of(size)
    fixed = 6 * 8 * side + 2 * 8 * side * (side // 32) + 4 * side + 128
    return fixed + 8 * size * (size | 1)


def shared_bytes(size: int) -> int:
    """Shared memory of a block."""
    team, block = threads_of(size)
    return block // team * bytes_of(size)
