"""What is compared between versions does not depend on the number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from everyday import at_size


@pytest.mark.slow
def test_results_at_size_do_not_depend_on_the_number_of_threads() -> None:
    alone, together = at_size(1), at_size(3)
    assert set(alone) == set(together)
    for name, value in alone.items():
        np.testing.assert_array_equal(value, together[name], err_msg=name)
