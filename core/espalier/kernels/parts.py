"""How kernels are compiled: one that Python calls becomes machine code, and all that it calls is part of it.

Numba by itself makes machine code of every function, with a way in from Python for each, and hands it to each
caller once more: of a chain of calls the last function is compiled as often as the chain is long. Here a called
function is only translated, and the one that Python calls is optimised and compiled as a whole, in half the time.
That holds for Numba's own functions too, such as `np.sort`, while a kernel is compiled.
What Numba has no public words for is in this file alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import cached_property, singledispatch
from typing import Any

import numba
from numba import types
from numba.core import compiler, ir, ir_utils
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen, RuntimeLinker
from numba.core.dispatcher import _FunctionCompiler
from numba.core.inline_closurecall import InlineWorker
from numba.core.registry import CPUDispatcher
from numba.core.runtime.context import NRTContext
from numba.extending import overload
from numba.np import arrayobj

from espalier.kernels.caches import KernelCache

OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None, "_nrt": True}
PART_OPTIONS = OPTIONS | {"_nrt": False, "forceinline": True}  # without Numba's run time, which counts references


def compile_whole(function: Callable) -> Callable:
    """Return a function that compiles itself, with all that it calls, for each new kind of arguments."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return _WholeKernel(function, targetoptions=OPTIONS)


def compile_part(function: Callable) -> Callable:
    """Return a function that makes and returns no arrays: as a part of others it counts no references to any."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return _WholeKernel(function, targetoptions=OPTIONS, of_part=PART_OPTIONS)


def choose_by_record(forms: dict[type, Any]) -> Any:
    """Return a function that is, for a first argument of each of these records, the one that is given for it."""
    if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return _ByRecord(forms)
    choice = singledispatch(next(iter(forms.values())))
    for record, form in forms.items():
        choice.register(record, form)
    return choice


class _ByRecord:
    """A kernel of several forms: Numba takes the one for the record that is its first argument."""

    is_compiling = False  # no form calls itself

    def __init__(self, forms: dict[type, Any]):
        self.forms = forms
        self._numba_type_ = types.Dispatcher(self)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how others call the form."""
        return self.forms[args[0].instance_class].get_call_template(args, kws)

    def get_overload(self, args: Any) -> Any:
        """Return the form that others call."""
        return self.forms[args[0].instance_class].get_overload(args)


class _PartLibrary(JITCodeLibrary):
    """The translation of a function and of all that it calls, without machine code."""

    def _optimize_final_module(self) -> None:
        """Leave that to whoever it becomes a part of."""

    def _finalize_final_module(self) -> None:
        if any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in self._final_module.global_variables):
            raise NotImplementedError(
                "kernels may call themselves, but not each other in turn: Numba cannot save that"
            )
        self._finalize_dynamic_globals()
        self._finalized = True


class _NoAddress:
    """Stands for the address of a part, which has none: Numba finds a function's translation by it."""


class _PartCompiler(_FunctionCompiler):
    """Translates a function."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        result = _translate(self, args, return_type)
        if not self.targetoptions["_nrt"] and _holds_arrays(result.signature.return_type):
            raise NotImplementedError("whoever does not count references to arrays may not return one")
        return result


class _WholeCompiler(_FunctionCompiler):
    """Compiles a function; what is compiled for it meanwhile, of ours or of Numba's own, is only translated."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        with _shortcuts():
            return _compile(self, args, return_type, JITCodeLibrary)


def _translate(own: Any, args: Any, return_type: Any) -> Any:
    result = _compile(own, args, return_type, _PartLibrary)._replace(entry_point=_NoAddress())
    own.targetdescr.target_context.insert_user_function(result.entry_point, result.fndesc, [result.library])
    return result


def _compile(own: Any, args: Any, return_type: Any, kind: type[JITCodeLibrary]) -> Any:
    """Return what a function's compiler makes for a kind of arguments, in a library of this kind."""
    target, function = own.targetdescr.target_context, own._get_implementation(args, {})
    flags = compiler.Flags()
    own.targetdescr.options.parse_as_flags(flags, own.targetoptions)
    if kind is _PartLibrary:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    library = kind(target.codegen(), function.__qualname__)
    library.enable_object_caching()
    return compiler.compile_extra(
        own.targetdescr.typing_context,
        target,
        function,
        args=args,
        return_type=return_type,
        flags=flags,
        library=library,
        locals=own.locals,
        pipeline_class=own.pipeline_class,
    )


def _holds_arrays(kind: Any) -> bool:
    if isinstance(kind, types.Array):
        return True
    return isinstance(kind, types.BaseTuple) and any(_holds_arrays(kind[i]) for i in range(len(kind)))


class _KernelPart(CPUDispatcher):
    """A function as others call it."""

    def __init__(self, py_func: Callable, *args: Any, **options: Any):
        super().__init__(py_func, *args, **options)
        self._compiler.__class__ = _PartCompiler

    def add_overload(self, cres: Any) -> None:
        """Keep a translation."""
        _keep(self, cres)


def _keep(dispatcher: Any, result: Any) -> None:
    """Keep a translation: there is no machine code that Python could call."""
    dispatcher.overloads[tuple(result.signature.args)] = result


class _WholeKernel(CPUDispatcher):
    """A function as Python calls it; compiled functions that call it get the part.

    Most kernels are only called in one of the two ways, in most processes in none: the part, and the cache on
    disk, are made when they are asked for.
    """

    def __init__(self, py_func: Callable, *args: Any, of_part: dict | None = None, **options: Any):
        super().__init__(py_func, *args, **options)
        self._compiler.__class__ = _WholeCompiler
        self._of_part = of_part or OPTIONS

    @cached_property
    def _part(self) -> _KernelPart:
        return _KernelPart(self.py_func, targetoptions=self._of_part)

    @property
    def _cache(self) -> Any:
        if self._on_disk is None:
            self._on_disk = KernelCache(self.py_func)
        return self._on_disk

    @_cache.setter
    def _cache(self, _none_yet: Any) -> None:
        self._on_disk = None

    @property
    def is_compiled(self) -> bool:
        """Whether there is machine code of it, here or on disk, for some kind of arguments."""
        return bool(self.overloads) or self._cache.has_any

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how others call it."""
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Return what others call."""
        return self._part.get_overload(sig)

    @property
    def is_compiling(self) -> Any:
        """Whether it is being compiled in either way: then a call is one of itself."""
        return self._part.is_compiling or super().is_compiling


# ---- Stores into the arrays of a record are never dead


def _note_caller(statement: Any, _args: Any, _types: Any, _function: Any, _aliases: Any, of_caller: set) -> None:
    """Note that what a record or array holds may be the caller's.

    Numba drops a store into an array that nobody reads afterwards and that is none of the caller's. Arrays of
    a record that is handed from one inlined function to the next, or made anew with borrowed arrays, are the
    caller's all the same, but Numba does not see it.
    """
    if isinstance(statement.value, ir.Expr) and statement.value.op == "getattr":
        of_caller.add(statement.target.name)


def keep_stores() -> None:
    """Keep stores into arrays of records in all functions that are compiled from now on."""
    ir_utils.alias_analysis_extensions[ir.Assign] = _note_caller


# ---- Detours of Numba's that are left out while a kernel is compiled: what it makes is the same


def _inline(worker: Any, caller: Any, block: Any, place: int, function: Any) -> Any:
    """Write a function's statements into its caller; what does not depend on the caller is made once."""
    if function not in _STATEMENTS:
        _STATEMENTS[function] = worker.run_untyped_passes(function)
    worker.flags.enable_ssa = False  # as `run_untyped_passes` leaves it
    statements = copy(_STATEMENTS[function])
    statements.func_id = statements.func_id.derive()
    return worker.inline_ir(caller, block, place, statements, function.__code__.co_freevars)


def _copy_scope(scope: Any, memo: dict) -> Any:
    """Return a copy for a block of statements that is copied: Numba copies every variable, for each block."""
    memo[id(scope)] = new = copy(scope)
    new.localvars = copy(scope.localvars)
    new.localvars._con = scope.localvars._con.copy()
    new.redefined, new.var_redefinitions = scope.redefined.copy(), scope.var_redefinitions.copy()
    return new


def _references(context: Any, builder: Any, kind: Any, value: Any) -> list:
    """Return the counted references in a value; those to numbers are not sought in every field of a record."""
    if kind not in _IS_COUNTED:
        _IS_COUNTED[kind] = context._context.data_model_manager[kind].contains_nrt_meminfo()
    return _FIND_REFERENCES(context, builder, kind, value) if _IS_COUNTED[kind] else []


def _refuse_shapes(src_shapes: Any, index_shape: Any) -> None:
    """Stands for the error of an array that does not fit where it is to be written: its text has no numbers."""


_STATEMENTS = dict[Callable, Any]()
_IS_COUNTED = dict[Any, bool]()
_FIND_REFERENCES = NRTContext.get_meminfos
_SHORTCUTS = [
    (JITCPUCodegen, "_library_class", _PartLibrary),
    (_FunctionCompiler, "_compile_core", _translate),
    (CPUDispatcher, "add_overload", _keep),
    (InlineWorker, "inline_function", _inline),
    (ir.Loc, "__deepcopy__", lambda place, _memo: place),
    (ir.Scope, "__deepcopy__", _copy_scope),
    (NRTContext, "get_meminfos", _references),
]
if generic := getattr(arrayobj, "ol_raise_with_shape_context_generic", None):  # older ones have no such detour
    overload(_refuse_shapes)(generic)
    _SHORTCUTS.append((arrayobj, "raise_with_shape_context", _refuse_shapes))


@contextmanager
def _shortcuts() -> Iterator[None]:
    """Take the shortcuts within; Numba compiles for one thread at a time, and nobody else sees them."""
    own = [vars(owner).get(name) for owner, name, _ in _SHORTCUTS]  # None: it is inherited, or not there
    for owner, name, new in _SHORTCUTS:
        setattr(owner, name, new)
    try:
        yield
    finally:
        for (owner, name, _), old in zip(_SHORTCUTS, own, strict=True):
            delattr(owner, name) if old is None else setattr(owner, name, old)
