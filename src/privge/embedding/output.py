"""What a transformer returns: an array, or a data frame if scikit-learn's ``set_output`` asks for one."""

import sys
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privge._imports import needed
from privge._typing import is_pandas
from privge.ids import Ids
from privge.propagation import Matrix

if TYPE_CHECKING:
    import pandas as pd

Transformed: TypeAlias = "Matrix | pd.DataFrame"


class TransformOutput:
    """``set_output`` as scikit-learn has it, for arrays and data frames of pandas; it need not be installed."""

    def set_output(self, *, transform: Literal["default", "pandas"] | None = None) -> Self:
        """Choose what ``transform`` and ``fit_transform`` return.

        Parameters
        ----------
        transform
            ``default``, an array; ``pandas``, a data frame with the index of the features, or indexed by node id if
            they have none; None leaves it as it is.
        """
        if transform not in ("default", "pandas", None):
            raise ValueError(f"transform must be 'default' or 'pandas', got {transform!r}")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}  # where scikit-learn looks for it
        return self

    def take_output_of(self, other: Self) -> None:
        """Return what another one returns."""
        self.set_output(transform=getattr(other, "_sklearn_output_config", {}).get("transform"))

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the names of the columns."""
        raise NotImplementedError

    def _contained(self, matrix: Matrix, features: object, ids: Ids) -> Transformed:
        if _wanted(self) != "pandas":
            return matrix
        with needed("a data frame"):
            import pandas as pd

        indexed = is_pandas(features) and "id" not in features.columns
        index = features.index if indexed else pd.Index(ids, name="id")  # type: ignore[attr-defined]
        return pd.DataFrame(np.asarray(matrix), index=index, columns=self.get_feature_names_out())


def _wanted(estimator: TransformOutput) -> str:
    """Return what this estimator or, if it leaves it open, scikit-learn's own setting asks for."""
    sklearn = sys.modules.get("sklearn")
    general: str = "default" if sklearn is None else sklearn.get_config()["transform_output"]
    own: dict[str, str] = getattr(estimator, "_sklearn_output_config", {})
    return own.get("transform", general)


def not_fitted(estimator: object) -> ValueError:
    """Return what to raise before ``fit``: scikit-learn's own error for whoever has scikit-learn at hand."""
    exceptions = sys.modules.get("sklearn.exceptions")
    kind: type[ValueError] = ValueError if exceptions is None else exceptions.NotFittedError
    return kind(f"this {type(estimator).__name__} is not fitted yet: call fit first")
