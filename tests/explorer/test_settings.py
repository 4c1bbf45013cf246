from urllib.parse import parse_qsl

import numpy as np
import pytest

import wasserstein_transform as wt
from wasserstein_transform.explorer.settings import METHODS, Settings


@pytest.mark.parametrize("method", METHODS)
def test_code_of_the_page_computes_what_the_page_shows(method):
    asked = Settings(0.4, method, lam=2.0, n_iter=2, p=2.0)
    code = asked.code("X = wt.datasets.dumbbell().points[::20]")
    names = {}
    exec(code, names)
    shown = wt.iterate(asked.process(), wt.Space.from_points(names["X"]), n_iter=2).last
    np.testing.assert_array_equal(names["Z"], wt.hierarchy.linkage(shown))


def test_settings_travel_in_an_address():
    asked = Settings(0.123456789012345, "lt", lam=3.5, n_iter=7, p=2.0)
    assert Settings.read(dict(parse_qsl(asked.query)), Settings(1.0)) == asked


@pytest.mark.parametrize(
    "words", [{"eps": "nan"}, {"eps": "-1"}, {"eps": "x"}, {"n_iter": "1e9"}, {"n_iter": "99"}, {"method": "os"},
              {"p": "0"}, {"lam": "inf"}, {"secret": "1"}],
)  # fmt: skip
def test_what_makes_no_sense_in_an_address_is_left_out(words):
    assert Settings.read(words, Settings(0.5)) == Settings(0.5)


def test_settings_are_checked():
    with pytest.raises(ValueError, match="method must be one of 'gt', 'ridge', 'ms', 'lt', got 'k'"):
        Settings(1.0, "k")
    with pytest.raises(ValueError, match="n_iter must be at most 30"):
        Settings(1.0, n_iter=31)
