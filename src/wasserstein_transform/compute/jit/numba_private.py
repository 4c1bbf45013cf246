"""All uses of private parts of Numba. With other versions than the tested ones, `compile.py` works without them.

A function is either called from Python, or inlined into another compiled function. Numba prepares every function for
both: it optimizes the function alone, with machine code, a Python wrapper and a C wrapper, and then again in each of
its callers. Here a function that is called by compiled code becomes a *part*: it is typed and lowered, but not
optimized. Only a *kernel*, called from Python, is optimized, once, together with all its parts. Local truncation then
compiles in 40 % of the time, and editing a file compiles only what depends on it.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined, override, method-assign"
# Numba's internals have no type annotations

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import llvmlite
import numba
from numba.core import config, serialize, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from .cache import Store, file_name

_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")  # they affect the code

STORE = Store(f"numba{numba.__version__}", f"llvmlite{llvmlite.__version__}")


class _PartLibrary(JITCodeLibrary):
    """Code to be linked into kernels: linked with its own parts, not optimized, never loaded for execution."""

    codegen = SimpleNamespace(set_env=lambda name, env: None)  # no execution engine, no environment

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(library, "_reload_init"):  # newer than numba 0.61
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no function to run."""
        self._ensure_finalized()
        return 0


class _SummingLibrary(_PartLibrary):
    """The code of loops whose sums may be reordered: optimized now, so that all callers get the same order."""

    def finalize(self) -> None:
        super().finalize()
        self._optimize_final_module()


class PartCompiler(Compiler):
    """Numba's compiler with the library of a part as output."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, local: Any) -> None:
        if library is None:
            kind = _SummingLibrary if "reassoc" in flags.fastmath.flags else _PartLibrary
            library = kind(target.codegen(), "part")
        super().__init__(typing, target, library, args, result, flags, local)


@contextmanager
def _remembering() -> Iterator[None]:
    """Resolve operators and built-in functions once for the same types, under the lock of Numba. It saves a quarter."""
    resolve = types.Function.get_call_type

    def remember(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if getattr(self.typing_key, "__module__", None) not in ("builtins", "_operator"):
            return resolve(self, context, args, kws)
        known = self.__dict__.setdefault("_known", {})
        if args not in known:
            known[args] = resolve(self, context, args, kws)
        return known[args]

    types.Function.get_call_type = remember
    try:
        yield
    finally:
        types.Function.get_call_type = resolve


class _Kept:
    """The disk cache of one kernel, with a file for each signature."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function, self._options = function, sorted(map(str, options.items()))

    def load_overload(self, args: Any, context: Any) -> CompileResult | None:
        """The code for a signature if it is cached and readable."""
        context.refresh()
        kept = STORE.read(self._file(args, context.codegen()))
        try:
            return None if kept is None else CompileResult._rebuild(context, *pickle.loads(kept))
        except Exception:  # whatever it is, the function is compiled again
            return None

    def save_overload(self, args: Any, result: CompileResult) -> None:
        """Write the code to the cache, unless it contains addresses of this process."""
        if not result.library.has_dynamic_globals:
            STORE.write(self._file(args, result.codegen), serialize.dumps(result._reduce()))

    def _file(self, args: Any, codegen: Any) -> str | None:
        settings = [getattr(config, name, None) for name in _SETTINGS]
        return file_name(self._function, getattr(args, "args", args), codegen.magic_tuple(), self._options, settings)


class _Part(CPUDispatcher):
    """A function as called by other compiled functions."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        options = {**options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(function, targetoptions=options, pipeline_class=PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Use one specialization for all numbers, not one for each literal."""
        plain = [types.unliteral(arg) for arg in args]
        return super().get_call_template(plain, {name: types.unliteral(arg) for name, arg in kws.items()})


class Kernel(CPUDispatcher):
    """A function as called from Python; `part` is the version for other compiled functions."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        options = {"nopython": True, "boundscheck": None, "no_cfunc_wrapper": True, **options}
        super().__init__(function, targetoptions=options)
        self._cache = _Kept(function, options)
        self.part = _Part(function, options)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.part.get_overload(sig)

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock, _remembering():
            return super().compile(sig)

    def add_overload(self, cres: CompileResult) -> None:
        """Add the environments of parts, which exceptions need."""
        if cres.referenced_envs is None:
            for env in cres._find_referenced_environments():
                cres.library.codegen.set_env(env.env_name, env)
        super().add_overload(cres)

    def __reduce__(self) -> str:
        """Pickle as a function of a module."""
        return self.__qualname__
