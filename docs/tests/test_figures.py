"""Tables of measured figures are those of their records."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks import record
from benchmarks.timing import Row
from docs.building import figures

ROOT = Path(__file__).parents[2]
SHOWN = figures.pages(ROOT)


@pytest.mark.parametrize("file", SHOWN, ids=lambda file: file.name)
def test_tables_of_a_page_are_those_of_the_records(file: Path) -> None:
    text = file.read_text("utf-8")
    assert figures.filled(text) == text, "PYTHONPATH=docs python -m building.figures renders it anew"


def test_every_record_is_shown() -> None:
    shown = {name for file in SHOWN for name in re.findall(r"<!-- figures: ([\w-]+)", file.read_text("utf-8"))}
    assert shown == {file.stem for file in figures.FIGURES.glob("*.json")}
    assert len(shown) > 10


def test_a_record_says_by_what_when_and_where(tmp_path: Path) -> None:
    found = record.of_rows("toy", "python -m benchmarks toy", [Row("work", "1 s", "peer: 2 s", "2×")])
    record.write(found, tmp_path / "toy.json")
    assert json.loads((tmp_path / "toy.json").read_text("utf-8")) == found
    text = figures.rendered("toy", tmp_path)
    assert text.startswith(
        "| work | here | peer | ratio |\n| --- | --- | --- | --- |\n| work | 1 s | peer: 2 s | 2× |\n\n*"
    )
    for said in (found["date"], found["machine"], "`python -m benchmarks toy`", f"numpy {found['versions']['numpy']}"):
        assert said in text


def test_tables_that_a_benchmark_prints_are_recorded(tmp_path: Path) -> None:
    printed = "## Shapes\n\n| a | b |\n|---|---|\n| 1 | 2 − 3 |\n\nand more:\n\n| c | d |\n| --- | :-- |\n| – | 5 |\n"
    found = record.of_rows("toy", "toy", [Row("work", "1 s", "2 s", "2×")], printed)
    assert [table["title"] for table in found["tables"]] == ["Shapes", "and more", "toy"]
    assert [table["rows"] for table in found["tables"][:2]] == [[["1", "2 − 3"]], [["–", "5"]]]
    record.write(found, tmp_path / "toy.json")
    assert figures.rendered("toy", tmp_path, 2).startswith("| c | d |\n| --- | --- |\n| – | 5 |\n\n*")


def test_a_page_is_rendered_anew_and_what_is_missing_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "figures"
    record.write(record.of_rows("toy", "toy", [Row("work", "1 s", "2 s", "2×")]), folder / "toy.json")
    (tmp_path / "README.md").write_text("nothing\n", "utf-8")
    page = tmp_path / "docs" / "page.md"
    page.write_text("before\n<!-- figures: toy -->\nold\n<!-- end of figures -->\nafter\n", "utf-8")
    figures.write(tmp_path)
    text = page.read_text("utf-8")
    assert "| work | 1 s | 2 s | 2× |" in text
    assert "old" not in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    with pytest.raises(ValueError, match=r"no gone\.json in docs/figures"):
        figures.filled("<!-- figures: gone -->\n<!-- end of figures -->", folder)


def test_a_row_of_the_front_page_is_one_row_of_a_record(tmp_path: Path) -> None:
    rows = [Row("work", "1 s", "2 s", "2×"), Row("work, long", "", "", "")]
    record.write(record.of_rows("toy", "toy", rows), tmp_path / "toy.json")

    def choose(begin: str) -> str:
        row = {"record": "toy", "row": begin, "work": "w", "peer": "p"}
        (tmp_path / "front.json").write_text(json.dumps({"columns": ["a", "b", "c", "d"], "rows": [row]}), "utf-8")
        return figures.rendered("front", tmp_path)

    assert "| w | 1 s | p | **2×** |" in choose("work")  # the whole name of one, though the other begins with it
    assert "| w |  | p | **** |" in choose("work, l")
    with pytest.raises(ValueError, match=r"2 rows of toy\.json begin with 'wor'"):
        choose("wor")
