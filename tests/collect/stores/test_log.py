"""Names in the log of what operators did."""

import pytest

from privge.collect.stores.log import signed


@pytest.mark.parametrize("name", ["", " ", "a" * 65, "a(b)", "a\nb", "é", "\x1b[2J"])
def test_a_name_that_could_mislead_is_refused(name):
    with pytest.raises(ValueError, match="a name in the log"):
        signed(name, "operator")
