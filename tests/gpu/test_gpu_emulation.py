"""The emulated device finds what would go wrong on a GPU."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from gpu import emulation
from gpu.emulation import COMPILER, Emulated

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

_HEAD = """
typedef long long Index;
#define SHARED(type, name) type *name = (type *)emulation::shared.data()
extern "C" __global__ void faulty(Index n, double *out) {
    SHARED(double, seen);
    int t = threadIdx.x;
"""
_UNSYNCED = _HEAD + "seen[t] = 1.0; out[t] = seen[(t + 1) % 32]; __syncwarp(); }"
_SYNCED = _HEAD + "seen[t] = 1.0; __syncwarp(); out[t] = seen[(t + 1) % 32]; }"
_OLD = _HEAD + "if (blockIdx.x) out[t] = seen[t]; seen[t] = 5.0; __syncwarp(); }"
_ABORTING = {
    "writes behind its shared memory": _HEAD + "seen[n + t] = 1.0; out[t] = 0.0; __syncwarp(); }",
    "is not in its mask": _HEAD + "__syncwarp(0xffff); out[t] = seen[t]; }",
    "that never come": _HEAD + "if (t < 16) out[t] = __shfl_sync(0xffffffff, 1.0, 0); else __syncwarp(); }",
}


def _run(source: str, monkeypatch: pytest.MonkeyPatch, seed: int, grid: int = 1) -> np.ndarray:
    monkeypatch.setattr(emulation, "source_of", lambda file: source)
    monkeypatch.setattr(emulation, "_SEED", seed)
    emulation.compiled.cache_clear()
    device = Emulated()
    out = device.xp.zeros(32)
    device.launch("faulty.cu", "faulty", 32 * grid, (32, out), block=32, shared=8 * 32)
    emulation.compiled.cache_clear()
    return device.fetch(out)


def test_reading_before_waiting_depends_on_the_order_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (_run(_UNSYNCED, monkeypatch, seed) for seed in (1, 2))
    assert not np.array_equal(one, other, equal_nan=True)
    for seed in (0, 1, 2):
        np.testing.assert_array_equal(_run(_SYNCED, monkeypatch, seed), 1.0)


def test_shared_memory_of_other_blocks_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not (_run(_OLD, monkeypatch, 1, grid=2) == 5.0).any()


@pytest.mark.slow
@pytest.mark.parametrize("said", _ABORTING)
def test_faults_end_the_process(said: str) -> None:
    script = f"""
from gpu import emulation
emulation.source_of = lambda file: {_ABORTING[said]!r}
device = emulation.Emulated()
device.launch("faulty.cu", "faulty", 32, (32, device.xp.zeros(64)), block=32, shared=8 * 32)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert said in done.stderr


def test_launches_that_no_gpu_takes() -> None:
    device = Emulated()
    out = device.xp.zeros(4)
    with pytest.raises(AssertionError, match="threads"):
        device.launch("distances.cu", "fill_pairs", 2048, (out,), block=2048)
    with pytest.raises(AssertionError, match="shared memory"):
        device.launch("distances.cu", "fill_pairs", 128, (out,), shared=228 << 10)


def test_arrays_are_as_strict_as_those_of_a_gpu() -> None:
    device = Emulated()
    xp, here = device.xp, np.arange(3.0)
    there = device.put(here)
    assert not (xp.empty(100) == 0).any()
    with pytest.raises(TypeError, match="of the host"):
        there + here
    with pytest.raises(TypeError, match="of the host"):
        xp.concatenate([there, here])
    with pytest.raises(AssertionError, match="of the device"):
        device.fetch(here)
    there += 1.0
    np.testing.assert_array_equal(device.fetch(xp.cumsum(there)[1:]), [3.0, 6.0])
    np.testing.assert_array_equal(here, [0.0, 1.0, 2.0])
    assert type(there.sum()) is type(there[0]) is type(there)  # numbers stay there until `.item()`
    assert there.sum().item() == 6.0
