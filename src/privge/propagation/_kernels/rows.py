"""Numba intrinsics that treat a whole row of the system: sum its neighbours, then relax it or compute its residual.

Everything between reading the neighbours and writing the row stays in vector registers. Neighbours are added in spans
of 64, each in the precision of the rows or in float64, and spans in float64: see `privge.propagation.relaxation` for
what that costs in rounding.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from privge.propagation._kernels.gather import _INT64, LANES, _Rows, _sum_of_rows

SPAN = 64
"""Neighbours added in the working precision before their sum moves to float64: bounds the rounding error."""

_WIDE = ir.VectorType(ir.DoubleType(), LANES)


@intrinsic
def relax_row(_context, y, indices, shares, first, last, start, v, factor, omega, largest):
    """Do ``y[v] += omega * (start[v] + factor * sum - y[v])``; keep the largest change and ``|y|`` in ``largest``.

    The sum is that of ``y[indices[e]]`` for ``first <= e < last``, each times ``shares[e]`` unless that is None.
    """
    signature = types.void(y, indices, shares, types.int64, types.int64, start, types.int64, y.dtype, y.dtype, largest)

    def generate(context, builder, signature, arguments):
        y, start, largest = (_Rows(context, builder, signature, arguments, at) for at in (0, 5, 9))
        v, factor, omega = arguments[6], y.spread(arguments[7]), y.spread(arguments[8])
        total = _neighbours(context, builder, signature, arguments, lambda row: row)
        old = y.load(v)
        target = builder.fadd(start.load(v), builder.fmul(factor, total))
        change = builder.fmul(omega, builder.fsub(target, old))
        new = builder.fadd(old, change)
        y.store(v, new)
        for place, value in enumerate((change, new)):
            _keep_largest(builder, largest, place, value)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def measure_row(_context, y, indices, shares, first, last, start, v, factor, largest):
    """Keep in ``largest`` the largest ``|start[v] + factor * sum - y[v]|`` and ``|y[v]|``, all computed in float64."""
    signature = types.void(y, indices, shares, types.int64, types.int64, start, types.int64, types.float64, largest)

    def generate(context, builder, signature, arguments):
        y, start, largest = (_Rows(context, builder, signature, arguments, at) for at in (0, 5, 8))
        v = arguments[6]
        total = _neighbours(context, builder, signature, arguments, lambda row: _widened(builder, row))
        own = _widened(builder, y.load(v))
        passed = builder.fmul(largest.spread(arguments[7]), total)
        residual = builder.fsub(builder.fadd(_widened(builder, start.load(v)), passed), own)
        for place, value in enumerate((residual, own)):
            _keep_largest(builder, largest, place, value)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def remain_row(_context, y, indices, shares, first, last, right, v, factor, unit, left, largest):
    """Write ``right[v] + unit * (factor * sum - y[v])`` to ``left[v]``, and keep the largest; computed in float64."""
    wide = types.float64
    signature = types.void(y, indices, shares, types.int64, types.int64, right, types.int64, wide, wide, left, largest)

    def generate(context, builder, signature, arguments):
        y, right, left, largest = (_Rows(context, builder, signature, arguments, at) for at in (0, 5, 9, 10))
        v, factor, unit = arguments[6], left.spread(arguments[7]), left.spread(arguments[8])
        total = _neighbours(context, builder, signature, arguments, lambda row: _widened(builder, row))
        moved = builder.fsub(builder.fmul(factor, total), _widened(builder, y.load(v)))
        rest = builder.fadd(right.load(v), builder.fmul(unit, moved))
        left.store(v, rest)
        _keep_largest(builder, largest, 0, rest)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def distance_row(_context, rows, others, v, largest):
    """Keep in ``largest`` the largest ``|rows[v] - others[v]|``."""
    signature = types.void(rows, others, types.int64, largest)

    def generate(context, builder, signature, arguments):
        rows, others, largest = (_Rows(context, builder, signature, arguments, at) for at in (0, 1, 3))
        _keep_largest(builder, largest, 0, builder.fsub(rows.load(arguments[2]), others.load(arguments[2])))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_row(_context, rows, v, factor, total):
    """Add ``factor * rows[v]`` to ``total``, in float64."""
    signature = types.void(rows, types.int64, types.float64, total)

    def generate(context, builder, signature, arguments):
        rows, total = (_Rows(context, builder, signature, arguments, at) for at in (0, 3))
        scaled = builder.fmul(total.spread(arguments[2]), _widened(builder, rows.load(arguments[1])))
        total.store(_INT64(0), builder.fadd(total.load(_INT64(0)), scaled))
        return context.get_dummy_value()

    return signature, generate


def _neighbours(context, builder, signature, arguments, taken):
    """Emit the sum of all neighbours of a row, each as ``taken`` makes it of what is stored, span by span."""
    rows = _Rows(context, builder, signature, arguments, 0)
    numbers = context.make_array(signature.args[1])(context, builder, arguments[1])
    weighed = _weighing(context, builder, signature, arguments, taken)
    first, last = arguments[3], arguments[4]
    short, long, done = (builder.append_basic_block(name) for name in ("short", "long", "whole"))
    builder.cbranch(builder.icmp_signed("<=", builder.sub(last, first), _INT64(SPAN)), short, long)

    builder.position_at_end(short)
    one = _sum_of_rows(builder, rows, numbers, (first, last), weighed)
    from_short = builder.block
    builder.branch(done)

    builder.position_at_end(long)
    head, body, end = (builder.append_basic_block(name) for name in ("spans", "span", "ended"))
    builder.branch(head)
    builder.position_at_end(head)
    at, running = builder.phi(_INT64), builder.phi(_WIDE)
    at.add_incoming(first, long)
    running.add_incoming(ir.Constant(_WIDE, [0.0] * LANES), long)
    builder.cbranch(builder.icmp_signed("<", at, last), body, end)
    builder.position_at_end(body)
    following = builder.add(at, _INT64(SPAN))
    until = builder.select(builder.icmp_signed("<", following, last), following, last)
    part = _widened(builder, _sum_of_rows(builder, rows, numbers, (at, until), weighed))
    at.add_incoming(following, builder.block)
    running.add_incoming(builder.fadd(running, part), builder.block)
    builder.branch(head)
    builder.position_at_end(end)
    many = running if one.type == _WIDE else builder.fptrunc(running, one.type)
    builder.branch(done)

    builder.position_at_end(done)
    total = builder.phi(one.type)
    total.add_incoming(one, from_short)
    total.add_incoming(many, end)
    return total


def _weighing(context, builder, signature, arguments, taken):
    """Return what a neighbour adds to the sum: itself, or its share; product and sum are rounded one by one."""
    if isinstance(signature.args[2], types.NoneType):
        return lambda _, row: taken(row)
    shares = _Rows(context, builder, signature, arguments, 2)

    def shared(position, row):
        share = builder.load(builder.gep(shares.data, [position]))
        return builder.fmul(taken(shares.spread(share)), taken(row))

    return shared


def _widened(builder, vector):
    return vector if vector.type == _WIDE else builder.fpext(vector, _WIDE)


def _keep_largest(builder, largest, place, value) -> None:
    """Emit the maximum of what was seen and ``|value|``. A NaN is taken and then kept: it never looks converged."""
    size = builder.select(builder.fcmp_ordered("<", value, largest.spread(largest.zero)), builder.fneg(value), value)
    seen = largest.load(_INT64(place))
    larger = builder.or_(builder.fcmp_ordered(">", size, seen), builder.fcmp_unordered("uno", size, size))
    largest.store(_INT64(place), builder.select(larger, size, seen))
