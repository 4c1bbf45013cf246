"""`wt segment`: a picture goes in, label map, overlay and filtered picture come out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import wasserstein_transform as wt
from wasserstein_transform import _files
from wasserstein_transform.cli import pictures
from wasserstein_transform.cli.app import app

io = pytest.importorskip("imageio.v3")


def picture() -> np.ndarray:
    """A light disc on dark ground, in colors."""
    y, x = np.mgrid[:32, :40]
    inside = np.hypot(y - 15, x - 18) < 9
    return np.where(inside[..., None], np.uint8([230, 180, 40]), np.uint8([20, 40, 90]))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    io.imwrite(tmp_path / "disc.png", picture())
    return tmp_path / "disc.png"


def command(*words: object) -> Result:
    return CliRunner().invoke(app, ["segment", *map(str, words)])


def test_labels_overlay_and_filtered_picture_are_written(file: Path, tmp_path: Path) -> None:
    done = command(file, "-o", tmp_path / "a" / "out", "--spatial", 4)
    assert done.exit_code == 0, done.output
    assert "2 segments of 32 × 40 pixels in" in done.output
    written = {path.name for path in (tmp_path / "a" / "out").iterdir()}
    assert written == {"labels.png", "overlay.png", "filtered.png", "summary.json"}
    labels = io.imread(tmp_path / "a" / "out" / "labels.png")
    assert labels.dtype == np.uint16
    np.testing.assert_array_equal(labels, wt.image.segment_by_radii(picture(), 4).labels)
    np.testing.assert_array_equal(io.imread(tmp_path / "a" / "out" / "filtered.png"), picture())
    overlay = io.imread(tmp_path / "a" / "out" / "overlay.png")
    np.testing.assert_array_equal(
        (overlay != picture()).any(axis=2), wt.image.segment_by_radii(picture(), 4).boundaries()
    )


@pytest.mark.slow
def test_options_reach_the_segmentation(file: Path, tmp_path: Path) -> None:
    options = ["--range", 300, "--lam", 2, "--color", "rgb", "--n-iter", 9, "-j", 1]
    done = command(file, "-o", tmp_path / "out", *options)
    assert done.exit_code == 0, done.output
    assert "1 segment " in done.output
    small = picture()
    small[2:4, 2:4] = 255
    io.imwrite(file, small)
    words = [file, "-o", tmp_path / "out", "--force", "--spatial", 8]
    assert "3 segments" in command(*words).output
    assert "2 segments" in command(*words, "--min-size", 5).output


@pytest.mark.slow
def test_without_radii_a_picture_is_cut_along_its_contours(file: Path, tmp_path: Path) -> None:
    done = command(file, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "2 segments of 32 × 40 pixels in" in done.output
    tree = wt.segment(picture()).tree
    np.testing.assert_array_equal(io.imread(tmp_path / "out" / "labels.png"), tree.cut(0.6))
    contours = io.imread(tmp_path / "out" / "contours.png")
    assert contours.dtype == np.uint8
    np.testing.assert_array_equal(contours < 128, tree.contours() > 0.5)
    for words, labels in ((["--scale", 0.01], tree.cut(0.01)), (["-n", 3], tree.cut(n_segments=3))):
        assert command(file, "-o", tmp_path / "out", "--force", *words).exit_code == 0
        np.testing.assert_array_equal(io.imread(tmp_path / "out" / "labels.png"), labels)
    assert command(file, "-o", tmp_path / "out", "--force", "--spatial", 4).exit_code == 0
    assert not (tmp_path / "out" / "contours.png").exists()  # of a run before


@pytest.mark.slow
def test_regions_are_merged_when_asked_for(tmp_path: Path) -> None:
    grey = np.repeat([[10] * 16 + [22] * 16 + [90] * 16], 16, axis=0).astype(np.uint8)
    io.imwrite(tmp_path / "strips.png", grey)
    for words, merging in (
        ([], None),
        (["--no-merge"], None),
        (["--merge"], wt.image.Merging()),
    ):
        done = command(tmp_path / "strips.png", "-o", tmp_path / "out", "--force", "--spatial", 4, *words)
        assert done.exit_code == 0, done.output
        labels = wt.image.segment_by_radii(grey, 4, merging=merging).labels
        np.testing.assert_array_equal(io.imread(tmp_path / "out" / "labels.png"), labels)
    assert wt.image.segment_by_radii(grey, 4).n_segments == 3


def test_grey_levels_are_of_255_whatever_the_depth(tmp_path: Path) -> None:
    levels = np.repeat([[10] * 10 + [15] * 10], 20, axis=0)
    for name, shown in (("8.png", levels.astype(np.uint8)), ("16.png", (257 * levels).astype(np.uint16))):
        io.imwrite(tmp_path / name, shown)
        for radius, count in ((12, "1 segment "), (4, "2 segments")):
            assert count in command(tmp_path / name, "-o", tmp_path / "out", "--force", "--range", radius).output
            filtered = io.imread(tmp_path / "out" / "filtered.png")
            assert np.abs(filtered - levels).max() <= 3


def test_a_transparent_picture_stays_so(tmp_path: Path) -> None:
    io.imwrite(tmp_path / "clear.png", np.dstack([picture(), np.full((32, 40), 128, np.uint8)]))
    done = command(tmp_path / "clear.png", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert io.imread(tmp_path / "out" / "filtered.png").shape == (32, 40, 4)


def test_more_labels_than_a_png_holds_go_to_an_array(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(file, "-o", tmp_path / "out")
    monkeypatch.setattr(pictures, "_MOST", 1)
    done = command(file, "-o", tmp_path / "out", "--force")
    assert "labels.npy has 32 bits per pixel" in done.output
    assert not (tmp_path / "out" / "labels.png").exists()
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "labels.npy"), wt.image.segment(picture()).labels)


def test_warnings_are_notes(file: Path, tmp_path: Path) -> None:
    io.imwrite(file, np.random.default_rng(0).integers(0, 60, (32, 40)).astype(np.uint8))
    done = command(file, "-o", tmp_path / "out", "--n-iter", 1)
    assert done.exit_code == 0, done.output
    assert "note: " in done.output
    assert "did not rest within 1 iterations" in done.output


def test_all_files_are_written_or_none(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command(file, "-o", tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    publish = _files.Draft.publish

    def full(draft: Any) -> Any:
        if draft.target.name.startswith("filtered"):
            raise OSError("No space left on device")
        return publish(draft)

    monkeypatch.setattr(_files.Draft, "publish", full)
    done = command(file, "-o", tmp_path / "out", "--force", "--range", 300)
    assert (done.exit_code, done.output) == (2, "wt segment: No space left on device\n")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    done = command(file, "-o", tmp_path / "new" / "below")
    assert done.exit_code == 2
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["labels.png", "labels.npy", "overlay.png", "filtered.png"])
def test_a_folder_where_a_file_should_go_is_said_before_anything_is_computed(
    name: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out" / name).mkdir(parents=True)
    monkeypatch.setattr(pictures, "load", None)
    done = command(file, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert f"got the folder {tmp_path / 'out' / name}" in done.output
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]


def test_a_small_file_that_unpacks_to_a_large_picture_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    io.imwrite(tmp_path / "large.png", np.zeros((3000, 4000), np.uint8))
    with wt.using(memory=1e6), pytest.raises(MemoryError, match=r"the picture .*large.png needs 34.3 MiB"):
        pictures.load(tmp_path / "large.png")
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(ValueError, match=r"cannot be read as a picture; .* too large, .*exceeds limit of 2000 pixels"):
        pictures.load(tmp_path / "large.png")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["NONE"], "none.png is not there"),
        (["FOLDER"], "is not a file; give an image"),
        (["TEXT"], "text.png cannot be read as a picture; it is damaged"),
        (["CUT"], "cut.png cannot be read as a picture; it is damaged"),
        (["STACK"], "has shape (3, 8, 9, 3), which is not one gray or color picture"),
        (["FILE", "-o", "FILE"], "is a file; give a folder"),
        (["FILE", "-o", "FILE/below"], "is a file; give a folder"),
        (["FILE", "--spatial", "0"], "spatial must be positive"),
        (["FILE", "--scale", "2"], "scale must lie between 0 and 1"),
        (["FILE", "-n", "9999"], "n_segments must be at most"),
        (["FILE", "--scale", "0.5", "--lam", "1"], "--scale is for contours"),
        (["FILE", "--range", "nan"], "range must be"),
        (["FILE", "--lam", "-1"], "lam must be"),
        (["FILE", "--color", "hsv"], "color must be one of luv, lab, rgb and none, got 'hsv'"),
        (["FILE", "--min-size", "-1"], "min_size must be"),
        (["FILE", "--n-iter", "0"], "n_iter must be"),
        (["FILE", "-j", "0"], "n_jobs must be"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(file: Path, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "cut.png").write_bytes(file.read_bytes()[:60])
    io.imwrite(tmp_path / "stack.tif", np.zeros((3, 8, 9, 3), np.uint8))
    names = {"NONE": tmp_path / "none.png", "FOLDER": tmp_path, "TEXT": tmp_path / "text.png", "FILE": file}
    names |= {"CUT": tmp_path / "cut.png", "STACK": tmp_path / "stack.tif", "FILE/below": file / "below"}
    where = [] if "-o" in words else ["-o", tmp_path / "out"]
    done = command(*(names.get(word, word) for word in words), *where)
    assert done.exit_code == 2, done.output
    assert done.output.startswith("wt segment: ")
    assert done.output.count("\n") == 1
    assert message in done.output
    assert not (tmp_path / "out").exists()


def test_without_scikit_image_it_says_how_to_get_it(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "imageio.v3", None)
    done = command(file, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert 'pip install "wasserstein-transform[image]"' in done.output


def test_many_segments_come_with_advice(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (40, 40, 3), dtype=np.uint8)
    io.imwrite(tmp_path / "noise.png", noise)
    done = CliRunner().invoke(app, ["segment", str(tmp_path / "noise.png"), "-o", str(tmp_path / "a"), "--range", "8"])
    assert "leave out --spatial and --range, or add --min-size 50" in done.output
    done = CliRunner().invoke(
        app, ["segment", str(tmp_path / "noise.png"), "-o", str(tmp_path / "b"), "--range", "8", "--min-size", "9"]
    )
    assert "leave out --spatial" not in done.output


def test_merging_alone_has_the_radii_it_was_tuned_for(file: Path, tmp_path: Path) -> None:
    assert command(file, "-o", tmp_path / "out", "--merge").exit_code == 0
    expected = wt.image.segment_by_radii(picture(), 5, 3, 5, merging=wt.image.Merging())
    np.testing.assert_array_equal(io.imread(tmp_path / "out" / "labels.png"), expected.labels)
