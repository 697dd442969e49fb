"""What the heads share: scikit-learn's shape."""

import inspect
from typing import TYPE_CHECKING, ClassVar, Self

if TYPE_CHECKING:
    from sklearn.utils import Tags


class Estimator:
    """Parameters by name, so that ``sklearn.base.clone`` and searches work. Subclasses set what they are given."""

    kind: ClassVar[str | None] = None

    def get_params(self, deep: bool = True) -> dict[str, object]:  # noqa: ARG002, FBT001, FBT002 (scikit-learn's signature)
        """Return the parameters by name."""
        return {
            name: getattr(self, name) for name in inspect.signature(type(self).__init__).parameters if name != "self"
        }

    def set_params(self, **parameters: object) -> Self:
        """Change parameters by name."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise ValueError(f"{name!r} is no parameter; there are {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({given})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "network_")

    def __sklearn_tags__(self) -> "Tags":
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type=self.kind,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if self.kind == "classifier" else None,
        )

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise ValueError(f"this {type(self).__name__} is not fitted yet: call fit first")
