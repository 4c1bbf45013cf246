"""Compiled code one can trust: where it is kept, what it does without a compiler, and who hears of it."""

from __future__ import annotations

import ast
import errno
import gc
import itertools
import logging
import math
import os
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, get_args
from uuid import uuid4

import numba
import numpy as np
import pytest
from click.testing import CliRunner
from everyday import everyday

from wasserstein_transform import _files
from wasserstein_transform.cli import app, warmup
from wasserstein_transform.compute.jit import cache as store, decorators as compile_, messages as compiling
from wasserstein_transform.compute.jit.decorators import jit, on_compile
from wasserstein_transform.compute.metrics.distances_jit import fill_pairs
from wasserstein_transform.compute.metrics.geometry_jit import FORMULAS, Cloud, Formulas, Geometry, formulas
from wasserstein_transform.compute.neighbors.moments_jit import GAUSSIAN, profile_value
from wasserstein_transform.engine.progress import Bar

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src"

# a kernel that is compiled in a moment, and how often it was
TINY = """
from wasserstein_transform.compute.jit import cache as store
from wasserstein_transform.compute.jit.decorators import on_compile
from wasserstein_transform.compute.neighbors.moments_jit import GAUSSIAN, profile_value
told = []
on_compile(lambda name, seconds: told.append(name) if seconds else None)
assert abs(profile_value(GAUSSIAN, 2.0) - 2.718281828459045**-1) < 1e-15
print(len(told))
"""

needs_private = pytest.mark.skipif(compile_.PRIVATE is None, reason="numba's own cache")


def python(code: str, **environment: str) -> str:
    """What a process of its own prints."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "XDG", "WT_"))}
    paths = os.pathsep.join([str(SOURCE), str(TESTS)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def kept(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


@pytest.mark.slow
def test_without_a_compiler_results_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "plain.npz"
    python(f"import numpy, everyday; numpy.savez({str(file)!r}, **everyday.everyday())", NUMBA_DISABLE_JIT="1")
    plain, compiled = np.load(file), everyday()
    assert set(plain.files) == set(compiled)
    for name, value in compiled.items():
        np.testing.assert_allclose(plain[name], value, rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.slow
def test_public_options_of_numba_alone_give_the_same(tmp_path: Path) -> None:
    code = """
import numpy as np
from wasserstein_transform.compute.jit import decorators as compile
from wasserstein_transform.compute.metrics.distances_jit import fill_pairs
from wasserstein_transform.compute.metrics.geometry_jit import Cloud
from wasserstein_transform.compute.jit.arithmetic_jit import lowest
assert compile.PRIVATE is None
out = np.empty(1)
fill_pairs(Cloud(np.array([[0.0, 0.0], [3.0, 4.0]])), np.array([0]), np.array([1]), out)
print(out[0], lowest(np.array([3.0, 1.0, 2.0]), 0, np.zeros(3), 3))
"""
    assert python(code, WT_NUMBA="public", NUMBA_CACHE_DIR=str(tmp_path)) == "5.0 1.0\n"


def test_the_installed_numba_is_one_that_was_tested() -> None:
    """Where this fails with a new version of Numba: run the tests below with it, then raise `TESTED`."""
    assert compile_.PRIVATE is not None


@pytest.mark.parametrize("version", ["0.60.2", "0.99.0", "1.0.0rc1"])
def test_an_untested_numba_is_used_by_its_public_options_and_warned_of(
    version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba, "__version__", version)
    monkeypatch.delenv("WT_NUMBA", raising=False)
    with pytest.warns(UserWarning, match=f"numba {version} is none of the tested versions 0.61 to 0.68"):
        assert compile_._find_private() is None


def test_the_package_asks_for_the_tested_versions_of_numba() -> None:
    (first, (major, minor)), project = compile_.TESTED, (SOURCE.parent / "pyproject.toml").read_text()
    assert f'"numba>={first[0]}.{first[1]},<{major}.{minor + 1}"' in project


def test_an_untested_numba_can_be_tried_with_its_private_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba, "__version__", "0.99.0")
    monkeypatch.setenv("WT_NUMBA", "private")
    assert compile_._find_private() is not None


@needs_private
def test_private_parts_of_numba_do_what_they_are_for() -> None:
    """Only kernels become machine code, with their parts inlined, without reference counts, operators resolved once."""

    def sum_to(values: Any, n: int) -> Any:
        total = 0.0
        for i in range(n):
            total += values[i]
        return total

    def sums(values: Any, out: Any) -> None:
        for n in range(out.shape[0]):
            out[n] = part_sum(values, n) + values[n]

    part_sum = jit(sum_to)
    sums.__qualname__ += uuid4().hex  # nobody has kept it before
    kernel: Any = jit(sums)
    values, out = np.arange(5.0), np.empty(5)
    kernel(values, out)
    assert out.tolist() == np.cumsum(values).tolist()
    (signature,) = kernel.signatures
    code, part = kernel.inspect_llvm(signature), part_sum.part
    assert not part_sum.overloads  # it is not a kernel
    assert len(part.signatures) == 1
    assert type(part.overloads[part.signatures[0]].library).__name__ == "_PartLibrary"
    assert "NRT" not in code
    assert not [line for line in code.splitlines() if "call" in line and "sum_to" in line]
    known = compile_.PRIVATE.types.Function.get_call_type
    with compile_.PRIVATE._remembering():
        assert compile_.PRIVATE.types.Function.get_call_type is not known
    assert compile_.PRIVATE.types.Function.get_call_type is known


@pytest.mark.slow
@needs_private
def test_processes_that_compile_at_once_do_not_harm_each_other(tmp_path: Path) -> None:
    paths = os.pathsep.join([str(SOURCE), str(TESTS)])
    environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path)}
    both = [subprocess.Popen([sys.executable, "-c", TINY], env=environment) for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    assert python(TINY, NUMBA_CACHE_DIR=str(tmp_path)) == "0\n"
    assert len(kept(tmp_path)) == 1


@pytest.mark.slow
@needs_private
@pytest.mark.parametrize(
    "damage",
    [b"", b"nonsense", b"\0" * 5000, pickle.dumps("no code")],
    ids=["empty", "text", "zeros", "whole, but no code"],
)
def test_damaged_files_are_compiled_anew_and_replaced(tmp_path: Path, damage: bytes) -> None:
    assert python(TINY, NUMBA_CACHE_DIR=str(tmp_path)) == "1\n"
    for file in kept(tmp_path):
        file.write_bytes(damage)
    assert python(TINY, NUMBA_CACHE_DIR=str(tmp_path)) == "1\n"
    assert python(TINY, NUMBA_CACHE_DIR=str(tmp_path)) == "0\n"


@pytest.mark.slow
@needs_private
def test_a_read_only_package_keeps_code_in_the_cache_of_the_user(tmp_path: Path) -> None:
    code = TINY.replace(
        "told = []", "store._FOLDER_BESIDE_SOURCES = store.Path(__import__('os').devnull) / 'nowhere'; told = []"
    )
    environment = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    assert python(code, **environment) == "1\n"
    assert python(code, **environment) == "0\n"
    assert kept(tmp_path)


@pytest.mark.slow
@needs_private
def test_where_nothing_can_be_kept_code_is_compiled_anew_and_said_so_once() -> None:
    code = TINY.replace(
        "told = []", "store._FOLDER_BESIDE_SOURCES = store.Path(__import__('os').devnull) / 'nowhere'; told = []"
    )
    nowhere = os.devnull + "/nowhere"
    for environment in ({}, {"NUMBA_CACHE_DIR": nowhere}):
        environment["PYTHONWARNINGS"] = "ignore"  # `wt -q` leaves warnings out as well
        said = python(code, HOME=nowhere, XDG_CACHE_HOME=nowhere, LOCALAPPDATA=nowhere, **environment)
        assert said.startswith("1\n")
        assert said.count("set NUMBA_CACHE_DIR") == 1


def test_that_nothing_can_be_kept_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store, "cache_folders", lambda: [Path(os.devnull) / "nowhere"])
    store.warn_uncached.cache_clear()
    for _ in range(2):
        assert store.Store("numba1").home is None
    (said,) = caplog.messages
    assert "set NUMBA_CACHE_DIR" in said


@pytest.mark.slow
@needs_private
def test_a_cache_deleted_meanwhile_is_made_again(tmp_path: Path) -> None:
    again = "import shutil; shutil.rmtree(store.os.environ['NUMBA_CACHE_DIR']); profile_value(GAUSSIAN, 2)"
    assert python(TINY + again, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == "1\n"
    assert kept(tmp_path)


def test_a_full_disk_is_no_error_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(draft: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    here = store.Store("test")
    here.write("before", b"content")
    with monkeypatch.context() as patched:
        patched.setattr(_files.Draft, "publish", full)
        here.write("code", b"content")
    assert here.read("before") == b"content"
    assert here.read("code") is None
    assert [file.name for file in kept(tmp_path)] == ["before"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners")
def test_files_and_folders_that_others_can_write_to_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    here, before = store.Store("test"), os.umask(0o002)
    try:
        here.write("code", b"content")
    finally:
        os.umask(before)
    assert here.read("code") == b"content"
    (file,) = kept(tmp_path)
    for mode in (0o666, 0o664, 0o646):
        file.chmod(mode)
        assert here.read("code") is None
    here.write("code", b"compiled anew")
    assert here.read("code") == b"compiled anew"
    file.parent.parent.chmod(0o775)
    assert here.read("code") is None
    assert store.Store("test").home is None


def test_compiling_does_not_switch_the_garbage_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a setting of the process, which belongs to the user."""
    switched: list[str] = []
    monkeypatch.setattr(compile_, "_is_ours", lambda event: True)
    for name in ("disable", "enable", "freeze", "set_threshold"):
        monkeypatch.setattr(gc, name, lambda *_, name=name: switched.append(name))

    def one_more(x: Any) -> Any:
        return x + 1

    one_more.__qualname__ += uuid4().hex  # nobody has kept it before
    assert jit(one_more)(1.0) == 2.0
    assert switched == []


IMPORTS = {
    "on one line": "from .base import f\n",
    "in brackets": "from .base import (\n    f,  # (a formula)\n    g,\n)\n",
    "of modules": "from . import (\n    other,\n    base,\n)\n",
    "under another name": "from . import base as foundation\n",
    "continued": "from .base \\\n    import f\n",
    "after another": "x = 1; from .base import f\n",
    "within": "def g():\n\tif True: from .base import f\n",
}


@pytest.mark.parametrize("statement", IMPORTS.values(), ids=IMPORTS)
def test_an_edit_of_what_is_imported_changes_the_key_however_the_import_is_written(
    statement: str, tmp_path: Path
) -> None:
    top = tmp_path / "top.py"
    top.write_text(statement)
    (tmp_path / "other.py").write_text("1")
    keys = []
    for source in ("f = 1", "f = 2"):
        (tmp_path / "base.py").write_text(source)
        store.hash_of_sources.cache_clear()
        keys.append(store.hash_of_sources(frozenset([top])))
    assert keys[0] != keys[1]


@pytest.mark.parametrize("name", ["metrics.distances", "neighbors.moments", "pixels.pixels", "exact.simplex"])
def test_a_key_depends_on_the_modules_whose_functions_a_kernel_has(name: str) -> None:
    folder, package = Path(compile_.__file__).parents[1], f"{compile_.__package__.rpartition('.')[0]}."
    module = import_module(f"{package}{name}_jit")
    values = list(vars(module).values())  # functions and modules
    origins = {getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in values}
    compiled = {
        origin for origin in origins - {module.__name__} if origin.startswith(package) and origin.endswith("_jit")
    }
    files = {folder / f"{origin.removeprefix(package).replace('.', '/')}.py" for origin in compiled}
    file = folder / f"{name.replace('.', '/')}_jit.py"
    assert files
    assert files <= set(store._imported(file, file.read_bytes()))


@pytest.mark.parametrize(
    "file", sorted(Path(compile_.__file__).parents[1].rglob("*_jit.py")), ids=lambda path: path.stem
)
def test_compiled_files_import_compiled_files_alone(file: Path) -> None:
    found = [node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.ImportFrom) and node.level]
    ours = ("_jit", "jit", "decorators")
    named = [str(node.module) if str(node.module).endswith(ours) else one.name for node in found for one in node.names]
    assert all(name.endswith(ours) for name in named)


def test_a_change_compiles_what_depends_on_it_and_older_code_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {"top": "from .middle import f\n", "middle": "from . import base\n", "base": "1", "other": "2"}
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
        module = ModuleType(name)
        module.__file__ = str(tmp_path / f"{name}.py")
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    here = store.Store("numba1")

    def names() -> list[str]:
        store.hash_of_sources.cache_clear()
        functions = [SimpleNamespace(__module__=name, __qualname__="f") for name in sources]
        return [str(store.file_name(function, (int,))) for function in functions]

    def read() -> list[bytes | None]:
        return [here.read(name) for name in names()]

    for name in names():
        here.write(name, b"old")
    assert read() == [b"old"] * 4
    (tmp_path / "base.py").write_text("3")
    assert read() == [None, None, None, b"old"]
    for name in names():
        here.write(name, b"new")
    assert len(kept(tmp_path / "cache")) == 4
    (tmp_path / "base.py").write_text("1")
    assert read() == [None, None, None, b"new"]


def test_code_of_an_unknown_source_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    name = store.file_name(SimpleNamespace(__module__="of a notebook", __qualname__="f"), ())
    here = store.Store("numba1")
    here.write(name, b"code")
    assert name is None
    assert here.read(name) is None
    assert kept(tmp_path) == []


def test_the_source_of_a_metric_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric of somebody else is compiled into our kernels."""
    (tmp_path / "own.py").write_text("1")
    module = ModuleType("own")
    module.__file__ = str(tmp_path / "own.py")
    monkeypatch.setitem(sys.modules, "own", module)
    tuples = numba.typeof(((Blocks(np.zeros((1, 2))), 1), 2))
    before = store.file_name(fill_pairs, (tuples,))
    monkeypatch.setattr(Blocks, "__module__", "own")
    assert store.file_name(fill_pairs, (tuples,)) != before


@jit
def _half(x: float) -> float:
    return x / 2


def test_compiling_is_told_to_whoever_asks(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    told: list[tuple[str, float | None]] = []
    monkeypatch.setattr(compile_, "_is_ours", lambda event: True)
    monkeypatch.setattr(compile_._LISTENER, "said", False)
    end = on_compile(lambda name, seconds: told.append((name, seconds)))

    def one_more(x: Any) -> Any:
        return x + 1

    one_more.__qualname__ += uuid4().hex  # nobody has kept it before
    with caplog.at_level(logging.INFO, "wasserstein_transform"):
        assert jit(one_more)(1.0) == 2.0
        assert jit(one_more)(np.float32(1.0)) == 2.0
    end()
    assert [name for name, _ in told] == ["one_more"] * 4
    assert [seconds is None for _, seconds in told] == [True, False, True, False]
    assert [record.message for record in caplog.records] == ["compiling one_more, once; `wt warmup` does it ahead"]
    _half(3)
    assert len(told) == 4


def test_kernels_travel_by_name() -> None:
    assert pickle.loads(pickle.dumps(profile_value)) is profile_value


def test_every_geometry_has_one_record() -> None:
    assert set(FORMULAS) == set(get_args(Geometry))
    assert all(isinstance(record, Formulas) and all(map(callable, record)) for record in FORMULAS.values())


class Blocks(NamedTuple):
    points: np.ndarray


@jit
def _blocks(geometry: Any, i: int, j: int, limit: float) -> float:
    d = abs(geometry.points[i, 0] - geometry.points[j, 0]) + abs(geometry.points[i, 1] - geometry.points[j, 1])
    return d * d


def test_a_metric_is_one_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMULAS, Blocks, formulas(_blocks))
    points, out = np.array([[0.0, 0.0], [3.0, 4.0]]), np.empty(1)
    fill_pairs(Blocks(points), np.array([0]), np.array([1]), out)
    assert out[0] == 7
    fill_pairs(Cloud(points), np.array([0]), np.array([1]), out)
    assert out[0] == 5


@pytest.mark.slow
def test_warmup_says_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "PARTS", {"one profile": lambda: profile_value(GAUSSIAN, 1.0)})
    monkeypatch.setattr(warmup, "GROUPS", (("one profile",),))
    done = CliRunner().invoke(app.app, ["warmup", "-j", "1"])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].startswith("one profile: ")
    assert done.stdout.splitlines()[1].startswith("all: ")


def test_every_part_is_in_one_group() -> None:
    assert sorted(itertools.chain(*warmup.GROUPS)) == sorted(warmup.PARTS)


def test_an_error_of_a_process_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "GROUPS", (-1,))
    monkeypatch.setattr(warmup, "_warm_group", math.sqrt)
    done = CliRunner().invoke(app.app, ["warmup", "-j", "2"])
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("wt warmup: ")


@pytest.mark.slow
@needs_private
def test_a_second_warmup_compiles_nothing(tmp_path: Path) -> None:
    code = "from wasserstein_transform.cli import main; import sys; sys.argv = ['wt', 'warmup']; main()"
    python(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert "all: 0 kernels compiled" in python(code, NUMBA_CACHE_DIR=str(tmp_path))


def test_the_log_says_once_that_compiling_takes_long(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compiling, "PATIENCE", 60.0)
    heard = compiling._Announcement()

    def compiled(seconds: float) -> None:
        heard("kernel", None)
        timer = heard._timer
        assert timer is not None
        timer.join(0.2 if timer.interval < 1.0 else 0.0)
        heard("kernel", seconds)
        timer.join(20)

    compiled(2.0)
    assert not caplog.records
    compiled(70.0)  # until then it was quick
    assert not caplog.records
    with Bar(quiet=True):
        compiled(1.0)
    assert not caplog.records
    compiled(1.0)
    compiled(1.0)
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("wasserstein_transform", "WARNING")
    assert "compiling what this needs, once" in record.getMessage()


@pytest.mark.slow
@needs_private
def test_a_script_that_compiles_for_long_is_not_silent(tmp_path: Path) -> None:
    code = (
        "from wasserstein_transform.compute.jit import messages; messages.PATIENCE = 0.1\n"
        "import logging, sys; logging.getLogger('wasserstein_transform').setLevel(sys.argv[1])\n"
        "import wasserstein_transform as wt; wt.MeanShift(1.0).fit([[0.0], [0.5], [9.0]])"
    )
    for level, n_lines in (("WARNING", 1), ("ERROR", 0)):
        folder = {"NUMBA_CACHE_DIR": str(tmp_path / level)}
        command = [sys.executable, "-c", code, level]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **folder})
        assert (
            done.stderr.count("wasserstein_transform: compiling what this needs, once")
            == done.stderr.count("\n")
            == n_lines
        )


@pytest.mark.slow
@needs_private
def test_after_the_clusters_of_one_table_those_of_another_compile_nothing(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for n, m in ((200, 2), (60, 1), (300, 3), (400, 7), (2500, 2), (3500, 3), (25_000, 2)):
        points = rng.normal(size=(n, m)) + 9.0 * rng.integers(3, size=(n, 1))
        np.savetxt(tmp_path / f"{n}.csv", points, delimiter=",", header=",".join("abcdefg"[:m]), comments="")
    code = "from wasserstein_transform.cli.app import app; app(['cluster', {!r}, '-q'])"
    cache = tmp_path / "cache"
    python(code.format(str(tmp_path / "200.csv")), NUMBA_CACHE_DIR=str(cache))
    compiled = kept(cache)
    assert compiled
    for table in tmp_path.glob("*.csv"):
        python(code.format(str(table)), NUMBA_CACHE_DIR=str(cache))
        assert kept(cache) == compiled, table.name
