"""Pictures in files: what is read, and the same answer as for arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import wasserstein_transform as wt
from wasserstein_transform.cli.app import app
from wasserstein_transform.image.reading import from_file

pillow = pytest.importorskip("PIL.Image")
tifffile = pytest.importorskip("tifffile")


@pytest.fixture
def levels(rng: np.random.Generator) -> np.ndarray:
    """Three gray levels with noise."""
    y, x = np.mgrid[:100, :140]
    return np.rint(60 + 60 * (x > 60) + 80 * (np.hypot(x - 100, y - 50) < 30) + rng.normal(0, 3, x.shape))


def same(file: Path, array: np.ndarray, **options: object) -> None:
    np.testing.assert_array_equal(from_file(file).image, array)
    np.testing.assert_array_equal(wt.segment(file).labels, wt.segment(array, **options).labels)
    assert wt.segment(str(file)).n_segments >= 3


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
def test_gray_files_are_segmented_like_their_arrays(kind: type, levels: np.ndarray, tmp_path: Path) -> None:
    unit = {np.uint8: 1, np.uint16: 17, np.float32: 0.01}[kind]
    array = (levels * unit).astype(kind)
    tifffile.imwrite(tmp_path / "gray.tif", array)
    same(tmp_path / "gray.tif", array)
    if kind is not np.float32:
        pillow.fromarray(array).save(tmp_path / "gray.png")
        same(tmp_path / "gray.png", array)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_channels_of_a_microscope_are_no_colors(n: int, levels: np.ndarray, tmp_path: Path) -> None:
    array = np.stack([levels, *np.random.default_rng(0).normal(90, 3, (n - 1, *levels.shape))], axis=2)
    array = array.astype(np.uint16)
    for file, stored in (("last.tif", array), ("first.tif", np.moveaxis(array, 2, 0))):
        tifffile.imwrite(tmp_path / file, stored, photometric="minisblack")
        same(tmp_path / file, array, color=False)


def test_a_stack_in_a_file_is_what_it_is_as_an_array(tmp_path: Path) -> None:
    stack = np.random.default_rng(0).integers(0, 60_000, (8, 20, 30)).astype(np.uint16)
    tifffile.imwrite(tmp_path / "stack.tif", stack)
    for given in (stack, tmp_path / "stack.tif"):
        with pytest.raises(ValueError, match=r"got shape \(8, 20, 30\); give one frame"):
            wt.segment(given)
    for words in ([], ["--spatial", "2", "--n-iter", "1"]):
        done = CliRunner().invoke(app, ["segment", str(tmp_path / "stack.tif"), "-o", str(tmp_path / "out"), *words])
        assert done.exit_code == 2
        assert "shape (8, 20, 30)" in done.output


def test_transparent_pixels_of_files_are_left_out(levels: np.ndarray, tmp_path: Path) -> None:
    alpha = np.full(levels.shape, 255, np.uint8)
    alpha[:20, :20] = 0
    gray = np.stack([levels.astype(np.uint8), alpha], axis=2)
    color = np.stack([*[levels.astype(np.uint8)] * 3, alpha], axis=2)
    pillow.fromarray(gray, "LA").save(tmp_path / "gray.png")
    pillow.fromarray(color, "RGBA").save(tmp_path / "color.png")
    tifffile.imwrite(tmp_path / "color.tif", color, photometric="rgb", extrasamples=["unassalpha"])
    for name in ("gray.png", "color.png", "color.tif"):
        same(tmp_path / name, color)
        np.testing.assert_array_equal(wt.segment(tmp_path / name).labels < 0, alpha == 0)


def test_palettes_and_inks_become_colors(levels: np.ndarray, tmp_path: Path) -> None:
    photo = pillow.fromarray(np.stack([levels, levels[::-1], 0 * levels + 99], axis=2).astype(np.uint8))
    photo.convert("P").save(tmp_path / "palette.png")
    photo.convert("CMYK").save(tmp_path / "inks.jpg", quality=95)
    photo.convert("P").save(tmp_path / "palette.tif")
    for name in ("palette.png", "inks.jpg", "palette.tif"):
        found = from_file(tmp_path / name)
        assert found.is_color
        assert found.image.shape == (100, 140, 3)
    assert np.abs(from_file(tmp_path / "inks.jpg").image - np.asarray(photo, float)).mean() < 12


def test_a_list_and_a_folder_give_a_segmentation_for_each_picture(levels: np.ndarray, tmp_path: Path) -> None:
    for name in ("b.png", "a.png"):
        pillow.fromarray(levels.astype(np.uint8)).save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no picture")
    one = wt.segment(tmp_path / "a.png")
    for several in (tmp_path, [tmp_path / "a.png", str(tmp_path / "b.png")]):
        found = wt.segment(several)
        assert len(found) == 2
        np.testing.assert_array_equal(found[1].labels, one.labels)
    pillow.new("L", (9, 9)).save(tmp_path / "m.gif", save_all=True, append_images=[pillow.new("L", (9, 9), 9)])
    with pytest.raises(ValueError, match="frames"):
        wt.segment(tmp_path / "m.gif")


def test_radii_take_files_as_well(levels: np.ndarray, tmp_path: Path) -> None:
    pillow.fromarray(levels.astype(np.uint16) * 200).save(tmp_path / "deep.png")
    found = wt.image.segment_by_radii(tmp_path / "deep.png", 4, 4000)
    expected = wt.image.segment_by_radii(levels.astype(np.uint16) * 200, 4, 4000)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert 1 < found.n_segments < 10
