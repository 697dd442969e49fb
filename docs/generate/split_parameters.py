"""An extension of griffe: parameters that are described together are shown each with its own type and default."""

from typing import Any

import griffe
from parameter_entries import split


class SplitParameters(griffe.Extension):
    """Give every parameter an entry of its own, before the docstring is read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:  # noqa: ANN401 (griffe's own signature)
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = split(obj.docstring.value)
