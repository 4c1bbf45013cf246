"""All uses of private parts of Numba; `compile.py` works without this module for untested versions.

A function is either called from Python, or inlined into another compiled function. Numba prepares every function for
both: it optimizes the function alone, with machine code, a Python wrapper and a C wrapper, and then again in each of
its callers. Here a function that is called by compiled code becomes a *part*: it is typed and lowered, but not
optimized. Only a *kernel*, called from Python, is optimized, once, together with all its parts. This takes a third of
the time.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined, override"
# Numba's internals have no type annotations

from __future__ import annotations

import hashlib
import logging
import pickle
from collections.abc import Callable
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import config, options as numba_options, serialize, sigutils, types
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

from .store import Store

TESTED = ((0, 61), (0, 68))  # the first and the last tested version of Numba
PRIVATE = {"_nrt": False}  # no reference counts
_CONFIG = (
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
)  # settings that affect the code

_LOG = logging.getLogger("wasserstein_transform")

STORE = Store(f"numba{numba.__version__}", f"llvmlite{llvmlite.__version__}")


def is_tested(version: str) -> bool:
    """Whether a version of Numba is tested."""
    first, last = TESTED
    return first <= tuple(int(n) for n in version.split(".")[:2]) <= last and hasattr(
        numba_options.DefaultOptions, "_nrt"
    )


class _NoEngine:
    """A stand-in for the execution engine of a part, which is never run."""

    @staticmethod
    def set_env(name: str, env: Any) -> None:
        """Do nothing: a part has no environment."""


class _PartLibrary(JITCodeLibrary):
    """Code to be linked into kernels: linked with its own parts, not optimized, never loaded for execution."""

    codegen = _NoEngine()

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

    def serialize_using_object_code(self) -> Any:
        return self.name, self._get_module_for_linking().as_bitcode()

    @classmethod
    def loaded(cls, codegen: Any, name: str, bitcode: bytes) -> _PartLibrary:
        """A part from its cached code."""
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library._finalized = True
        return library


class _SummingLibrary(_PartLibrary):
    """The code of loops whose sums may be reordered: optimized now, so that all callers get the same order."""

    def finalize(self) -> None:
        super().finalize()
        self._optimize_final_module()


class PartCompiler(Compiler):
    """Numba's compiler with the library of a part as output."""

    def __init__(
        self, typingctx: Any, targetctx: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        if library is None:
            kind = _SummingLibrary if "reassoc" in flags.fastmath.flags else _PartLibrary
            library = kind(targetctx.codegen(), "part")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)


def _rebuild_part(context: Any, library: Any, fndesc: Any, env: Any, signature: Any, *others: Any) -> CompileResult:
    objectmode, lifted, typeann, reload_init, referenced = others
    code = _PartLibrary.loaded(context.codegen(), *library)
    return compile_result(
        target_context=context,
        typing_context=context.typing_context,
        library=code,
        environment=env,
        entry_point=context.get_executable(code, fndesc, env),
        fndesc=fndesc,
        type_annotation=typeann,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        reload_init=reload_init,
        referenced_envs=referenced,
    )


class Kept(_Cache):
    """The disk cache of one function, with a file for each signature."""

    def __init__(self, function: Callable[..., Any], kind: str, options: dict[str, Any], rebuild: Any) -> None:
        self._kind = kind
        self._name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self._options = sorted((key, str(value)) for key, value in options.items())
        self._rebuild = rebuild
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(STORE.home)

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        """Do nothing: file names contain all dependencies."""

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The code for a signature if it is cached and readable."""
        target_context.refresh()
        kept = STORE.read(self._file(sig, target_context.codegen())) if self._enabled else None
        if kept is None:
            return None
        try:
            args, payload = pickle.loads(kept)
            return self._rebuild(target_context, *payload) if args == self._args(sig) else None
        except Exception as error:  # any error: the function is compiled again
            _LOG.debug("kept code of %s cannot be used: %s", self._name, error)
            return None

    def save_overload(self, sig: Any, cres: CompileResult) -> None:
        """Write the code to the cache, unless it contains addresses of this process."""
        if not self._enabled or cres.library.has_dynamic_globals or any(not each.can_cache for each in cres.lifted):
            return
        try:
            content = serialize.dumps((self._args(sig), cres._reduce()))
        except Exception as error:
            _LOG.debug("the code of %s is not kept: %s", self._name, error)
            return
        STORE.write(self._file(sig, cres.codegen), content)

    @staticmethod
    def _args(sig: Any) -> Any:
        return tuple(sigutils.normalize_signature(sig)[0])

    def _file(self, sig: Any, codegen: Any) -> str:
        settings = [str(getattr(config, name, None)) for name in _CONFIG]
        key = repr((self._args(sig), codegen.magic_tuple(), self._options, settings))
        return f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.{self._kind}"


class _Part(CPUDispatcher):
    """A function as called by other compiled functions."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        options = {**options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(function, targetoptions=options, pipeline_class=PartCompiler)
        self._cache = Kept(function, "part", options, _rebuild_part)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Use one specialization for all numbers, not one for each literal."""
        plain = [types.unliteral(arg) for arg in args]
        return super().get_call_template(plain, {name: types.unliteral(arg) for name, arg in kws.items()})


class Kernel(CPUDispatcher):
    """A function as called from Python; `part` is the version for other compiled functions."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        options = {"nopython": True, "boundscheck": None, **options}
        super().__init__(function, targetoptions={**options, "no_cfunc_wrapper": True})
        self._cache = Kept(function, "kernel", options, CompileResult._rebuild)
        self.part = _Part(function, options)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.part.get_overload(sig)

    def add_overload(self, cres: CompileResult) -> None:
        """Add the environments of parts, which exceptions need."""
        if cres.referenced_envs is None:
            for env in cres._find_referenced_environments():
                cres.library.codegen.set_env(env.env_name, env)
        super().add_overload(cres)

    def __reduce__(self) -> str:
        """Pickle as a function of a module."""
        return self.__qualname__


@intrinsic
def lesser(typing: Any, a: Any, b: Any) -> Any:
    """The minimum of two floats that are not NaN. An explicit comparison would prevent vectorization."""

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        double = ir.DoubleType()
        minimum = builder.module.declare_intrinsic("llvm.minnum", [double], ir.FunctionType(double, [double, double]))
        return builder.call(minimum, args, fastmath=("nnan", "nsz"))

    return types.float64(types.float64, types.float64), emit
