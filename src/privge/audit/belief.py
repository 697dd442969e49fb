"""What keeps an audit from believing a law, beside its weights: samplers of its own, claims, documents, work."""

from collections.abc import Iterator

from privge.errors import PrivacyViolation
from privge.mechanisms import Law
from privge.mechanisms.law import IntegerValues
from privge.mechanisms.verification import trusted


def doubts(law: Law) -> Iterator[str]:
    """Yield why a law is not what it says, in words; nothing if it is."""
    try:
        trusted(law)
    except PrivacyViolation as error:
        yield str(error)
        return
    kind = type(law)
    if not getattr(getattr(kind, "__dataclass_params__", None), "frozen", False):
        yield f"the law {kind.__name__} can be changed after it was checked"
    elif kind.from_parameters(law.parameters()) != law:
        yield f"the law {kind.__name__} is read back from a document as another one"
    values = IntegerValues.of(law.exact_values())
    for level in (0, law.levels - 1):
        if law.moments(level) != values.moments(law.weights(level).tolist()):
            yield f"the law {kind.__name__} states moments that its weights do not have"
            return
