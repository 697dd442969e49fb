"""What the heads share: scikit-learn's shape."""

from typing import TYPE_CHECKING, ClassVar

from privge._imports import needed
from privge.embedding.parameters import NamedParameters

if TYPE_CHECKING:
    from sklearn.utils import Tags


class Estimator(NamedParameters):
    """What both heads are to scikit-learn."""

    kind: ClassVar[str | None] = None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "network_")

    def __sklearn_tags__(self) -> "Tags":
        with needed("scikit-learn's tags of a head"):
            from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type=self.kind,
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags() if self.kind == "classifier" else None,
        )

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise ValueError(f"this {type(self).__name__} is not fitted yet: call fit first")
