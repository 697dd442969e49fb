"""A pickle reader that builds arrays, sparse matrices and plain containers, and nothing else.

``pickle`` runs whatever a file names. This reader never imports, calls or looks up anything that a file names: it
compares the few names that the Planetoid files use with a list, and does itself what they stand for. An instruction or
name outside the list is refused. Nothing is allocated that the file does not hold byte by byte.
"""

import pickletools
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy.sparse

from privge.datasets.contents import Blob

_RECONSTRUCT: Final = "numpy.core.multiarray _reconstruct"
_NDARRAY: Final = "numpy ndarray"
_DTYPE: Final = "numpy dtype"
_TYPES: Final = {"i4": np.dtype("<i4"), "i8": np.dtype("<i8"), "f4": np.dtype("<f4"), "f8": np.dtype("<f8")}
_MATRIX: Final = "scipy.sparse.csr csr_matrix"
_DEFAULTDICT: Final = "collections defaultdict"
_LIST: Final = "__builtin__ list"
_NAMES: Final = {_RECONSTRUCT, _NDARRAY, _DTYPE, _MATRIX, _DEFAULTDICT, _LIST}

_CONSTANTS: Final = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_LITERALS: Final = {"BININT", "BININT1", "BININT2", "SHORT_BINSTRING", "BINSTRING", "BINUNICODE"}
_EMPTY: Final = {"EMPTY_LIST": list, "EMPTY_DICT": dict, "EMPTY_TUPLE": tuple}
_TUPLES: Final = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_PUTS: Final = {"BINPUT", "LONG_BINPUT"}
_GETS: Final = {"BINGET", "LONG_BINGET"}
_MARK: Final = object()


class _Refused(Exception):
    """The pickle holds something that is not on the list."""


@dataclass(frozen=True, slots=True)
class _Name:
    """A name on the list; it is only ever compared."""

    text: str


@dataclass(eq=False, slots=True)
class _Promise:
    """An object between the instruction that makes it and the one that fills it."""

    kind: str
    code: str = ""
    value: Any = None


def read_pickle(blob: Blob) -> Any:  # noqa: ANN401 (whatever the file holds; callers check)
    """Return the array, ``csr_array`` or container that a pickle of Python 2 holds."""
    try:
        return _result(_run(blob.data))
    except (_Refused, ValueError, TypeError, LookupError, OverflowError) as error:
        raise blob.corrupt(f"refused as a pickle ({error})") from error


def _run(data: bytes) -> Any:  # noqa: ANN401
    stack: list[Any] = []
    memo: dict[Any, Any] = {}
    for instruction, argument, position in pickletools.genops(data):
        name = instruction.name
        if name in _LITERALS:
            stack.append(argument)
        elif name in _PUTS:
            memo[argument] = stack[-1]
        elif name in _GETS:
            stack.append(memo[argument])
        elif name == "GLOBAL" and argument in _NAMES:
            stack.append(_Name(argument))
        elif name == "STOP":
            if len(stack) != 1 or position != len(data) - 1:
                raise _Refused("something is left over at the end")
        elif not (name == "PROTO" and argument == 2) and not _step(name, stack):
            raise _Refused(f"{name} {argument!r:.60} at byte {position} is not on the list")
    return stack[0]


def _step(name: str, stack: list[Any]) -> bool:
    """Do an instruction that only touches the stack; say whether it is on the list."""
    if name == "MARK":
        stack.append(_MARK)
    elif name in _CONSTANTS:
        stack.append(_CONSTANTS[name])
    elif name in _EMPTY:
        stack.append(_EMPTY[name]())
    elif name in _TUPLES:
        items = [stack.pop() for _ in range(_TUPLES[name])]
        stack.append(tuple(reversed(items)))
    elif name == "TUPLE":
        stack.append(tuple(_since_mark(stack)))
    elif name in ("APPEND", "APPENDS"):
        items = [stack.pop()] if name == "APPEND" else _since_mark(stack)
        _expect(stack[-1], list).extend(items)
    elif name == "SETITEMS":
        _set_items(_since_mark(stack), stack)
    elif name in ("REDUCE", "NEWOBJ"):
        arguments, maker = stack.pop(), stack.pop()
        stack.append(_make(name, maker, arguments))
    elif name == "BUILD":
        state = stack.pop()
        _fill(_expect(stack[-1], _Promise), state)
    else:
        return False
    return True


def _since_mark(stack: list[Any]) -> list[Any]:
    items = []
    while (item := stack.pop()) is not _MARK:
        items.append(item)
    return items[::-1]


def _set_items(items: list[Any], stack: list[Any]) -> None:
    keys, values = items[0::2], items[1::2]
    if any(type(key) not in (int, str) for key in keys):  # hashing a nested key can take for ever
        raise _Refused("a key is neither a number nor a text")
    _expect(stack[-1], dict).update(zip(keys, values, strict=True))


def _make(instruction: str, maker: object, arguments: object) -> object:
    """Begin the object that a call stands for; arguments are compared, never used."""
    parts = _expect(arguments, tuple)
    text = _expect(maker, _Name).text
    if (instruction, text, parts) == ("NEWOBJ", _MATRIX, ()):
        return _Promise("matrix")
    if (instruction, text, parts) == ("REDUCE", _RECONSTRUCT, (_Name(_NDARRAY), (0,), "b")):
        return _Promise("array")
    if (instruction, text, parts) == ("REDUCE", _DEFAULTDICT, (_Name(_LIST),)):
        return {}
    if (instruction, text, parts[1:]) == ("REDUCE", _DTYPE, (0, 1)) and parts[0] in tuple(_TYPES):
        return _Promise("type", code=parts[0])
    raise _Refused(f"a call of {text} that is not on the list")


def _fill(promise: _Promise, state: object) -> None:
    if promise.kind == "matrix":
        promise.value = _matrix(_expect(state, dict))
    elif promise.kind == "array":
        promise.value = _array(*_fields(_expect(state, tuple), 5))
    elif state == (3, "<", None, None, None, -1, -1, 0):
        promise.value = _TYPES[promise.code]
    else:
        raise _Refused("a number type that is not on the list")


def _array(version: object, shape: object, number: object, column_major: object, text: object) -> Any:  # noqa: ANN401
    sides = _expect(shape, tuple)
    kind = _result(_expect(number, _Promise))
    if (version, column_major) != (1, False) or not isinstance(kind, np.dtype) or len(sides) not in (1, 2):
        raise _Refused("an array of a kind that is not on the list")
    if any(type(side) is not int or side < 0 for side in sides):
        raise _Refused("an array whose shape is not made of numbers")
    data = _expect(text, str).encode("latin-1")  # bytes of Python 2, which pickletools gives as text
    return np.frombuffer(data, kind).reshape(sides)  # refuses a shape that needs more or fewer bytes


def _matrix(state: dict[Any, Any]) -> scipy.sparse.csr_array:
    rows, columns = _fields(_expect(state["_shape"], tuple), 2)
    parts = [_result(_expect(state[name], _Promise)) for name in ("data", "indices", "indptr")]
    if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in parts):
        raise _Refused("a matrix whose parts are not arrays")
    if any(part.dtype.kind != "i" for part in parts[1:]):
        raise _Refused("a matrix whose indices are not integers")
    matrix = scipy.sparse.csr_array(tuple(parts), shape=(_expect(rows, int), _expect(columns, int)))
    matrix.check_format(full_check=True)  # compiled code trusts these indices
    return matrix


def _fields(values: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    if len(values) != count:
        raise _Refused(f"{len(values)} fields instead of {count}")
    return values


def _result(value: Any) -> Any:  # noqa: ANN401
    """Return what a promise became; everything else is what it is."""
    if not isinstance(value, _Promise):
        return value
    if value.value is None:
        raise _Refused("an object that was never filled")
    return value.value


def _expect(value: Any, kind: type) -> Any:  # noqa: ANN401
    if type(value) is not kind:
        raise _Refused(f"{type(value).__name__} where {kind.__name__} belongs")
    return value
