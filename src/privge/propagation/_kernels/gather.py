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

AHEAD = 24
"""Neighbours prefetched ahead; index arrays are padded by this many entries, so that it is safe to look."""


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
    """Emit the loop: add what ``weighed`` makes of each row to ``total``, which stays in registers meanwhile."""

    def row_number(position):
        return builder.sext(builder.load(builder.gep(numbers.data, [position])), _INT64)

    entry = builder.block
    head, body, done = (builder.append_basic_block(name) for name in ("head", "body", "done"))
    before = total.load(_INT64(0))
    builder.branch(head)

    builder.position_at_end(head)
    position, accumulator = builder.phi(_INT64), builder.phi(before.type)
    position.add_incoming(span[0], entry)
    accumulator.add_incoming(before, entry)
    builder.cbranch(builder.icmp_signed("<", position, span[1]), body, done)

    builder.position_at_end(body)
    _prefetch_row(builder, rows, row_number(builder.add(position, _INT64(AHEAD))))
    row = weighed(position, rows.load(row_number(position)))
    position.add_incoming(builder.add(position, _INT64(1)), body)
    accumulator.add_incoming(builder.fadd(accumulator, row), body)
    builder.branch(head)

    builder.position_at_end(done)
    total.store(_INT64(0), accumulator)


@intrinsic
def relax_row(_context, y, start, v, total, factor, omega, largest):
    """Do ``y[v] += omega * (start[v] + factor * total - y[v])``; keep the largest change and ``|y|`` in ``largest``."""
    signature = types.void(y, start, types.int64, total, y.dtype, y.dtype, largest)

    def generate(context, builder, signature, arguments):
        y, start, total, largest = (_Rows(context, builder, signature, arguments, at) for at in (0, 1, 3, 6))
        v, first = arguments[2], _INT64(0)
        factor, omega = y.spread(arguments[4]), y.spread(arguments[5])
        old = y.load(v)
        target = builder.fadd(start.load(v), builder.fmul(factor, total.load(first)))
        change = builder.fmul(omega, builder.fsub(target, old))
        new = builder.fadd(old, change)
        y.store(v, new)
        for place, value in ((0, change), (1, new)):
            size = builder.select(builder.fcmp_ordered("<", value, y.spread(y.zero)), builder.fneg(value), value)
            seen = largest.load(_INT64(place))
            # A NaN is taken and then kept: a broken computation can never look converged.
            larger = builder.or_(builder.fcmp_ordered(">", size, seen), builder.fcmp_unordered("uno", size, size))
            kept = builder.select(larger, size, seen)
            largest.store(_INT64(place), kept)
        return context.get_dummy_value()

    return signature, generate


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
