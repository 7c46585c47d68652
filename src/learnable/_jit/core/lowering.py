"""Fewer instructions for what kernels do most: entries of arrays, loops over ranges, variables that are numbers.

Numba writes thirty instructions for `a[i]` and a hundred for `for i in range(n)`, most of them through memory, and
LLVM takes them away again. What is left is the same; Python has less to write and LLVM less to read. Paid for by
`python -m benchmarks cold`.
"""

import operator
from typing import Any, ClassVar

from llvmlite import ir as llvm
from numba.core import cgutils, types
from numba.core.compiler_machinery import register_pass
from numba.core.errors import NumbaError
from numba.core.ir_utils import get_definition, guard
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering
from numba.np.arrayobj import load_item, store_item


class ShortLower(Lower):
    """Numba's lowering, with short forms for scalars in arrays, ranges and variables without owners to count."""

    _found: ClassVar[dict[tuple, tuple]] = {}

    def _counted(self, name: str) -> bool:
        if not self.context.enable_nrt:
            return False
        return self.context.data_model_manager[self.typeof(name)].contains_nrt_meminfo()

    def lower(self) -> None:
        """Numba would ask the options of the kernel whether Python calls it."""
        super().lower()
        if self.library.called_from_python:
            self.create_cpython_wrapper(release_gil=True)

    def lower_block(self, block: Any) -> None:
        """Numba would make ready to explain an error at every instruction."""
        self.pre_block(block)
        for inst in block.body:
            self.loc = inst.loc
            try:
                self.lower_inst(inst)
            except NumbaError as error:
                error.add_context(f'lowering "{inst}" at {inst.loc}')
                raise
        self.post_block(block)

    def incref(self, typ: Any, val: Any) -> None:
        super().incref(*self._owner(typ, val))

    def decref(self, typ: Any, val: Any) -> None:
        super().decref(*self._owner(typ, val))

    def _owner(self, kind: Any, value: Any) -> tuple:
        """Of an array, its memory is what has users; Numba would take the whole array apart to find it."""
        if not isinstance(kind, types.Array) or not self.context.enable_nrt:
            return kind, value
        memory = self.context.data_model_manager[kind].get(self.builder, value, "meminfo")
        return types.MemInfoPointer(kind.dtype), memory

    def delvar(self, name: str) -> None:
        if self._counted(name):
            super().delvar(name)

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        if name in self._singly_assigned_vars or self._disable_sroa_like_opt or self._counted(name):
            super().storevar(value, name, argidx)
        else:
            self.builder.store(value, self.getvar(name))

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        return cgutils.alloca_once(self.builder, lltype, name=name)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        place = self._place(value, index, signature)
        if place is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        found = load_item(self.context, self.builder, self.typeof(value.name), place)
        return self.context.cast(self.builder, found, signature.return_type, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        given, array = self.typeof(value_var.name), self.typeof(target_var.name)
        place = None
        if isinstance(given, types.Number | types.Boolean):
            place = self._place(target_var, index_var, signature)
        if place is None:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        value = self.context.cast(self.builder, self.loadvar(value_var.name), given, signature.args[2])
        value = self.context.cast(self.builder, value, signature.args[2], array.dtype)
        store_item(self.context, self.builder, array, value, place)
        return None

    def _place(self, array: Any, index: Any, signature: Any) -> Any:
        """Where one number of an array lies; None of what is not one number of an array."""
        kind, by = self.typeof(array.name), signature.args[1]
        kinds: Any = by if isinstance(by, types.BaseTuple) else (by,)
        if not isinstance(kind, types.Array) or not isinstance(kind.dtype, types.Number | types.Boolean):
            return None
        if len(kinds) != kind.ndim or not all(isinstance(one, types.Integer) for one in kinds):
            return None
        if self.context.enable_boundscheck:
            return None
        builder, model = self.builder, self.context.data_model_manager[kind]
        at = self.context.cast(builder, self.loadvar(index.name), self.typeof(index.name), by)
        places = cgutils.unpack_tuple(builder, at, kind.ndim) if isinstance(by, types.BaseTuple) else (at,)
        whole = self.loadvar(array.name)
        shape = cgutils.unpack_tuple(builder, model.get(builder, whole, "shape"), kind.ndim)
        places = [self._from_end(*each) for each in zip(places, kinds, shape)]
        data = model.get(builder, whole, "data")
        if kind.layout == "C":
            place = places[0]
            for length, after in zip(shape[1:], places[1:]):
                place = builder.add(builder.mul(place, length), after)
            return builder.gep(data, [place])
        strides = cgutils.unpack_tuple(builder, model.get(builder, whole, "strides"), kind.ndim)
        return cgutils.get_item_pointer2(self.context, builder, data, shape, strides, kind.layout, places)

    def _from_end(self, place: Any, kind: Any, length: Any) -> Any:
        """The place from the beginning: one below 0 counts from the end."""
        place = self.context.cast(self.builder, place, kind, types.intp if kind.signed else types.uintp)
        known = isinstance(place, llvm.Constant) and isinstance(place.constant, int) and place.constant >= 0
        if known or not kind.signed:
            return place
        negative = self.builder.icmp_signed("<", place, place.type(0))
        return self.builder.select(negative, self.builder.add(place, length), place)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """Of two numbers. Numba would look for the function, and for constant powers, each time."""
        kinds = self.typeof(expr.lhs.name), self.typeof(expr.rhs.name)
        if op is operator.pow or not all(isinstance(kind, types.Number | types.Boolean) for kind in kinds):
            return super().lower_binop(resty, expr, op)
        signature = self.fndesc.calltypes[expr]
        both = zip((expr.lhs, expr.rhs), kinds, signature.args)
        given = [self.context.cast(self.builder, self.loadvar(one.name), kind, to) for one, kind, to in both]
        if (op, signature.args) not in self._found:
            function = self.context.typing_context.resolve_value_type(op)
            typed = function.get_call_type(self.context.typing_context, signature.args, {})
            self._found[op, signature.args] = function, typed
        found = self.context.get_function(*self._found[op, signature.args])(self.builder, given)
        return self.context.cast(self.builder, found, signature.return_type, resty)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        if expr.op in ("getiter", "iternext", "pair_first", "pair_second"):
            kind = self.typeof(expr.value.name)
            if expr.op == "getiter" and isinstance(kind, types.RangeType) and self._counts_by_one(expr.value):
                return self._range_iterator(resty, self.loadvar(expr.value.name))
            if expr.op == "iternext" and isinstance(kind, types.RangeIteratorType):
                return self._next_of_range(resty, kind, self.loadvar(expr.value.name))
            if expr.op.startswith("pair") and isinstance(kind.first_type, types.Integer):
                model = self.context.data_model_manager[kind]
                return model.get(self.builder, self.loadvar(expr.value.name), expr.op.removeprefix("pair_"))
        return super().lower_expr(resty, expr)

    def _counts_by_one(self, variable: Any) -> bool:
        made = guard(get_definition, self.func_ir, variable)
        return made is not None and getattr(made, "op", None) == "call" and len(made.args) < 3 and not made.vararg

    def _range_iterator(self, kind: Any, state: Any) -> Any:
        start, stop, step = cgutils.unpack_tuple(self.builder, state, 3)
        left = self.builder.sub(stop, start)
        left = self.builder.select(self.builder.icmp_signed(">", left, left.type(0)), left, left.type(0))
        at, count = (cgutils.alloca_once_value(self.builder, value) for value in (start, left))
        return self._struct(kind, iter=at, stop=stop, step=step, count=count)

    def _next_of_range(self, pair: Any, kind: Any, iterator: Any) -> Any:
        """(the next number, whether there is one); what follows the last is never asked for."""
        builder, model = self.builder, self.context.data_model_manager[kind]
        at, step, counter = (model.get(builder, iterator, name) for name in ("iter", "step", "count"))
        count, value = builder.load(counter), builder.load(at)
        valid = builder.icmp_signed(">", count, count.type(0))
        with builder.if_then(valid):
            builder.store(builder.sub(count, count.type(1), flags=["nsw"]), counter)
            builder.store(builder.add(value, step), at)
        return self._struct(pair, first=value, second=valid)

    def _struct(self, kind: Any, **parts: Any) -> Any:
        model = self.context.data_model_manager[kind]
        made = llvm.Constant(self.context.get_value_type(kind), llvm.Undefined)
        for name, part in parts.items():
            made = model.set(self.builder, made, part, name)
        return made


@register_pass(mutates_CFG=True, analysis_only=False)
class ShortLowering(BaseNativeLowering):
    """The pass of `ShortLower`."""

    _name: Any = "short_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        return ShortLower
