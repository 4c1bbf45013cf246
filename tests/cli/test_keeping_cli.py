"""Where results go: together, never over what is there, whole whatever ends the process."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_files import SCRIPT, blobs, run, write_csv

from wasserstein_transform import _files
from wasserstein_transform.cli import reading
from wasserstein_transform.clustering import clusters as clustering


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "points.csv", blobs())


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def transform(file: Path, *words: object) -> Any:
    return run("transform", file, "--eps", 1, *words)


@pytest.mark.parametrize("name", ["transformed.csv", "transformed.png", "summary.json"])
def test_what_is_there_is_refused_before_the_file_is_read(
    name: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("mine")
    monkeypatch.setattr(reading, "read_table", None)
    done = transform(file, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert done.stderr == f"wt transform: {tmp_path / 'out' / name} exists already; --force overwrites it\n"
    assert content(tmp_path / "out") == {name: b"mine"}


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["-o", "there.csv"], "there.csv exists already; --force"),
        (["-o", "points.csv", "--force"], "points.csv is the input file; give another name"),
        (["--figure", "there.png"], "there.png exists already; --force"),
        (["--distances", "new.txt"], "--distances must end in .npy, got new.txt"),
        (["--figure", "fig.gif"], "--figure must end in .png, .svg, .pdf, got fig.gif"),
        (["-o", "no/such.csv"], "to write such.csv to; make it first"),
        (["-o", "there.csv/out"], "there.csv is a file; give a folder"),
        (["-o", "out.xlsx"], "out.xlsx: .xlsx is not written by this command"),
        (["-o", ""], "-o must be a folder, a file or -"),
        (["-o", "-", "--json"], "--json and -o - both print to standard output"),
    ],
)
def test_bad_targets_are_one_line(
    words: list[str], error: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("there.csv", "there.png", "plain"):
        (tmp_path / name).write_text("mine")
    before = content(tmp_path)
    done = run("transform", "points.csv", "--eps", 1, *words)
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("wt transform: ")
    assert done.stderr.count("\n") == 1
    assert error in done.stderr
    assert content(tmp_path) == before


@pytest.mark.slow
def test_force_writes_over_its_own_files_alone(file: Path, tmp_path: Path) -> None:
    assert transform(file, "-o", tmp_path / "out").exit_code == 0
    before = content(tmp_path / "out")
    (tmp_path / "out" / "other.csv").write_text("mine")
    done = transform(file, "-o", tmp_path / "out", "--force", "--lam", 9)
    assert done.exit_code == 0, done.output
    after = content(tmp_path / "out")
    assert after.pop("other.csv") == b"mine"
    assert after.keys() == before.keys()
    assert all(after[name] != before[name] for name in before)


@pytest.mark.slow
def test_a_name_with_a_slash_is_a_folder(file: Path, tmp_path: Path) -> None:
    assert transform(file, "-o", f"{tmp_path / 'run.one'}/", "-q").exit_code == 0
    assert (tmp_path / "run.one" / "transformed.csv").exists()


@pytest.mark.slow
def test_figures_go_where_they_are_asked_for(file: Path, tmp_path: Path) -> None:
    done = transform(file, "-o", tmp_path / "out", "--figure", tmp_path / "fig.pdf")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "fig.pdf").read_bytes().startswith(b"%PDF")
    assert set(content(tmp_path / "out")) == {"transformed.csv", "summary.json"}
    assert str(tmp_path / "fig.pdf") in done.stdout


def test_all_files_are_written_or_none(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transform(file, "-o", tmp_path / "out")
    before, publish = content(tmp_path / "out"), _files.Draft.publish

    def full(draft: Any) -> Any:
        if draft.target.name == "summary.json":
            raise OSError(28, "No space left on device")
        return publish(draft)

    monkeypatch.setattr(_files.Draft, "publish", full)
    done = transform(file, "-o", tmp_path / "out", "--force", "--lam", 9)
    said = f"wt transform: {tmp_path / 'out' / 'summary.json'}: no space left on device\n"
    assert (done.exit_code, done.stderr) == (2, said)
    assert content(tmp_path / "out") == before
    assert transform(file, "-o", tmp_path / "new" / "below").exit_code == 2
    assert not (tmp_path / "new").exists()


def test_two_results_have_two_names(file: Path, tmp_path: Path) -> None:
    matrix = tmp_path / "one.npy"
    done = transform(file, "-o", matrix, "--distances", matrix)
    assert done.exit_code == 2
    assert f"{matrix} would be written twice; give two different names" in done.stderr


def test_what_cannot_be_drawn_is_a_note_unless_it_was_asked_for(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("no ink")

    monkeypatch.setattr("wasserstein_transform.plotting.cloud", fail)
    done = transform(file, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "note: no figure: no ink" in done.stderr
    assert set(content(tmp_path / "out")) == {"transformed.csv", "summary.json"}
    assert transform(file, "--figure", tmp_path / "fig.png").exit_code == 1  # with its traceback


def test_the_table_goes_to_pipes_and_words_to_people(file: Path, tmp_path: Path) -> None:
    piped = transform(file)
    assert piped.stdout.startswith("x,y,x_moved,y_moved\n")
    assert len(piped.stdout.splitlines()) == 61
    assert piped.stderr.startswith("60 points, columns x, y\n")
    assert transform(file, "-o", "-", "--quiet").stderr == ""
    assert transform(file, "-o", tmp_path / "out.csv").stdout.startswith("60 points, columns x, y\n")
    assert (tmp_path / "out.csv").read_text() == piped.stdout
    assert transform(file, "-o", tmp_path / "out.csv.gz").exit_code == 0
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()).decode() == piped.stdout
    assert transform(file, "-o", tmp_path / "out.csv", "--force", "--quiet").output == ""


@pytest.mark.slow
def test_json_is_the_summary_and_nothing_else(file: Path, tmp_path: Path) -> None:
    done = transform(write_csv(tmp_path / "far.csv", blobs() * [1, 1e5]), "--json", "-o", tmp_path / "out")
    assert done.stderr == ""
    said, kept = json.loads(done.stdout), json.loads((tmp_path / "out" / "summary.json").read_text())
    assert said == kept
    assert any("spreads" in note for note in said["notes"])
    assert set(json.loads(transform(file, "--json").stdout)) == set(said)


@pytest.mark.slow
@pytest.mark.parametrize("words", [["cluster", "-k", 2], ["denoise"], ["transform"]])
def test_a_run_is_repeated_byte_for_byte(words: list[object], file: Path, tmp_path: Path) -> None:
    assert run(*words, file, "--scale", "robust", "-q", "-o", tmp_path / "first").exit_code == 0
    done = run(*words, file, "--scale", "robust", "-q", "-o", tmp_path / "second")
    assert done.exit_code == 0, done.output
    first, second = content(tmp_path / "first"), content(tmp_path / "second")
    table = next(name for name in first if name.endswith(".csv"))
    assert first[table] == second[table]
    one, two = (json.loads(files["summary.json"]) for files in (first, second))
    for name in ("parameters", "result", "file"):
        assert one[name] == two[name]


SLOW = SCRIPT.replace(
    "main()",
    "import wasserstein_transform.clustering as auto, time, sys;"
    "plain = auto.cluster;"
    "auto.cluster = lambda *a, **k: (sys.stdout.write('now'), sys.stdout.flush(), time.sleep(60), plain(*a, **k))[-1];"
    "main()",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "status", "said"),
    [
        (signal.SIGINT, 130, "wt cluster: stopped; nothing was written\n"),
        pytest.param(signal.SIGTERM, 143, "", marks=pytest.mark.slow),
        (signal.SIGKILL, -9, ""),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_nothing_is_left_of_a_command_that_was_ended(
    how: int, status: int, said: str, file: Path, tmp_path: Path
) -> None:
    words = ["cluster", str(file), "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.read(3) == "now"  # it computes
        running.send_signal(how)
        _, errors = running.communicate(timeout=30)
    assert running.returncode == status
    assert errors == said
    assert [path.name for path in tmp_path.iterdir()] == ["points.csv"]


def test_out_of_memory_is_a_status_of_its_own(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise MemoryError("clusters need 9 GiB, and 1 GiB are available; take fewer points")

    monkeypatch.setattr(clustering, "_cluster_space", full)
    done = run("cluster", file)
    assert (done.exit_code, done.stderr) == (
        3,
        "wt cluster: clusters need 9 GiB, and 1 GiB are available; take fewer points\n",
    )


@pytest.mark.slow
def test_readers_who_go_away_hear_no_complaint(file: Path) -> None:
    if os.name == "nt":
        pytest.skip("pipes of Unix")
    for words in (["transform", str(file)], ["--help"]):
        with subprocess.Popen(
            [sys.executable, "-c", SCRIPT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as running:
            assert running.stdout is not None
            running.stdout.close()
            errors = running.stderr.read() if running.stderr is not None else ""
            running.wait(30)
        assert running.returncode == 141, errors
        assert "Traceback" not in errors
        assert "BrokenPipe" not in errors


def test_a_mistake_of_the_program_is_told_from_one_of_the_user() -> None:
    script = "import wasserstein_transform.cli.info as one; one._installed = lambda: {}['no']; "
    done = subprocess.run([sys.executable, "-c", script + SCRIPT, "info"], capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "Traceback" in done.stderr
    assert done.stderr.endswith("please report it with the lines above\n")
