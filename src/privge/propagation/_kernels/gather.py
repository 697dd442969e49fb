"""Numba intrinsics on rows of 16 numbers that are held in vector registers.

Plain numba keeps the 16 partial sums of ``for lane in range(16): total[lane] += rows[i, lane]`` in memory, because it
cannot know that the arrays do not overlap, and is many times slower. Here the work on a row is emitted as LLVM
code on vectors of 16 lanes, which fill two (float32) or four (float64) AVX registers; LLVM splits them as the
processor needs. The row that is needed some steps later is prefetched: neighbours are scattered over memory, and
the wait for them is most of the time.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_INT8, _INT32, _INT64 = (ir.IntType(bits) for bits in (8, 32, 64))

LANES = 16
"""Columns treated together: 16 float32 are one cache line."""

CHUNK = 16
"""Neighbours added in the working precision before their sum moves to float64: bounds the rounding error."""

GROUP = 4
"""Neighbours added to each other first, in pairs: the running sum waits for one addition in four."""

AHEAD = 192
"""Neighbours prefetched ahead, as far as the index array goes; it has a few entries more than there are.

Memory takes hundreds of lines on their way at a time; 12 KB of the first cache hold those that came. Where the rows are
in a cache, the distance does not matter (`benchmarks/kernel.py`).
"""


@intrinsic
def add_rows(_context, rows, indices, start, stop, total):
    """Add ``rows[indices[e]]`` to ``total`` for ``start <= e < stop``. All arrays contiguous."""
    signature = types.void(rows, indices, types.int64, types.int64, total)

    def generate(context, builder, signature, arguments):
        rows, total = (_Rows(context, builder, signature, arguments, at) for at in (0, 4))
        numbers = context.make_array(signature.args[1])(context, builder, arguments[1])
        _accumulate(builder, rows, numbers, total, (arguments[2], arguments[3]), lambda _, row: row)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_shares(_context, rows, indices, shares, start, stop, total):
    """Add ``shares[e] * rows[indices[e]]`` to ``total`` for ``start <= e < stop``. All arrays contiguous.

    Product and sum are rounded one after the other, on every processor.
    """
    signature = types.void(rows, indices, shares, types.int64, types.int64, total)

    def generate(context, builder, signature, arguments):
        rows, total = (_Rows(context, builder, signature, arguments, at) for at in (0, 5))
        numbers, shares = (context.make_array(signature.args[at])(context, builder, arguments[at]) for at in (1, 2))

        def shared(position, row):
            return builder.fmul(rows.spread(builder.load(builder.gep(shares.data, [position]))), row)

        _accumulate(builder, rows, numbers, total, (arguments[3], arguments[4]), shared)
        return context.get_dummy_value()

    return signature, generate


def _accumulate(builder, rows, numbers, total, span, weighed) -> None:
    """Emit the sum of what ``weighed`` makes of each row, added to ``total``."""
    place = _INT64(0)
    total.store(place, builder.fadd(total.load(place), _sum_of_rows(builder, rows, numbers, span, weighed)))


def _sum_of_rows(builder, rows, numbers, span, weighed):
    """Emit the sum of what ``weighed`` makes of each row of a span; it stays in registers.

    Neighbours are taken in groups of four. In the last group those past the end are masked instead of left out: how
    many there are cannot be foreseen, and a wrong guess of the processor costs more than three additions.
    """
    first, last = span
    entry = builder.block
    head, body, end, rest, done = (builder.append_basic_block(name) for name in ("head", "body", "end", "rest", "done"))
    builder.branch(head)

    def row_at(position):
        number = builder.load(builder.gep(numbers.data, [position]))
        return weighed(position, rows.load(builder.sext(number, _INT64)))

    def fetch(position):
        ahead = builder.add(position, _INT64(AHEAD - GROUP))
        inside = builder.icmp_signed("<=", builder.add(ahead, _INT64(GROUP)), numbers.nitems)
        ahead = builder.select(inside, ahead, _INT64(0))  # graphs on disk have fewer entries behind the last one
        for step in range(GROUP):
            number = builder.load(builder.gep(numbers.data, [builder.add(ahead, _INT64(step))]))
            _prefetch_row(builder, rows, builder.sext(number, _INT64))

    builder.position_at_end(body)
    position = builder.phi(_INT64)
    fetch(position)
    group = _pairwise(builder, [row_at(builder.add(position, _INT64(step))) for step in range(GROUP)])

    zero = ir.Constant(group.type, [0.0] * LANES)
    builder.position_at_end(head)
    at, running = builder.phi(_INT64), builder.phi(group.type)
    at.add_incoming(first, entry)
    running.add_incoming(zero, entry)
    builder.cbranch(builder.icmp_signed("<=", builder.add(at, _INT64(GROUP)), last), body, end)

    builder.position_at_end(body)
    position.add_incoming(at, head)
    at.add_incoming(builder.add(position, _INT64(GROUP)), body)
    running.add_incoming(builder.fadd(running, group), body)
    builder.branch(head)

    builder.position_at_end(end)
    builder.cbranch(builder.icmp_signed("<", at, last), rest, done)

    builder.position_at_end(rest)
    fetch(at)
    left = builder.sub(last, at)
    some = [row_at(at)]
    for step in range(1, GROUP - 1):
        there = builder.icmp_signed(">", left, _INT64(step))
        row = row_at(builder.select(there, builder.add(at, _INT64(step)), at))
        some.append(builder.select(_mask(builder, left, step), row, zero))
    longer = builder.fadd(running, _pairwise(builder, some))
    builder.branch(done)

    builder.position_at_end(done)
    total = builder.phi(group.type)
    total.add_incoming(running, end)
    total.add_incoming(longer, rest)
    return total


def _mask(builder, left, step):
    """Say in every lane whether more than ``step`` neighbours are left: a mask, which needs no branch."""
    lanes = ir.VectorType(_INT32, LANES)
    undefined = ir.Constant(lanes, ir.Undefined)
    lane = builder.insert_element(undefined, builder.trunc(left, _INT32), _INT32(0))
    spread = builder.shuffle_vector(lane, undefined, ir.Constant(lanes, [0] * LANES))
    return builder.icmp_signed(">", spread, ir.Constant(lanes, [step] * LANES))


def _pairwise(builder, terms):
    """Emit the sum of some rows, pair by pair."""
    while len(terms) > 1:
        pairs = [builder.fadd(*terms[i : i + 2]) for i in range(0, len(terms) - 1, 2)]
        terms = pairs + terms[len(pairs) * 2 :]
    return terms[0]


@intrinsic
def pass_row(_context, rows, v, amount, factor, bound):
    """Add ``factor * amount`` to ``rows[v]``; say whether some entry of it is beyond the bound then, or a NaN."""
    signature = types.boolean(rows, types.int64, amount, rows.dtype, rows.dtype)

    def generate(context, builder, signature, arguments):
        rows, amount = (_Rows(context, builder, signature, arguments, at) for at in (0, 2))
        passed = builder.fmul(rows.spread(arguments[3]), amount.load(_INT64(0)))
        new = builder.fadd(rows.load(arguments[1]), passed)
        rows.store(arguments[1], new)
        size = builder.select(builder.fcmp_ordered("<", new, rows.spread(rows.zero)), builder.fneg(new), new)
        beyond = builder.fcmp_unordered(">", size, rows.spread(arguments[4]))
        lanes = builder.bitcast(beyond, ir.IntType(LANES))
        return builder.zext(
            builder.icmp_unsigned("!=", lanes, ir.IntType(LANES)(0)), context.get_value_type(types.boolean)
        )

    return signature, generate


@intrinsic
def fetch_row(_context, rows, row):
    """Ask for all 16 numbers of ``rows[row]`` to be brought into the cache; harmless if not used."""
    signature = types.void(rows, types.int64)

    def generate(context, builder, signature, arguments):
        rows = _Rows(context, builder, signature, arguments, 0)
        _prefetch_row(builder, rows, arguments[1])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def fetch_ahead(_context, rows, row):
    """Ask for ``rows[row]`` (of a contiguous vector or matrix) to be brought into the cache; harmless if not used."""
    signature = types.void(rows, types.int64)

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        flat = signature.args[0].ndim == 1
        width = _INT64(1) if flat else builder.extract_value(array.shape, 1)
        place = builder.gep(array.data, [builder.mul(arguments[1], width)])
        _prefetch(builder, builder.bitcast(place, _INT8.as_pointer()))
        return context.get_dummy_value()

    return signature, generate


def _prefetch_row(builder, rows, row) -> None:
    start = builder.bitcast(rows.pointer(row), _INT8.as_pointer())
    for line in range(0, LANES * rows.align, 64):
        _prefetch(builder, builder.gep(start, [_INT64(line)]))


def _prefetch(builder, pointer) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_INT8.as_pointer(), _INT32, _INT32, _INT32])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    builder.call(function, [pointer, _INT32(0), _INT32(3), _INT32(1)])  # for reading, into all caches, data


class _Rows:
    """An array argument seen as rows of 16 lanes."""

    def __init__(self, context, builder, signature, arguments, position) -> None:
        kind = signature.args[position].dtype
        self.builder = builder
        self.scalar = context.get_data_type(kind)
        self.vector = ir.VectorType(self.scalar, LANES)
        self.align = kind.bitwidth // 8
        self.zero = ir.Constant(self.scalar, 0.0)
        self.data = context.make_array(signature.args[position])(context, builder, arguments[position]).data

    def pointer(self, row):
        start = self.builder.gep(self.data, [self.builder.mul(row, _INT64(LANES))])
        return self.builder.bitcast(start, self.vector.as_pointer())

    def load(self, row):
        return self.builder.load(self.pointer(row), align=self.align)

    def store(self, row, value) -> None:
        self.builder.store(value, self.pointer(row), align=self.align)

    def spread(self, scalar):
        lane = self.builder.insert_element(ir.Constant(self.vector, ir.Undefined), scalar, _INT32(0))
        mask = ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES)
        return self.builder.shuffle_vector(lane, ir.Constant(self.vector, ir.Undefined), mask)
