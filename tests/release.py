"""Whether this tree can be released: `make release-check` runs it.

Builds the wheel and the sdist, checks their metadata, installs each into empty environments with and without extras,
and runs there, in an empty folder, the code of the README and the command, by both of its names. Packages come from
where pip gets them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMPILED = ROOT / "src" / "wasserstein_transform" / "kernels" / "__pycache__" / "compiled"
EXTRAS = ("", "[all]")

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


def versions() -> list[str]:
    """What does not agree: the package, the changelog, the citation."""
    own = _version()
    citation = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    heading = re.search(r"^## (\S+), (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    faults = []
    if citation is None or citation.group(1).strip("\"'") != own:
        faults.append(f"CITATION.cff has no version {own}")
    if heading is None or heading.group(1) != own:
        faults.append(f"the first heading of CHANGELOG.md is not {own}")
    elif heading.group(2) == "unreleased":
        print(f"before the tag: give {own} a date in CHANGELOG.md")
    elif not re.fullmatch(r"\d{4}-\d\d-\d\d", heading.group(2)):
        faults.append(f"CHANGELOG.md: {heading.group(2)} is no date such as 2026-01-31")
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


def relative_links(wheel: Path) -> list[str]:
    """Links of the description that lead nowhere on a package index."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        text = files.read(name).decode()
    return [f"a link of the description: {link}" for link in re.findall(r"\]\(((?!https?://|#)[^)]*)\)", text)]


def parts_of_the_paper(wheel: Path) -> list[str]:
    """Files of the folder paper, which no wheel has."""
    with zipfile.ZipFile(wheel) as files:
        return [f"the wheel has {name}" for name in files.namelist() if "wt_paper" in name]


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
        said += "; " + _run(str(python.with_name("wt")), "info", cwd=empty).splitlines()[0]
    return f"{package.name}{extra}: {said}"


def _run(*words: str, cwd: Path | None = None) -> str:
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(words, cwd=cwd, env=kept, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words[:6])} …\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout.strip()


def main() -> int:
    """Say what is wrong, and return how much."""
    faults = versions()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kernels = folder / "kernels"
        os.environ["NUMBA_CACHE_DIR"], os.environ["MPLBACKEND"] = str(kernels), "Agg"
        if COMPILED.is_dir():  # of the same sources: not compiled again in every environment
            shutil.copytree(COMPILED, kernels / "wasserstein_transform")
        packages = build(folder / "dist")
        faults += relative_links(packages[0]) + parts_of_the_paper(packages[0])
        cases = [(package, extra) for package in packages for extra in EXTRAS]
        for number, _ in enumerate(cases):
            (folder / str(number)).mkdir()
        with ThreadPoolExecutor(2) as pool:
            tried = [pool.submit(try_out, *case, folder / str(number)) for number, case in enumerate(cases)]
            for one in tried:
                print(one.result())
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{_version()}: {len(faults)} faults")
    return len(faults)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
