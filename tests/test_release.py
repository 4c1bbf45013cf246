"""What is said about the package in several files agrees, and the check of a release finds what is wrong."""

from __future__ import annotations

import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import release

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_recipe_for_conda_needs_what_the_package_needs(project: dict[str, Any]) -> None:
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8"))
    needed = [f"python {project['requires-python']}", *(need.replace(">=", " >=") for need in project["dependencies"])]
    assert [
        need.replace("${{ python_min }}", recipe["context"]["python_min"]) for need in recipe["requirements"]["run"]
    ] == [re.sub(r" *>=", " >=", need) for need in needed]
    assert recipe["build"]["python"]["entry_points"] == [f"{name} = {at}" for name, at in project["scripts"].items()]
    assert recipe["package"]["name"] == project["name"]
    assert (recipe["about"]["summary"], recipe["about"]["license"]) == (project["description"], project["license"])


def test_the_lowest_versions_that_are_tested_are_those_that_are_promised(project: dict[str, Any]) -> None:
    promised = {}
    for need in project["dependencies"] + [n for extra in project["optional-dependencies"].values() for n in extra]:
        name, _, version = need.partition(",")[0].partition(">=")
        promised[re.sub(r"\[.*", "", name)] = version
    lines = (ROOT / "tests" / "lowest.txt").read_text("utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    for need in project["dependencies"]:
        assert need.partition(">=")[0] in pins
    for name, version in pins.items():
        assert re.fullmatch(rf"{re.escape(promised[name])}(\.\d+)*", version), name


def test_every_python_that_is_promised_is_tested_on_every_system(project: dict[str, Any]) -> None:
    yaml = pytest.importorskip("yaml")
    known = "Programming Language :: Python :: "
    promised = [line.removeprefix(known) for line in project["classifiers"] if re.match(rf"{known}3\.", line)]
    assert promised[0] == project["requires-python"].removeprefix(">=")
    for file, jobs in (("tests.yml", ("unix", "windows")), ("release.yml", ("wheel",))):
        workflow = yaml.safe_load((ROOT / ".github" / "workflows" / file).read_text("utf-8"))
        for job in jobs:
            assert workflow["jobs"][job]["strategy"]["matrix"]["python"] == promised


def test_versions_agree() -> None:
    assert release.versions("") == []
    assert "the tag is v9.9.9" in release.versions("v9.9.9")[-1]


def test_a_wheel_with_too_much_or_too_little_is_found(tmp_path: Path) -> None:
    wheel = tmp_path / "made-1.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr("made-1.0.dist-info/METADATA", "[a page](docs/page.md) [a site](https://example.org)")
        files.writestr("wasserstein_transform/compute/__pycache__/one.pyc", "")
        files.writestr("wt_paper/__init__.py", "")
    assert [fault.removeprefix("the wheel has ") for fault in release.wrong_contents(wheel)] == [
        f"{wheel.name} is for one system only",
        "a link of the description: docs/page.md",
        "no wasserstein_transform/py.typed",
        "no made-1.0.dist-info/licenses/LICENSE",
        "no made-1.0.dist-info/entry_points.txt",
        "wasserstein_transform/compute/__pycache__/one.pyc",
        "wt_paper/__init__.py",
    ]
