import pytest

from wasserstein_transform.explorer.settings import Settings


def test_settings_travel_in_an_address():
    asked = {"eps": "0.123456789012345", "method": "lt", "lam": "3.5", "n_iter": "7", "p": "2"}
    assert Settings.read(asked, Settings(1.0)) == Settings(0.123456789012345, "lt", lam=3.5, n_iter=7, p=2.0)


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
