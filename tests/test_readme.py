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
from wasserstein_transform.experiments.reporting import listing, summary

ROOT = Path(__file__).parents[1]


def between_marks(file: str) -> str:
    text = (ROOT / file).read_text("utf-8")
    return text.partition("<!-- claims -->\n")[2].partition("\n<!-- end of claims -->")[0]


def test_the_summary_of_claims_is_that_of_the_record() -> None:
    assert between_marks("README.md") == summary()


def test_the_list_of_claims_is_that_of_the_record() -> None:
    assert between_marks("docs/reproduction.md") == listing()


def test_the_figures_beside_the_code_and_methods_come_out() -> None:
    X, _ = wt.datasets.dumbbell()
    with pytest.warns(wt.FewerClustersWarning, match="found 1 clusters of the 3"):
        before = wt.SingleLinkage(3).fit_predict(X)
    after = wt.SingleLinkage(3).fit_predict(wt.GaussianTransform(eps=0.2, lam=1.0, n_iter=2).fit(X))
    assert f"# {np.bincount(before)} {np.bincount(after)}" in (ROOT / "README.md").read_text("utf-8")
    assert f"# {np.bincount(wt.cluster(X).labels + 1)}" in (ROOT / "README.md").read_text("utf-8")
    wines, truth = load_wine(return_X_y=True)
    scores = []
    for columns in (wines, StandardScaler().fit_transform(wines)):
        found = wt.SingleLinkage(3).fit_predict(wt.GaussianTransform(n_iter=3).fit(columns))
        scores.append(f"{adjusted_rand_score(truth, found):.2f}")
    assert f"an adjusted Rand index of {scores[0]} becomes {scores[1]}" in (ROOT / "README.md").read_text("utf-8")


def test_the_code_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # one is announced in a comment
        for block in blocks:
            exec(compile(block, "README.md", "exec"), names)
    assert len(blocks) > 3
    assert (tmp_path / "pictures.png").is_file()


def test_the_code_of_the_page_on_theory_gives_what_it_says() -> None:
    pytest.importorskip("ot")
    blocks = re.findall(r"```pycon\n(.*?)```", (ROOT / "docs/theory.md").read_text("utf-8"), re.DOTALL)
    page = doctest.DocTestParser().get_doctest("".join(blocks), {}, "docs/theory.md", None, None)
    assert doctest.DocTestRunner().run(page) == (0, len(page.examples))


@pytest.mark.parametrize(
    "file",
    [
        "README.md",
        "docs/theory.md",
        "docs/graphs.md",
        "docs/reproduction.md",
        "docs/choosing.md",
        "docs/gaussian-transform.md",
        "docs/exact-transport.md",
        "docs/curves.md",
        "docs/command-line.md",
        "docs/explorer.md",
        "docs/files.md",
        "docs/reports.md",
        "docs/index.md",
        "docs/start.md",
        "docs/five-lines.md",
        "docs/guide.md",
        "docs/concepts.md",
        "docs/benchmarks.md",
        "docs/contribute.md",
        "docs/programs.md",
    ],
)
def test_links_and_images_are_there(file: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith("http"):
            assert (ROOT / file).parent.joinpath(target).exists(), target
