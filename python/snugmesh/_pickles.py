"""Arrays out of pickles that nobody can vouch for.

A pickle is a program. This reads it without running anything: what it would call is written down, and only what is known
to be an array is made, here, of its bytes. Known are numpy's arrays, scipy's sparse matrices and those of chumpy, which
files of body models were written with; neither scipy nor chumpy is needed.
"""
from __future__ import annotations

import pickletools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Call:
    """What a pickle would have called, with what, and what it would have set afterwards."""

    def __init__(self, function: Any, arguments: Any) -> None:
        self.function, self.arguments = function, arguments
        self.state: Any = None


class Name:
    """What a pickle would have imported."""

    def __init__(self, module: str, name: str) -> None:
        self.path = f"{module}.{name}"


MARK = object()
CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
EMPTY: dict[str, Callable[[], Any]] = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple}
TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
VALUES = set(
    "INT BININT BININT1 BININT2 LONG LONG1 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE "
    "SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES BINBYTES8 BYTEARRAY8".split()
)


class Machine:
    """The stack and the memory of a pickle. Whatever is not in `step` is refused."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memory: dict[int, Any] = {}

    def pop_mark(self) -> list[Any]:
        at = len(self.stack) - 1 - self.stack[::-1].index(MARK)
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def step(self, name: str, argument: Any) -> None:
        stack = self.stack
        if name in VALUES:
            stack.append(argument)
        elif name in CONSTANTS:
            stack.append(CONSTANTS[name])
        elif name in EMPTY:
            stack.append(EMPTY[name]())
        elif name == "MARK":
            stack.append(MARK)
        elif name in TUPLES:
            items = stack[-TUPLES[name] :]
            del stack[-TUPLES[name] :]
            stack.append(tuple(items))
        elif name in ("TUPLE", "LIST"):
            stack.append((tuple if name == "TUPLE" else list)(self.pop_mark()))
        elif name == "DICT":
            items = self.pop_mark()
            stack.append(dict(zip(items[::2], items[1::2])))
        elif name in ("SETITEM", "SETITEMS"):
            items = self.pop_mark() if name == "SETITEMS" else [stack.pop(-2), stack.pop()]
            self.expect(dict).update(zip(items[::2], items[1::2]))
        elif name in ("APPEND", "APPENDS"):
            items = self.pop_mark() if name == "APPENDS" else [stack.pop()]
            self.expect(list).extend(items)
        elif name in ("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"):
            self.memory[len(self.memory) if name == "MEMOIZE" else argument] = stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            stack.append(self.memory[argument])
        elif name == "GLOBAL":
            stack.append(Name(*argument.split(" ", 1)))
        elif name == "STACK_GLOBAL":
            stack.append(Name(stack.pop(-2), stack.pop()))
        elif name in ("REDUCE", "NEWOBJ"):
            arguments = stack.pop()
            stack.append(Call(stack.pop(), arguments))
        elif name == "BUILD":
            state = stack.pop()
            self.expect(Call).state = state
        elif name not in ("PROTO", "FRAME", "STOP"):
            raise ValueError(f"{name} has no place in a file of arrays")

    def expect(self, kind: type) -> Any:
        if type(self.stack[-1]) is not kind:
            raise ValueError("it is damaged")
        return self.stack[-1]


def read(data: bytes) -> dict[str, Any]:
    """What a pickle of a dictionary has, for `array`. Nothing in it is called or imported."""
    machine = Machine()
    try:
        for opcode, argument, _ in pickletools.genops(data):
            machine.step(opcode.name, argument)
        top = machine.stack.pop()
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, MemoryError) as error:
        raise ValueError(f"the pickle cannot be read: {error}") from None
    if not isinstance(top, dict):
        raise ValueError("the pickle cannot be read: it holds no dictionary of arrays")
    return {str(name): value for name, value in top.items() if isinstance(name, (str, bytes))}


def array(value: Any, depth: int = 8) -> NDArray[Any] | None:
    """The array that something of `read` stands for, or None."""
    try:
        return _array(value, depth)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, MemoryError):
        return None


def _array(value: Any, depth: int) -> NDArray[Any] | None:
    if isinstance(value, (list, tuple, int, float)) and depth > 0:
        return _plain(np.asarray(value))
    if not isinstance(value, Call) or depth == 0:
        return None
    path = _path(value)
    if path.endswith("multiarray._reconstruct"):
        return _dense(*value.state[1:])
    if path.endswith("numeric._frombuffer"):  # numpy's, from protocol 5 on
        data, kind, shape, order = value.arguments
        return _dense(shape, kind, order == "F", data)
    state: dict[str, Any] = value.state if isinstance(value.state, dict) else {}
    if path.startswith("scipy.sparse.") and path.endswith(("csc_matrix", "csr_matrix")):
        return _sparse(state, path.endswith("csc_matrix"), depth)
    if path == "chumpy.ch.Ch":
        return _array(state["x"], depth - 1)
    if path == "chumpy.reordering.Select":
        whole, chosen = _array(state["a"], depth - 1), _array(state["idxs"], depth - 1)
        if whole is None or chosen is None:
            return None
        shape = tuple(int(n) for n in state["preferred_shape"])
        selected: NDArray[Any] = whole.reshape(-1)[chosen.astype(np.int64).reshape(-1)]
        return selected.reshape(shape)
    return None


def _path(call: Call) -> str:
    """The class or function; Python 2 makes objects by copy_reg._reconstructor(class, object, None)."""
    function = call.function
    if isinstance(function, Name) and function.path in ("copy_reg._reconstructor", "copyreg._reconstructor"):
        function = call.arguments[0]
    return function.path if isinstance(function, Name) else ""


def _plain(values: NDArray[Any]) -> NDArray[Any] | None:
    return values if values.dtype.kind in "iuf" else None


def _dense(shape: Any, kind: Any, by_columns: Any, data: Any) -> NDArray[Any] | None:
    letters, order = kind.arguments[0], kind.state[1]
    dtype = np.dtype({"=": "<", "|": "|"}.get(order, order) + letters)
    if isinstance(data, Call) and _path(data) == "_codecs.encode":  # bytes, written by Python 3 for Python 2
        data = data.arguments[0]
    raw = data.encode("latin-1") if isinstance(data, str) else data
    lengths = tuple(int(n) for n in shape)
    if dtype.kind not in "iuf" or min(lengths, default=0) < 0:
        return None
    return np.frombuffer(raw, dtype).reshape(lengths, order="F" if by_columns else "C")


def _sparse(state: dict[str, Any], is_by_columns: bool, depth: int) -> NDArray[Any] | None:
    data, indices, starts = (_array(state[name], depth - 1) for name in ("data", "indices", "indptr"))
    shape = state.get("_shape", state.get("shape"))
    if data is None or indices is None or starts is None or shape is None:
        return None
    rows, columns = (int(n) for n in shape)
    if not 0 <= rows * columns <= 1 << 28 or min(rows, columns) < 0:
        return None
    ends = starts.astype(np.int64)
    outer = np.repeat(np.arange(columns if is_by_columns else rows), ends[1:] - ends[:-1])
    inner = indices.astype(np.int64)
    if len(outer) != len(inner) or (len(inner) and inner.min() < 0):
        return None
    dense = np.zeros((rows, columns))
    np.add.at(dense, (inner, outer) if is_by_columns else (outer, inner), data.astype(np.float64))
    return dense
