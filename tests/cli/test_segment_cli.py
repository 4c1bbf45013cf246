"""`wt segment`: a picture goes in, label map, overlay and filtered picture come out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import wasserstein_transform as wt
from wasserstein_transform import _files
from wasserstein_transform.cli.app import app
from wasserstein_transform.image.reading import from_file

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
    assert "disc.png: 2 segments of 32 × 40 pixels\n" in done.output
    written = {path.name for path in (tmp_path / "a" / "out").iterdir()}
    tables = {"regions.csv", "regions.geojson", "summary.json"}
    assert written == {"labels.png", "labels.npy", "overlay.png", "filtered.png", *tables}
    expected = wt.image.segment_by_radii(picture(), 4)
    np.testing.assert_array_equal(np.load(tmp_path / "a" / "out" / "labels.npy"), expected.labels)
    np.testing.assert_array_equal(io.imread(tmp_path / "a" / "out" / "labels.png"), expected.colored())
    assert json.loads((tmp_path / "a" / "out" / "regions.geojson").read_text()) == expected.polygons()
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a" / "out" / "regions.csv"), expected.regions())
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
    assert "disc.png: 2 segments of 32 × 40 pixels, at scale 0.61\n" in done.output
    tree = wt.segment(picture()).tree
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "labels.npy"), tree.cut(tree.choose_scale()))
    contours = io.imread(tmp_path / "out" / "contours.png")
    assert contours.dtype == np.uint8
    np.testing.assert_array_equal(contours < 128, tree.contours() > 0.5)
    for words, labels in ((["--scale", 0.01], tree.cut(0.01)), (["-n", 3], tree.cut(n_segments=3))):
        assert command(file, "-o", tmp_path / "out", "--force", *words).exit_code == 0
        np.testing.assert_array_equal(np.load(tmp_path / "out" / "labels.npy"), labels)


@pytest.mark.parametrize("kind", ["gray", "two", "deep", "float", "clear"])
def test_the_command_gives_what_python_gives(kind: str, tmp_path: Path, rng: np.random.Generator) -> None:
    y, x = np.mgrid[:100, :120]
    levels = np.rint(60 + 60 * (x > 50) + 80 * (np.hypot(x - 85, y - 50) < 25) + rng.normal(0, 3, x.shape))
    made = {
        "gray": levels.astype(np.uint8),
        "two": np.stack([levels, levels[::-1]], axis=2).astype(np.uint16),
        "deep": levels.astype(np.uint16) * 16,
        "float": levels.astype(np.float32) / 1000,
        "clear": np.stack([levels, levels, levels, 255.0 * (x > 20)], axis=2).astype(np.uint8),
    }[kind]
    tifffile = pytest.importorskip("tifffile")
    tifffile.imwrite(tmp_path / "a.tif", made, photometric="rgb" if kind == "clear" else "minisblack")
    radius = {"two": 20, "deep": 320, "float": 0.02}.get(kind, 20)
    for words, expected in (
        ([], wt.segment(made)),
        (["--spatial", 4, "--range", radius], wt.image.segment_by_radii(made, 4, radius)),
    ):
        done = command(tmp_path / "a.tif", "-o", tmp_path / "out", "--force", *words)
        assert done.exit_code == 0, done.output
        np.testing.assert_array_equal(np.load(tmp_path / "out" / "labels.npy"), expected.labels)
        assert 2 < expected.n_segments < 100
    assert (expected.labels == -1).any() == (kind == "clear")


def test_several_pictures_have_a_folder_each_and_one_table(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    io.imwrite(folder / "disc.png", picture()[::-1])
    (folder / "broken.jpg").write_text("no picture")
    done = command(file, folder, "-o", tmp_path / "out", "--masks")
    assert done.exit_code == 0, done.output
    assert "4 segments in 2 pictures" in done.output
    assert "left out: " in done.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"disc", "disc-2", "regions.csv", "summary.json"}
    table = pd.read_csv(tmp_path / "out" / "regions.csv")
    assert table["image"].tolist() == [str(file)] * 2 + [str(folder / "disc.png")] * 2
    for name, shown in (("disc", picture()), ("disc-2", picture()[::-1])):
        found = wt.segment(shown)
        np.testing.assert_array_equal(np.load(tmp_path / "out" / name / "labels.npy"), found.labels)
        np.testing.assert_array_equal(io.imread(tmp_path / "out" / name / "mask-1.png") > 0, found.mask(1))
    assert command(folder, "-o", tmp_path / "out").exit_code == 2  # nothing is overwritten


def test_a_dark_picture_of_sixteen_bits_is_shown_stretched(tmp_path: Path) -> None:
    io.imwrite(tmp_path / "deep.png", (picture()[..., 0].astype(np.uint16)) + 300)
    assert command(tmp_path / "deep.png", "-o", tmp_path / "out").exit_code == 0
    assert np.ptp(io.imread(tmp_path / "out" / "overlay.png")) == 255


def test_a_transparent_picture_stays_so(tmp_path: Path) -> None:
    io.imwrite(tmp_path / "clear.png", np.dstack([picture(), np.full((32, 40), 128, np.uint8)]))
    done = command(tmp_path / "clear.png", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert io.imread(tmp_path / "out" / "filtered.png").shape == (32, 40, 4)


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
    monkeypatch.setattr("wasserstein_transform.image.reading.from_file", None)
    done = command(file, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert f"got the folder {tmp_path / 'out' / name}" in done.output
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]


def test_a_small_file_that_unpacks_to_a_large_picture_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    io.imwrite(tmp_path / "large.png", np.zeros((3000, 4000), np.uint8))
    with wt.using(memory=1e6), pytest.raises(MemoryError, match=r"the picture .*large.png needs 34.3 MiB"):
        from_file(tmp_path / "large.png")
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(ValueError, match=r"cannot be read as a picture; .* too large, .*exceeds limit of 2000 pixels"):
        from_file(tmp_path / "large.png")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["NONE"], "none.png does not exist; give a picture"),
        (["EMPTY"], "has no picture; pictures end in .png, .jpg"),
        (["TEXT"], "text.png cannot be read as a picture; it is damaged"),
        (["CUT"], "cut.png cannot be read as a picture; it is damaged"),
        (["STACK"], "has shape (3, 8, 9, 3), which is not one picture; give one frame of it"),
        (["FILE", "-o", "FILE"], "is a file; give a folder"),
        (["FILE", "--spatial", "0"], "--spatial must be positive"),
        (["FILE", "--scale", "2"], "scale must lie between 0 and 1"),
        (["FILE", "-n", "9999"], "--n-segments must be at most"),
        (["FILE", "--scale", "0.5", "--lam", "1"], "--scale is for contours"),
        (["FILE", "--lam", "-1"], "--lam must be"),
        (["FILE", "--color", "hsv"], "color must be one of 'luv', 'lab', 'rgb', 'none', got 'hsv'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(file: Path, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "cut.png").write_bytes(file.read_bytes()[:60])
    io.imwrite(tmp_path / "stack.tif", np.zeros((3, 8, 9, 3), np.uint8))
    names = {"NONE": tmp_path / "none.png", "EMPTY": tmp_path / "empty", "TEXT": tmp_path / "text.png", "FILE": file}
    names |= {"CUT": tmp_path / "cut.png", "STACK": tmp_path / "stack.tif", "FILE/below": file / "below"}
    where = [] if "-o" in words else ["-o", tmp_path / "out"]
    done = command(*(names.get(word, word) for word in words), *where)
    assert done.exit_code == 2, done.output
    assert done.output.startswith("wt segment: ")
    assert done.output.count("\n") == 1
    assert message in done.output
    assert not (tmp_path / "out").exists()


def test_without_pillow_it_says_how_to_get_it(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    done = command(file, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert 'pip install "wasserstein-transform[image]"' in done.output
