"""Whether this tree can be released: `make release-check` runs it, for a tag as `make release-check TAG=v0.1.0`.

Builds the wheel and the sdist into dist/, checks what is in them, installs each into empty environments with and
without extras, and runs there, in an empty folder, the code of the README, the notebook and the command, by both of its
names. Then the sdist is unpacked and `make test` runs in it. Packages come from where pip gets them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
KERNELS = Path("src") / "wasserstein_transform" / "compute" / "__pycache__" / "compiled"
EXTRAS = ("", "[all]")
LARGEST = 2_000_000  # bytes of the wheel

RUN = r"""
import ast, re, sys, warnings
import wasserstein_transform as wt
warnings.simplefilter("ignore", UserWarning)
names, n_run, without = {"print": lambda *values: None}, 0, set()
for block in re.findall(r"^```python\n(.*?)^```", open(sys.argv[1], encoding="utf-8").read(), re.DOTALL | re.MULTILINE):
    if block.startswith("# not run"):
        continue
    for statement in ast.parse(block).body:
        try:
            exec(compile(ast.Module([statement], []), "README.md", "exec"), names)
            n_run += 1
        except ImportError as error:
            extra = re.search(r'pip install "wasserstein-transform\[(\w+)\]"', str(error))
            if sys.argv[2] or extra is None:
                raise
            without.add(extra.group(1))
assert n_run, "no code ran"
print(f"{n_run} statements of the README run, {wt.__file__}" + (f"; others need {sorted(without)}" if without else ""))
"""


def versions(tag: str) -> list[str]:
    """What does not agree: the package, the changelog, the citation, the recipe for conda, the tag if there is one."""
    own, faults = _version(), []
    for file, pattern in (("CITATION.cff", r"^version: (.*)$"), ("packaging/conda/recipe.yaml", r"^  version: (.*)$")):
        found = re.search(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE)
        if found is None or found.group(1).strip("\"'") != own:
            faults.append(f"{file} has no version {own}")
    heading = re.search(r"^## (\S+), (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    if heading is None or heading.group(1) != own:
        faults.append(f"the first heading of CHANGELOG.md is not {own}")
    elif heading.group(2) == "unreleased" and not tag:
        print(f"before the tag: give {own} a date in CHANGELOG.md")
    elif not re.fullmatch(r"\d{4}-\d\d-\d\d", heading.group(2)):
        faults.append(f"CHANGELOG.md: {heading.group(2)} is no date such as 2026-01-31")
    if tag not in ("", f"v{own}"):
        faults.append(f"the tag is {tag}, the version {own}")
    return faults


def _version() -> str:
    text = (ROOT / "src" / "wasserstein_transform" / "__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    assert found is not None
    return found.group(1)


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist."""
    _run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    _run(sys.executable, "-m", "twine", "check", "--strict", *map(str, sorted(folder.iterdir())))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def wrong_contents(wheel: Path) -> list[str]:
    """What the wheel has and should not have, or the other way round."""
    faults = [] if wheel.name.endswith("-py3-none-any.whl") else [f"{wheel.name} is for one system only"]
    if wheel.stat().st_size > LARGEST:
        faults.append(f"the wheel has {wheel.stat().st_size:,} bytes, more than {LARGEST:,}")
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        text = files.read(about).decode()
    faults += [f"a link of the description: {link}" for link in re.findall(r"\]\(((?!https?://|#)[^)]*)\)", text)]
    folder = about.partition("/")[0]
    for needed in ("wasserstein_transform/py.typed", f"{folder}/licenses/LICENSE", f"{folder}/entry_points.txt"):
        if needed not in names:
            faults.append(f"the wheel has no {needed}")
    own = ("wasserstein_transform/", f"{folder}/")
    strange = re.compile(r"wt_paper|__pycache__|/tests?/|\.(pyc|nbi|nbc|kernel|so)$")
    return faults + [f"the wheel has {name}" for name in names if not name.startswith(own) or strange.search(name)]


def run_own_tests(sdist: Path, folder: Path) -> None:
    """Run `make test` in the unpacked sdist."""
    with tarfile.open(sdist) as files:
        files.extractall(folder, filter="data")
    (tree,) = folder.iterdir()
    if (ROOT / KERNELS).is_dir():  # of the same sources: not compiled again
        shutil.copytree(ROOT / KERNELS, tree / KERNELS)
    outside = {
        key: value for key, value in _environment().items() if key not in ("NUMBA_CACHE_DIR", "MAKEFLAGS", "TAG")
    }
    done = subprocess.run(["make", "test", f"PYTHON={sys.executable}"], cwd=tree, env=outside, check=False)
    if done.returncode:
        raise SystemExit(f"make test fails in {sdist.name}")


def try_out(package: Path, extra: str, folder: Path) -> str:
    """Install it into an empty environment, and run the README in an empty folder."""
    home, empty = folder / "environment", folder / "empty"
    venv.create(home, with_pip=True)
    empty.mkdir()
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{package}{extra}")
    said = _run(str(python), "-c", RUN, str(ROOT / "README.md"), extra, cwd=empty)
    (empty / "points.csv").write_text("x,y\n" + "".join(f"{k % 7},{k % 5 + 20 * (k > 20)}\n" for k in range(40)))
    for name in ("wt", "wasserstein-transform"):
        answer = _run(str(python.with_name(name)), "cluster", "points.csv", "-o", f"{name}.csv", cwd=empty)
        assert "2 clusters" in answer, answer
    assert (empty / "wt.csv").read_bytes() == (empty / "wasserstein-transform.csv").read_bytes()
    help_lines = _run(str(python.with_name("wasserstein-transform")), "--help", cwd=empty).splitlines()
    assert help_lines[0].startswith("Usage: wasserstein-transform "), help_lines[0]
    if extra:
        _run(str(python), "-c", _notebook(), cwd=empty)
        said += "; the notebook runs; " + _run(str(python.with_name("wt")), "info", cwd=empty).splitlines()[0]
    return f"{package.name}{extra}: {said}"


def _notebook() -> str:
    """The code of the notebook."""
    cells = json.loads((ROOT / "examples" / "quickstart.ipynb").read_text("utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}


def _run(*words: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        words, cwd=cwd, env=_environment(), capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words[:6])} …\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout.strip()


def main(tag: str = "") -> int:
    """Say what is wrong, and return how much."""
    faults = versions(tag)
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    packages = build(ROOT / "dist")
    faults += wrong_contents(packages[0])
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return len(faults)
    for package in packages:
        print(f"{package.name}: {package.stat().st_size:,} bytes, {hashlib.sha256(package.read_bytes()).hexdigest()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kernels = folder / "kernels"
        os.environ["NUMBA_CACHE_DIR"], os.environ["MPLBACKEND"] = str(kernels), "Agg"
        if (ROOT / KERNELS).is_dir():  # of the same sources: not compiled again in every environment
            shutil.copytree(ROOT / KERNELS, kernels / "wasserstein_transform")
        cases = [(package, extra) for package in packages for extra in EXTRAS]
        for number, _ in enumerate(cases):
            (folder / str(number)).mkdir()
        with ThreadPoolExecutor(2) as pool:
            tried = [pool.submit(try_out, *case, folder / str(number)) for number, case in enumerate(cases)]
            for one in tried:
                print(one.result(), flush=True)
        run_own_tests(packages[1], folder / "sdist")
    print(f"{_version()} can be released")
    return 0


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
