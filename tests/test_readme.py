"""What the README and the documentation say is so."""

from __future__ import annotations

import doctest
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

import wasserstein_transform as wt
from docs.building import names
from wt_paper.experiments.parameters import FULL
from wt_paper.reporting import listing, summary

ROOT = Path(__file__).parents[1]
CODE = [
    "docs/methods.md",
    "docs/parts.md",
    "docs/running.md",
    "docs/gaussian-transform.md",
    "docs/exact-transport.md",
]
FILES = re.compile(r"# not run: needs a |.*glove\.6B", re.DOTALL)  # what not every machine has


def between_marks(file: str) -> str:
    text = (ROOT / file).read_text("utf-8")
    return text.partition("<!-- claims -->\n")[2].partition("\n<!-- end of claims -->")[0]


def test_the_summary_of_claims_is_that_of_the_record() -> None:
    assert between_marks("docs/paper.md") == summary()


def test_the_list_of_claims_is_that_of_the_record() -> None:
    assert between_marks("docs/reproduction.md") == listing()


@pytest.mark.slow
def test_the_figures_beside_the_code_and_methods_come_out() -> None:
    X, _ = wt.datasets.dumbbell()
    with pytest.warns(wt.hierarchy.FewerClustersWarning, match="found 1"):
        before = wt.SingleLinkage(3, cut="robust").fit_predict(X)
    after = wt.SingleLinkage(3, cut="robust").fit_predict(wt.GaussianTransform(eps=0.2, lam=1.0, n_iter=2).fit(X))
    assert f"# {np.bincount(before)} {np.bincount(after)}" in (ROOT / "docs/methods.md").read_text("utf-8")
    wines, truth = load_wine(return_X_y=True)
    scores = []
    for columns in (wines, StandardScaler().fit_transform(wines)):
        found = wt.SingleLinkage(3, cut="robust").fit_predict(wt.GaussianTransform(n_iter=3).fit(columns))
        scores.append(f"{adjusted_rand_score(truth, found):.2f}")
    assert f"an adjusted Rand index of {scores[0]} becomes {scores[1]}" in (ROOT / "docs/methods.md").read_text("utf-8")


@pytest.mark.repeated(1)
@pytest.mark.parametrize("file", CODE)
def test_the_code_of_pages_runs(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / file).read_text("utf-8"), re.DOTALL)
    blocks = [block for block in blocks if not FILES.match(block)]
    space: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some are announced in comments
        for block in blocks:
            exec(compile(block, file, "exec"), space)
    assert blocks


def names_in(page: str) -> list[str]:
    """Names of the package and the theory in code of a page: wt.image.segment, theory.prokhorov."""
    return re.findall(r"`((?:wt|theory)\.[\w.]+)", page)


def test_every_name_on_the_map_of_the_paper_exists() -> None:
    page = (ROOT / "docs/paper.md").read_text("utf-8")
    found = names_in(page)
    assert len(found) > 60
    linked = names.written()
    for name in found:
        assert name in linked, name
    rows = [line for line in page.splitlines() if re.match(r"\| [2-6]\.\d", line)]
    assert len(rows) > 30
    assert all(names_in(row) or "`python -m wt_paper" in row for row in rows)
    experiments = {name for line in re.findall(r"`python -m wt_paper ([\w\s-]+)`", page) for name in line.split()}
    assert experiments == set(FULL)


@pytest.mark.slow
def test_the_code_of_the_page_on_theory_gives_what_it_says() -> None:
    pytest.importorskip("ot")
    blocks = re.findall(r"```pycon\n(.*?)```", (ROOT / "docs/theory.md").read_text("utf-8"), re.DOTALL)
    page = doctest.DocTestParser().get_doctest("".join(blocks), {}, "docs/theory.md", None, None)
    assert doctest.DocTestRunner().run(page) == (0, len(page.examples))


@pytest.mark.parametrize("file", ["README.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))])
def test_links_and_images_are_there(file: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith("http"):
            assert (ROOT / file).parent.joinpath(target).exists(), target
