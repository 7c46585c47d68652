"""Several doubles side by side: a value of kernels that the compiler keeps in vector registers.

A loop over few classes inside a loop over words is too short to be worth vectorising to the compiler. Written with
lanes, the sums of all classes stay in registers while the words go by.

Paid for by `python -m benchmarks race --only words`: scores of 20,000 texts take 2.4 times less with 4 classes and 1.7
times less with 20 than the plain loop (provisional, aarch64, processor seconds).
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

# To a type checker a call has the arguments of the function that makes the code, the first of them too.
_intrinsic: Any = intrinsic
# Doubles in one vector register; where registers are shorter, the compiler takes two for one.
REGISTER = 4
# Doubles in a line of the cache, and in the longest registers there are.
LINE = 8


class Lanes(types.Type):
    """The type of `width` doubles: 1, 2, or a multiple of 4; in vectors of `part` of them."""

    def __init__(self, width: int, part: int) -> None:
        self.width = width
        self.part = part
        self.vector = ir.VectorType(ir.DoubleType(), part)
        super().__init__(name=f"Lanes({width}, {part})")


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """An array of vectors."""

    def __init__(self, manager, lanes: Lanes) -> None:
        super().__init__(manager, lanes, ir.ArrayType(lanes.vector, lanes.width // lanes.part))


@_intrinsic
def long_registers(typing):
    """Whether the processor that is compiled for has registers of eight doubles, and 32 of them: known to the compiler,
    which leaves out what is for the others."""

    def code(context, builder, signature, arguments):
        _, _, instructions = context.codegen().magic_tuple()
        return ir.Constant(ir.IntType(1), int("+avx512f" in instructions.split(",")))

    return types.boolean(), code


@_intrinsic(prefer_literal=True)
def lanes_at(typing, width, array, start):
    """array[start : start + width], of a contiguous array of doubles; `width` is a literal."""
    if not isinstance(width, types.IntegerLiteral):
        return None
    lanes = Lanes(width.literal_value, min(width.literal_value, REGISTER))

    def code(context, builder, signature, arguments):
        return _loaded(context, builder, lanes, signature.args[1], *arguments[1:])

    return lanes(width, array, types.uint64), code


@_intrinsic
def line_at(typing, array, start):
    """array[start : start + 8] in one vector: for arrays that lie on lines of the cache."""
    lanes = Lanes(LINE, LINE)

    def code(context, builder, signature, arguments):
        return _loaded(context, builder, lanes, signature.args[0], *arguments)

    return lanes(array, types.uint64), code


def _loaded(context, builder, lanes, array_type, array, start):
    found = ir.Constant(context.get_value_type(lanes), ir.Undefined)
    for part, vector in enumerate(_vectors(context, builder, lanes, array_type, array, start)):
        found = builder.insert_value(found, builder.load(vector, align=8), part)
    return found


@_intrinsic
def put_lanes(typing, lanes, array, start):
    """array[start : start + width] ← lanes."""

    def code(context, builder, signature, arguments):
        for part, vector in enumerate(_vectors(context, builder, lanes, signature.args[1], *arguments[1:])):
            builder.store(builder.extract_value(arguments[0], part), vector, align=8)
        return context.get_dummy_value()

    return types.void(lanes, array, types.uint64), code


@_intrinsic
def plus_scaled(typing, lanes, x, array, start):
    """lanes + x · array[start : start + width]."""

    def code(context, builder, signature, arguments):
        found, x, array, start = arguments
        nothing = ir.Constant(lanes.vector, ir.Undefined)
        first = builder.insert_element(nothing, x, ir.Constant(ir.IntType(32), 0))
        every = ir.Constant(ir.VectorType(ir.IntType(32), lanes.part), [0] * lanes.part)
        scale = builder.shuffle_vector(first, nothing, every)
        for part, vector in enumerate(_vectors(context, builder, lanes, signature.args[2], array, start)):
            product = builder.fmul(scale, builder.load(vector, align=8), flags=("contract",))
            total = builder.fadd(builder.extract_value(found, part), product, flags=("contract",))
            found = builder.insert_value(found, total, part)
        return found

    return lanes(lanes, types.float64, array, types.uint64), code


@_intrinsic(prefer_literal=True)
def plus_product(typing, lanes, factors, place, others):
    """lanes + factors[place] · others; `place` is a literal, and `others` as wide as `lanes`."""
    if not isinstance(place, types.IntegerLiteral):
        return None
    part, within = divmod(place.literal_value, factors.part)

    def code(context, builder, signature, arguments):
        found, factors_at, _, others_at = arguments
        factor = builder.extract_value(factors_at, part)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), lanes.part), [within] * lanes.part)
        scale = builder.shuffle_vector(factor, ir.Constant(factor.type, ir.Undefined), everywhere)
        for k in range(lanes.width // lanes.part):
            product = builder.fmul(scale, builder.extract_value(others_at, k), flags=("contract",))
            total = builder.fadd(builder.extract_value(found, k), product, flags=("contract",))
            found = builder.insert_value(found, total, k)
        return found

    return lanes(lanes, factors, place, others), code


@_intrinsic
def plus_lanes(typing, lanes, others):
    """lanes + others, of one width."""
    return _entrywise(lanes, others, "fadd")


@_intrinsic
def minus_lanes(typing, lanes, others):
    """lanes − others, of one width."""
    return _entrywise(lanes, others, "fsub")


def _entrywise(lanes, others, operation):
    def code(context, builder, signature, arguments):
        found, others_at = arguments
        for part in range(lanes.width // lanes.part):
            a, b = builder.extract_value(found, part), builder.extract_value(others_at, part)
            found = builder.insert_value(found, getattr(builder, operation)(a, b), part)
        return found

    return lanes(lanes, others), code


def _vectors(context, builder, lanes, array_type, array, start):
    """Pointers to the vectors that make up array[start : start + width]."""
    data = context.make_array(array_type)(context, builder, array).data
    for part in range(lanes.width // lanes.part):
        place = builder.gep(data, [builder.add(start, ir.Constant(start.type, part * lanes.part))])
        yield builder.bitcast(place, lanes.vector.as_pointer())
