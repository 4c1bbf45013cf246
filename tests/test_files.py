"""Files are written whole or not at all, by however many at once."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform import _files
from wasserstein_transform._files import write_bytes, write_together, writing
from wasserstein_transform.engine import mapped as _mapped
from wasserstein_transform.engine.mapped import write_mapped

F8 = np.dtype(np.float64)
unix = pytest.mark.skipif(os.name == "nt", reason="links, pipes and signals of Unix")
SOURCE = Path(__file__).parents[1] / "src"


@pytest.fixture(params=["nameless", "named"])
def drafts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kinds of drafts: without a name, and with one."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system has no files without names")


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


@pytest.mark.usefixtures("drafts")
def test_a_file_is_what_was_written_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"one")
    write_bytes(tmp_path / "a", b"two")
    array = write_mapped(tmp_path / "b.npy", F8, (2, 3), lambda out: out.fill(7), "numbers")
    assert (tmp_path / "a").read_bytes() == b"two"
    np.testing.assert_array_equal(array, np.full((2, 3), 7.0))
    np.testing.assert_array_equal(np.load(tmp_path / "b.npy"), array)
    assert not array.flags.writeable
    assert names(tmp_path) == {"a", "b.npy"}


@pytest.mark.usefixtures("drafts")
def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"before")

    def fail(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(TypeError), writing(tmp_path / "a") as stream:
        stream.writelines([b"new", "no bytes"])
    with pytest.raises(KeyboardInterrupt):
        write_mapped(tmp_path / "a", F8, (2,), fail, "numbers")
    assert (tmp_path / "a").read_bytes() == b"before"
    assert names(tmp_path) == {"a"}


@pytest.mark.usefixtures("drafts")
def test_whoever_writes_at_the_same_time_gets_the_own_matrix(tmp_path: Path) -> None:
    """All wait for each other within `fill`, then take the name one after the other."""
    together, found = threading.Barrier(4), dict[int, Any]()

    def work(k: int) -> None:
        def fill(out: Any) -> None:
            out[...] = k
            together.wait()

        found[k] = write_mapped(tmp_path / "z.npy", F8, (200, 50), fill, "numbers")
        together.wait()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, array in found.items():
        assert (array == k).all()
    assert len(np.unique(np.load(tmp_path / "z.npy"))) == 1
    assert names(tmp_path) == {"z.npy"}


@unix
@pytest.mark.usefixtures("drafts")
def test_new_files_have_the_permissions_of_any_other_and_old_ones_keep_theirs(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_bytes(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "plain").chmod(0o640)
    write_bytes(tmp_path / "plain", b"")
    assert stat.S_IMODE((tmp_path / "plain").stat().st_mode) == 0o640


@unix
def test_what_a_link_points_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
    (tmp_path / "there" / "old").write_bytes(b"old")
    for name in ("old", "new"):  # one of them points to nothing yet
        link = tmp_path / "here" / name
        link.symlink_to(f"../there/{name}")
        write_bytes(link, b"written")
        assert link.is_symlink()
        assert (tmp_path / "there" / name).read_bytes() == b"written"
    assert names(tmp_path / "here") == names(tmp_path / "there") == {"old", "new"}
    matrix = wt.spaces.Euclidean(np.eye(3)).dense(out=tmp_path / "here" / "old")
    np.testing.assert_array_equal(np.load(tmp_path / "there" / "old"), matrix)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="leads back to itself"):
        write_bytes(tmp_path / "loop", b"")


@unix
def test_devices_and_pipes_are_written_through_and_stay(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write_bytes(pipe, b"through")
    assert reader.communicate()[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_bytes("/dev/null", b"nothing")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116
    with pytest.raises(OSError, match=r"needs a file that can be mapped, but /dev/null is a device"):
        wt.spaces.Euclidean(np.eye(3)).dense(out="/dev/null")


@unix
def test_standard_output_is_no_file_to_replace(tmp_path: Path) -> None:
    code = "from wasserstein_transform._files import write_bytes; write_bytes('/dev/stdout', b'through')"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with (tmp_path / "out").open("wb") as out:
        before = os.fstat(out.fileno()).st_ino
        subprocess.run([sys.executable, "-c", code], stdout=out, env=environment, check=True)
    assert (tmp_path / "out").read_bytes() == b"through"
    assert (tmp_path / "out").stat().st_ino == before


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="the superuser may write everywhere")
def test_read_only_files_and_folders_are_respected(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"mine")
    (tmp_path / "a").chmod(0o444)
    with pytest.raises(PermissionError, match="may not be written to"):
        write_bytes(tmp_path / "a", b"yours")
    tmp_path.chmod(0o555)
    with pytest.raises(PermissionError, match="may not be written to"):
        write_bytes(tmp_path / "b", b"yours")
    tmp_path.chmod(0o755)


@pytest.mark.usefixtures("drafts")
def test_room_is_taken_before_a_file_is_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def never(_: Any) -> None:
        raise AssertionError("it was mapped")

    monkeypatch.setattr(_mapped, "_fill_space", full)
    with pytest.raises(OSError, match=r"numbers needs 928 bytes on disk, and .* are free .*\(No space left") as caught:
        write_mapped(tmp_path / "a.npy", F8, (100,), never, "numbers")
    assert caught.value.errno == errno.ENOSPC
    assert names(tmp_path) == set()


@pytest.mark.parametrize("known", [True, False])
def test_files_have_all_their_blocks_before_they_are_filled(
    known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not known:
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    sizes = []

    def fill(out: Any) -> None:
        sizes.append((tmp_path / "a").stat().st_size)

    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    monkeypatch.setattr(_files, "_unique_name", lambda folder: folder / "a")
    write_mapped(tmp_path / "b.npy", F8, (1000, 300), fill, "numbers")
    assert sizes == [128 + 8 * 300_000]
    if hasattr(os.stat_result, "st_blocks"):
        assert (tmp_path / "b.npy").stat().st_blocks * 512 >= 8 * 300_000


@unix
def test_a_limit_on_the_size_of_files_is_an_error(tmp_path: Path) -> None:
    code = """
import resource, numpy as np
from wasserstein_transform.engine.mapped import write_mapped
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_mapped("z.npy", np.dtype("f8"), (200, 200), lambda out: out.fill(1), "numbers")
except OSError as error:
    print(error)
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert "bytes on disk" in done.stdout
    assert "choose a file in another folder" in done.stdout
    assert names(tmp_path) == set()


@unix
@pytest.mark.parametrize("kind", ["nameless", "named"])
def test_nothing_is_left_of_a_process_that_ends(kind: str, tmp_path: Path) -> None:
    """By SIGTERM where files need no names, and by the end of the interpreter in any case."""
    code = """
import os, signal, sys, time
from wasserstein_transform import _files
if sys.argv[1] == "named":
    os.__dict__.pop("O_TMPFILE", None)
stream = _files.writing("a")
stream.__enter__().write(b"half")
if sys.argv[1] == "nameless":
    os.kill(os.getpid(), signal.SIGTERM)
sys.exit(3)
"""
    if kind == "nameless" and not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system has no files without names")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code, kind], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == (-signal.SIGTERM if kind == "nameless" else 3)
    assert names(tmp_path) == set()


def test_several_files_are_written_or_none(tmp_path: Path) -> None:
    write_together({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    (tmp_path / "c").mkdir()
    with pytest.raises(IsADirectoryError):
        write_together({tmp_path / "a": b"3", tmp_path / "b": b"4", tmp_path / "c": b"5"})
    assert [(tmp_path / name).read_bytes() for name in "ab"] == [b"1", b"2"]
    assert names(tmp_path) == {"a", "b", "c"}


@pytest.mark.parametrize("links", [True, False])
def test_what_was_there_comes_back_if_a_name_cannot_be_taken(
    links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_together({tmp_path / "a": b"1", tmp_path / "c": b"3"})
    true = _files.Draft.publish

    def publish(draft: Any) -> Any:
        if draft.target.name == "c":
            raise OSError(errno.EIO, "the disk broke")
        return true(draft)

    if not links:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(errno.EPERM, "no second names")))
    with monkeypatch.context() as patched:
        patched.setattr(_files.Draft, "publish", publish)
        with pytest.raises(OSError, match="the disk broke"):
            write_together({tmp_path / name: b"new" for name in "abc"})
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"a": b"1", "c": b"3"}


def test_a_name_as_long_as_names_can_be_is_taken(tmp_path: Path) -> None:
    write_bytes(tmp_path / ("n" * 250), b"")
    assert names(tmp_path) == {"n" * 250}


@pytest.mark.slow
@unix
def test_a_command_that_is_told_to_end_ends_as_by_an_error() -> None:
    code = """
import os, signal, sys
from wasserstein_transform import cli
from wasserstein_transform.cli import app
def work(prog_name):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    finally:
        print("tidied up")
app.app = work
cli.main()
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
    assert done.stdout == "tidied up\n"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no folder where no file can be made")
def test_errors_name_the_file_and_not_its_draft() -> None:
    for write in (lambda path: write_bytes(path, b"x"), lambda path: write_together({path: b"x"})):
        with pytest.raises(OSError, match=r"/proc/x\.csv") as caught:
            write(Path("/proc/x.csv"))
        assert caught.value.filename == "/proc/x.csv"
