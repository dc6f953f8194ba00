"""Criteria and scores as functions of Python, and plugins of other packages.

A criterion is a function of a model's size, a score one of tables of counts. Neither is called for each model or each
variable: penalties are asked for by tables of sizes, scores for thousands of tables at a time.

>>> @passel.criterion
... def rict(n, p, k, *, c=2.0):
...     return c * k * np.log(p)
>>> passel.select(data, response="y", criterion=rict(c=1.5))

Packages bring plugins by entry points: of the group ``passel.plugins`` each names a criterion, a score, or the path of a shared
library (or several) that follows the contract ``passel.h``.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast, overload

import numpy as np

from passel._installed import entry_points_of_plugins
from passel.errors import OptionError, option_error

#: What a function of a criterion may ask for, by name.
_OF_MODEL = ("n", "p", "k", "parameters", "kept", "intercept", "scatter", "dispersion", "family")
#: What makes it a function of each model.
_OF_FIT = ("misfit", "rss", "sigma2")
#: What a function of a score may ask for, by name.
_OF_TABLES = ("counts", "step")

Own = TypeVar("Own", bound="_Function")


class _Function:
    """A function of Python with parameters of its own: those of its keyword arguments that have numbers as defaults."""

    _known: tuple[str, ...] = ()
    _what = "function"

    def __init__(self, function: Callable[..., Any], name: str | None = None, **settings: Any) -> None:
        self.function = function
        self.name = name or function.__name__.replace("_", "-")
        #: Where it comes from, for reports.
        self._place = getattr(function, "_passel_place", function.__qualname__)
        self.origin = f"{function.__module__}.{self._place}"
        self._settings = settings
        self.wanted: list[str] = []
        self.parameters: list[tuple[str, float]] = []
        for own in inspect.signature(function).parameters.values():
            if own.name in self._known:
                self.wanted.append(own.name)
            elif isinstance(own.default, (int, float)):
                self.parameters.append((own.name, float(own.default)))
            else:
                known = ", ".join(self._known)
                raise TypeError(
                    f"{self._what} {self.name}: {own.name} is none of {known}, and has no number as default, as a parameter has"
                )
        functools.update_wrapper(self, function, updated=())

    def __call__(self: Own, **parameters: float) -> Own:
        """The same with other parameters."""
        known = dict(self.parameters)
        for name, value in parameters.items():
            if name not in known:
                there = ", ".join(known) or "none"
                raise option_error(self._what, f"{self.name} has no parameter {name}: it has {there}")
            try:
                known[name] = float(value)
            except (TypeError, ValueError):
                raise option_error(self._what, f"{self.name}: {name} = {value!r} must be a number") from None
        own = type(self)(self.function, self.name, **self._settings)
        own.parameters = list(known.items())
        return own

    def wrong(self, what: str) -> OptionError:
        """The error of a function that returned what it must not."""
        return option_error(self._what, f"{self._what} {self.name} returned {what}")

    def numbers(self, values: Any) -> np.ndarray[Any, Any]:
        """What the function returned, as numbers."""
        try:
            # Of None NumPy makes NaN.
            return np.asarray("None" if values is None else values, dtype=np.float64)
        except (TypeError, ValueError):
            text = repr(values)
            raise self.wrong(f"{text if len(text) < 60 else text[:57] + '...'}: numbers are expected") from None

    def __repr__(self) -> str:
        parameters = "".join(f", {name}={value:g}" for name, value in self.parameters)
        return f"<passel.{self._what} {self.name}{parameters}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # The decorated name is this object, so that the function alone is not found by its own.
        module, function = self.function.__module__, self.function
        found = _at(sys.modules.get(module), self._place)
        if isinstance(found, _Function) and found.function is function:
            if module != "__main__":
                return _found, (module, self._place, dict(self.parameters))
            # cloudpickle sends a function of a notebook whole, and pickle finds it in this object.
            function.__dict__["_passel_place"], function.__qualname__ = self._place, f"{self._place}.function"
        return _made, (type(self), function, self.name, self._settings, dict(self.parameters))

    def __eq__(self, other: object) -> bool:
        own = isinstance(other, _Function) and type(other) is type(self)
        return own and (self.function, self.parameters) == (other.function, other.parameters)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((self.function, tuple(self.parameters)))


def _at(module: Any, place: str) -> Any:
    for part in place.split("."):
        module = getattr(module, part, None)
    return module


def _found(module: str, place: str, parameters: Mapping[str, float]) -> Any:
    import importlib

    return _at(importlib.import_module(module), place)(**parameters)


def _made(
    kind: type[_Function], function: Callable[..., Any], name: str, settings: Mapping[str, Any], parameters: Mapping[str, float]
) -> _Function:
    return kind(function, name, **settings)(**parameters)


class Criterion(_Function):
    """An information criterion, smaller is better: see :func:`criterion`."""

    _known = _OF_MODEL + _OF_FIT
    _what = "criterion"

    def __init__(self, function: Callable[..., Any], name: str | None = None, **settings: Any) -> None:
        super().__init__(function, name, **settings)
        self.has_value = any(name in _OF_FIT for name in self.wanted)
        self.needs_error_variance = "sigma2" in self.wanted

    def penalties(
        self,
        most: int,
        n: int,
        p: int,
        excess: int,
        kept: int,
        intercept: bool,
        scatter: int,
        dispersion: float,
        family: str,
    ) -> np.ndarray[Any, Any]:
        """The penalties of 0 … ``most`` chosen variables, of a parameter each and ``excess`` more."""
        k = np.arange(most + 1, dtype=np.float64)
        model = {
            "n": float(n), "p": float(p), "k": k, "parameters": k + excess, "kept": kept, "intercept": intercept,
            "scatter": scatter, "dispersion": dispersion, "family": family,
        }
        values = self.numbers(self.function(**{name: model[name] for name in self.wanted}, **dict(self.parameters)))
        if values.shape not in ((), k.shape):
            raise self.wrong(f"penalties of the shape {values.shape} for {len(k)} sizes: one each is expected")
        return np.array(np.broadcast_to(values, k.shape))

    def value(
        self,
        n: int,
        p: int,
        k: int,
        parameters: int,
        kept: int,
        intercept: bool,
        scatter: int,
        dispersion: float,
        family: str,
        misfit: float,
        rss: float,
        sigma2: float,
    ) -> float:
        """The value of one model."""
        model = {
            "n": float(n), "p": float(p), "k": float(k), "parameters": float(parameters), "kept": kept, "intercept": intercept,
            "scatter": scatter, "dispersion": dispersion, "family": family, "misfit": misfit, "rss": rss, "sigma2": sigma2,
        }
        own = self.numbers(self.function(**{name: model[name] for name in self.wanted}, **dict(self.parameters)))
        if own.size != 1:
            raise self.wrong(f"values of the shape {own.shape} for one model: one number is expected")
        return float(own.reshape(()))


class Score(_Function):
    """A score of variables, larger is better: see :func:`score`."""

    _known = _OF_TABLES
    _what = "score"

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        gather: str = "sum",
        join: str = "alone",
        against: str = "last",
        tolerance: float = 1e-12,
    ) -> None:
        super().__init__(function, name, gather=gather, join=join, against=against, tolerance=tolerance)
        self.gather, self.join, self.against, self.tolerance = gather, join, against, float(tolerance)

    def values(self, counts: bytes, tables: int, x: int, w: int, y: int, step: int) -> np.ndarray[Any, Any]:
        """The values of tables of one shape."""
        own = np.frombuffer(counts, dtype=np.uint32).reshape(tables, x, w, y)
        given = {"counts": own, "step": step}
        values = self.numbers(self.function(**{name: given[name] for name in self.wanted}, **dict(self.parameters)))
        if values.shape != (tables,):
            raise self.wrong(f"values of the shape {values.shape} for {tables} tables: one value each is expected")
        return np.ascontiguousarray(values)


@overload
def criterion(function: Callable[..., Any], /) -> Criterion: ...
@overload
def criterion(*, name: str | None = None) -> Callable[[Callable[..., Any]], Criterion]: ...
def criterion(function: Callable[..., Any] | None = None, /, *, name: str | None = None) -> Any:
    """Makes a criterion of a function, for the option ``criterion`` of select, stability and validate.

    The function's arguments are found by their names. Of ``n`` observations, ``p`` candidates, ``k`` chosen variables, their
    ``parameters`` (k, unless terms have several columns), ``kept`` parameters of variables that every model holds,
    ``intercept``, ``scatter``, ``dispersion`` and ``family`` it returns the **penalty**, which is added to the misfit
    (n·ln(RSS/n), or −2ℓ); ``k`` and ``parameters`` are arrays, and so is the result. If it asks for ``misfit``, ``rss`` or ``sigma2``
    (the error variance of the model of all candidates), it returns the **value** of one model, and is called for each, which is
    slower; the value must not fall when the misfit rises. Other arguments are parameters, with numbers as defaults.

    An exception of the function ends the run, and is raised by it.
    """
    if function is None:
        return functools.partial(Criterion, name=name)
    return Criterion(function, name)


@overload
def score(function: Callable[..., Any], /) -> Score: ...
@overload
def score(
    *, name: str | None = None, gather: str = "sum", join: str = "alone", against: str = "last", tolerance: float = 1e-12
) -> Callable[[Callable[..., Any]], Score]: ...
def score(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    gather: str = "sum",
    join: str = "alone",
    against: str = "last",
    tolerance: float = 1e-12,
) -> Any:
    """Makes a score of a function, for ``method`` of select and stability, and for ``score`` of pairs.

    The function takes ``counts``, an array of m contingency tables of the shape m × x × w × y: the levels of a candidate, of an
    anchor (a variable that was chosen; one level where there is none, for relevance; of a pair the second variable) and of the
    response; and ``step``, 0 for relevance. It returns m values, larger is better; −∞ is never chosen. ``gather`` says how the
    values of steps become one (sum, mean, minimum, maximum, product, last), ``join`` how that joins relevance (alone, added,
    least, guarded), ``against`` what anchors are (last: each chosen variable by itself; joint: all of them as one). Values within the
    relative ``tolerance`` tie, and the first column wins. Other arguments are parameters, with numbers as defaults.
    """
    settings: dict[str, Any] = {"gather": gather, "join": join, "against": against, "tolerance": tolerance}
    if function is None:
        return functools.partial(Score, name=name, **settings)
    return Score(function, name)


def named(text: str, kind: type[Own]) -> Own | None:
    """The criterion or score that a package brings by this name, with parameters as in ``name:parameter=2``."""
    name, _, rest = text.partition(":")
    entry = entry_points_of_plugins().get(name)
    if entry is None:
        return None
    brought: Any = entry.load()
    if not isinstance(brought, kind):
        return None
    parameters: dict[str, float] = {}
    for part in filter(None, rest.split(",")):
        parameter, _, value = part.partition("=")
        try:
            parameters[parameter.strip()] = float(value)
        except ValueError:
            raise option_error(kind._what, f"{kind._what} = {text}: {value!r} is no number") from None
    return cast(Own, brought(**parameters))
