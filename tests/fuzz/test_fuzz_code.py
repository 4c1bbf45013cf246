"""No file runs code: pickles are brought to every entry point, and would leave a mark behind if anybody read them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from fuzz import layers
from fuzz.entry_points import ENTRY_POINTS
from fuzz.hostile import npy_header, zip_of
from fuzz.reader import Reader
from wasserstein_transform.compute.jit import cache as store

pytestmark = pytest.mark.slow

unix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners")


class _Marked:
    """A value that writes a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self._mark),)


def _pickles(mark: Path) -> Iterator[bytes]:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.dumps(_Marked(mark), protocol)


def _hidden(mark: Path) -> Iterator[bytes]:
    """The pickle by itself, and within arrays, archives and files as `save` writes them."""
    yield from _pickles(mark)
    held = io.BytesIO()
    np.save(held, np.array([_Marked(mark)], object), allow_pickle=True)
    array = held.getvalue()
    yield array
    yield npy_header("|O", (1,), pickle.dumps(_Marked(mark)))
    yield npy_header([("a", "|O")], (1,), pickle.dumps(_Marked(mark)))
    yield zip_of(("points.npy", array), ("header.npy", array), ("version.npy", array))
    yield zip_of(
        ("a0.npy", array), ("header.npy", layers._npy(np.array(json.dumps({"format": "wasserstein-transform"}))))
    )


def test_the_mark_would_be_seen(tmp_path: Path) -> None:
    for content in _pickles(tmp_path / "mark"):
        pickle.loads(content)
        (tmp_path / "mark").rmdir()


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_no_door_unpickles_anything(name: str, reader: Reader, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for content in _hidden(mark):
        answer = reader.ask(name, ENTRY_POINTS[name].file, content, ENTRY_POINTS[name].seeds())
        assert answer.fault(ENTRY_POINTS[name].file) is None
        assert not mark.exists()


@unix
@pytest.mark.parametrize(
    "trick", ["a link", "a folder for everybody", "a folder around it for everybody", "a pipe", None]
)
def test_compiled_code_is_read_from_folders_of_trust_alone(
    trick: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    here = store.Store("test")
    here.write("code", b"content")
    assert here.home is not None
    file = here.home / "code"
    if trick == "a link":  # a file of the user's that came from somewhere
        (tmp_path / "download").write_bytes(hashlib.sha256(b"content").digest() + b"content")
        file.unlink()
        file.symlink_to(tmp_path / "download")
    elif trick == "a pipe":
        file.unlink()
        os.mkfifo(file)
    elif trick is not None:
        (file.parent.parent if "around" in trick else file.parent).chmod(0o777)
    assert here.read("code") == (b"content" if trick is None else None)
