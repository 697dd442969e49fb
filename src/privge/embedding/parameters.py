"""Parameters by name, in scikit-learn's form."""

import inspect
from typing import Self


class NamedParameters:
    """Lets ``sklearn.base.clone`` and searches work. Subclasses keep what they are given under its own name.

    A dataclass does so by itself: its fields are its parameters.
    """

    def get_params(self, deep: bool = True) -> dict[str, object]:  # noqa: ARG002, FBT001, FBT002 (scikit-learn's signature)
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **parameters: object) -> Self:
        """Change parameters by name."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise ValueError(f"{name!r} is not a parameter; there are {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({given})"
