"""What a float32 solution leaves of its right-hand side, computed in float64, for one block of 16 columns."""

import math

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from privge.propagation._kernels.gather import AHEAD, CHUNK, LANES, _prefetch_row, _Rows

_INT64 = ir.IntType(64)


@intrinsic
def _add_wide(_context, rows, indices, shares, start, stop, total):
    """Add ``rows[indices[e]]`` in float64 to ``total`` for ``start <= e < stop``, times ``shares[e]`` if there are any.

    All arrays contiguous; ``rows`` is float32, the others are float64.
    """
    signature = types.void(rows, indices, shares, types.int64, types.int64, total)

    def generate(context, builder, signature, arguments):
        rows, total = (_Rows(context, builder, signature, arguments, at) for at in (0, 5))
        numbers = context.make_array(signature.args[1])(context, builder, arguments[1])
        weighs = not isinstance(signature.args[2], types.NoneType)
        weights = context.make_array(signature.args[2])(context, builder, arguments[2]) if weighs else None

        def row_number(position):
            return builder.sext(builder.load(builder.gep(numbers.data, [position])), _INT64)

        entry = builder.block
        head, body, done = (builder.append_basic_block(name) for name in ("head", "body", "done"))
        before = total.load(_INT64(0))
        builder.branch(head)

        builder.position_at_end(head)
        position, accumulator = builder.phi(_INT64), builder.phi(before.type)
        position.add_incoming(arguments[3], entry)
        accumulator.add_incoming(before, entry)
        builder.cbranch(builder.icmp_signed("<", position, arguments[4]), body, done)

        builder.position_at_end(body)
        _prefetch_row(builder, rows, row_number(builder.add(position, _INT64(AHEAD))))
        row = builder.fpext(rows.load(row_number(position)), before.type)
        if weights is not None:
            row = builder.fmul(total.spread(builder.load(builder.gep(weights.data, [position]))), row)
        position.add_incoming(builder.add(position, _INT64(1)), body)
        accumulator.add_incoming(builder.fadd(accumulator, row), body)
        builder.branch(head)

        builder.position_at_end(done)
        total.store(_INT64(0), accumulator)
        return context.get_dummy_value()

    return signature, generate


@njit(cache=True, nogil=True, error_model="numpy")
def remain(indptr, indices, shares, factors, right, y, unit, left):
    """Write ``right + unit * (factors * sum of neighbours in y - y)`` and return its largest size.

    ``y`` is float32, and its first rows are those of ``right``; all else is float64, and ``unit`` is a power of two.
    Neighbours are added in sixteens, whose sums are added up: a row rounds ``16 + degree / 16`` times for its sum.
    """
    part, total = np.empty(LANES, np.float64), np.empty(LANES, np.float64)
    sizes = np.zeros(LANES, np.float64)
    for v in range(indptr.size - 1):
        total[:] = 0
        for first in range(indptr[v], indptr[v + 1], CHUNK):
            part[:] = 0
            _add_wide(y, indices, shares, first, min(first + CHUNK, indptr[v + 1]), part)
            total += part
        for lane in range(LANES):
            rest = right[v, lane] + unit * (factors[v] * total[lane] - np.float64(y[v, lane]))
            left[v, lane] = rest
            size = abs(rest)
            # A NaN is taken and then kept: a broken computation can never look converged.
            sizes[lane] = size if size > sizes[lane] or math.isnan(size) else sizes[lane]
    return sizes.max()
