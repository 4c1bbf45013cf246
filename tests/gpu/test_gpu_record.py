"""The record of GPU tests: stale once the code has changed, and not by comments."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpu import record

MACHINE = {"device": "GPU 0 (a card)", "driver": "13.0", "cuda": "13.0", "cupy": "14.2.0", "date": "2026-11-16"}


def test_comments_and_docstrings_do_not_count_and_code_does(tmp_path: Path) -> None:
    def hashed(python: str, cuda: str) -> str:
        (tmp_path / "a.py").write_text(python)
        (tmp_path / "a.cu").write_text(cuda)
        return record.code_hash(tmp_path)

    first = hashed('"""Of it."""\nx = 1  # one\n', "int a = 1;  // one\n")
    assert hashed('"""Other."""\nx = 1\n', "/* two\nlines */ int a =   1;\n") == first
    assert hashed('"""Of it."""\nx = 2\n', "int a = 1;\n") != first
    assert hashed('"""Of it."""\nx = 1\n', "int a = 2;\n") != first


@pytest.mark.slow
def test_a_record_stands_until_the_code_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "record.json"
    assert record.standing(path)[0] is False
    record.write({"a": "passed", "b": "passed"}, MACHINE, path)
    good, line = record.standing(path)
    assert good
    assert "2 of 2 tests passed on GPU 0 (a card), driver 13.0" in line
    record.write({"a": "passed", "b": "failed"}, MACHINE, path)
    assert record.standing(path)[0] is False
    record.write({"a": "passed"}, MACHINE, path)
    monkeypatch.setattr(record, "code_hash", lambda: "0")
    good, line = record.standing(path)
    assert not good
    assert "STALE" in line


def test_the_page_is_renewed_when_that_is_asked_for_and_only_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, old = tmp_path / "gpu.md", "before\n<!-- record -->\nold\n<!-- end -->\nafter\n"
    page.write_text(old)
    monkeypatch.setattr(record, "PAGE", page)
    for good, line in ((False, "**STALE**"), (True, "all passed")):
        monkeypatch.setattr(record, "standing", lambda good=good, line=line: (good, line))
        for option, status in (("", 0), ("--check", 1), ("--write", 0), ("--check", int(not good))):
            before = page.read_text()
            monkeypatch.setattr("sys.argv", ["record.py", option])
            assert record.main() == status
            assert option == "--write" or page.read_text() == before
        assert page.read_text() == old.replace("old", line)
        assert ("!!!" in capsys.readouterr().out) is not good
