"""Size classes of problems that are solved together, and their resources on the device."""

from __future__ import annotations

from ..device import Device

_SIZES = (16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 104, 128)  # smaller classes let more problems share a multiprocessor
_TEAMS = {32: (32, 64), 64: (64, 64), 96: (96, 96), 128: (128, 128)}
_AT_ONCE = {32: 1 << 20, 48: 1 << 19, 64: 1 << 18, 96: 1 << 16, 128: 1 << 15}


def classes_of(device: Device) -> tuple[int, ...]:
    """The size classes, by the size of the larger measure; larger problems are solved by the CPU."""
    return tuple(size for size in _SIZES if shared_bytes(size) <= device.shared_bytes)


def side_of(size: int) -> int:
    """The number of points per side for which the kernel of a class is compiled."""
    return next(side for side in _TEAMS if size <= side)


def threads_of(size: int) -> tuple[int, int]:
    """Threads per problem and per block."""
    return _TEAMS[side_of(size)]


def at_once(size: int) -> int:
    """Problems per launch, for at most 0.1 s."""
    return next(count for most, count in _AT_ONCE.items() if size <= most)


def bytes_of(size: int) -> int:
    """Shared memory of a problem in bytes: see `exact_memory.h`."""
    side = side_of(size)
    fixed = 6 * 8 * side + 2 * 8 * side * (side // 32) + 4 * side + 128
    return fixed + 8 * size * (size | 1)


def shared_bytes(size: int) -> int:
    """Shared memory of a block in bytes."""
    team, block = threads_of(size)
    return block // team * bytes_of(size)
