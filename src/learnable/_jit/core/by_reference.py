"""Named tuples of many arrays that kernels hand on as one pointer.

Numba hands a tuple to a function part by part, seven numbers an array, and takes the whole of it apart wherever one
field is read: half of the instructions that the compiler was given for a boosted tree did nothing else. Paid for by
`python -m benchmarks cold`.
"""

from hashlib import blake2b
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)


def by_reference(cls: type) -> type:
    """A class of named tuples whose fields kernels read by name, and do nothing else with them.

    The tuple lies in memory as long as the kernel runs that Python has called, and nothing writes to it.
    """

    @typeof_impl.register(cls)
    def kind_of(value: Any, context: Any) -> Any:
        kinds = [typeof_impl(part, context) for part in value]
        return None if None in kinds else Reference(kinds, cls)

    return cls


class Reference(types.Type):
    """The kind of such a tuple, by the kinds of its fields."""

    def __init__(self, kinds: Any, cls: Any):
        self.types, self.instance_class = tuple(kinds), cls
        self._hash = hash((cls, self.types))
        super().__init__(f"{cls.__module__}.{cls.__name__}({', '.join(map(str, kinds))})")

    def __hash__(self) -> int:
        """Found once: it is that of every array in the tuple, and asked for by each rule of types."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)

    def __reduce__(self) -> Any:
        """Made anew in another process, whose hashes are others."""
        return Reference, (self.types, self.instance_class)

    @property
    def mangling_args(self) -> Any:
        """A short form of the name: that of each function holds those of its arguments."""
        return f"{self.instance_class.__name__}_{blake2b(self.name.encode(), digest_size=8).hexdigest()}", ()

    @property
    def key(self) -> Any:
        return self.instance_class, self.types

    def pointer_to(self, context: Any, builder: Any, value: Any, field: int) -> Any:
        layout = ir.LiteralStructType([context.get_value_type(kind) for kind in self.types])
        return cgutils.gep_inbounds(builder, builder.bitcast(value, layout.as_pointer()), 0, field)


register_model(Reference)(models.OpaqueModel)


@infer_getattr
class _Fields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, kind, name):  # type: ignore[override]
        fields = kind.instance_class._fields
        return kind.types[fields.index(name)] if name in fields else None


@lower_getattr_generic(Reference)
def _read(context, builder, kind, value, name):
    field = kind.instance_class._fields.index(name)
    read = builder.load(kind.pointer_to(context, builder, value, field))
    read.set_metadata("tbaa", _constant(builder.module))
    return impl_ret_borrowed(context, builder, kind.types[field], read)


def _constant(module: Any) -> Any:
    """Mark of what nothing writes to: a store through another pointer does not force it to be read again."""
    root = module.add_metadata(["learnable"])
    kind = module.add_metadata(["by reference", root])
    number = ir.IntType(64)
    return module.add_metadata([kind, kind, number(0), number(1)])


@unbox(Reference)
def _unbox(kind, given, c):
    layout = ir.LiteralStructType([c.context.get_value_type(part) for part in kind.types])
    place = cgutils.alloca_once(c.builder, layout)
    unreadable, failed, others = cgutils.false_bit, cgutils.false_bit, []
    for field, part in enumerate(kind.types):
        own, at = c.pyapi.tuple_getitem(given, field), cgutils.gep_inbounds(c.builder, place, 0, field)
        if isinstance(part, types.Array):
            # Read into its place; Numba would branch and copy for each.
            read = c.pyapi.nrt_adapt_ndarray_from_python if c.context.enable_nrt else c.pyapi.numba_array_adaptor
            wrong = cgutils.is_not_null(c.builder, read(own, c.builder.bitcast(at, cgutils.voidptr_t)))
            unreadable = c.builder.or_(unreadable, wrong)
        else:
            native = c.unbox(part, own)
            c.builder.store(native.value, at)
            failed = c.builder.or_(failed, native.is_error)
            others.append(native)
    with c.builder.if_then(unreadable, likely=False):
        c.pyapi.err_set_string("PyExc_TypeError", f"an array of {kind.instance_class.__name__} cannot be read")
    failed = c.builder.or_(failed, unreadable)

    def cleanup():
        for native in reversed(others):
            if native.cleanup is not None:
                native.cleanup()
        if c.context.enable_nrt:
            for field, part in enumerate(kind.types):
                at = cgutils.gep_inbounds(c.builder, place, 0, field)
                c.context.nrt.decref(c.builder, part, c.builder.load(at))

    pointer = c.builder.bitcast(place, cgutils.voidptr_t)
    # From here on it is constant: what is written above may not move below.
    same = ir.FunctionType(cgutils.voidptr_t, [cgutils.voidptr_t])
    pointer = c.builder.asm(same, "", "=r,0,~{memory}", [pointer], True)
    return NativeValue(pointer, is_error=failed, cleanup=cleanup)
