"""What the program does, as functions: the same options by the same names, with ``_`` for ``-``."""

from __future__ import annotations

import functools
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Unpack, overload

import numpy as np

from passel import _data, _engine, plugins
from passel._cuda import open_libraries
from passel._help import with_options
from passel._installed import libraries
from passel._option_types import (
    PairsOptions, PredictOptions, SelectOptions, SimulateOptions, StabilityOptions, ValidateOptions,
)
from passel._options import quoted, texts
from passel.errors import DataError, EngineError, FileMissing, PasselError, PasselWarning, of_python, option_error
from passel.results import Pairs, Predictions, Ranking, Result, Selection, Simulated, Stability, Validation

#: Called with what is counted, how many are done, and how many there are, if that is known.
Progress = Callable[[str, int, int | None], object]

#: Options that name a column, for which an array may stand.
_COLUMNS = ("response", "weights", "offset", "trials", "time", "event", "entry", "strata", "cluster", "by")

#: The column that an array becomes.
_NAMES = {"response": "y"}

#: What the program needs and functions do not have: results are objects.
_OF_PROGRAM = ("format", "output", "overwrite", "timings", "progress")


@functools.cache
def _lists(command: str) -> frozenset[str]:
    return frozenset(own["name"] for own in _engine.options(command) if own["list"])


def options(command: str = "select") -> list[dict[str, Any]]:
    """The options of a function: name, default, range and help of each."""
    own = _engine.options(command) if isinstance(command, str) else []
    if not own:
        raise option_error("command", f"command = {command!r} must be select, pairs, stability, validate, predict or simulate")
    of_python = ({**option, "name": option["name"].replace("-", "_")} for option in own)
    return [option for option in of_python if option["name"] not in _OF_PROGRAM]


class _Gpu:
    """Whether this process used a GPU, or was forked from one that did: CUDA does not outlive a fork."""

    used = False
    lost = False


def _forked() -> None:
    _Gpu.lost = _Gpu.lost or _Gpu.used


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def _run(
    command: str,
    data: Any,
    given: Mapping[str, Any],
    progress: Progress | bool | None,
    copy: bool | None,
    name: str | None,
    level: int = 4,
) -> Any:
    """Runs a command, and warns of its result at this ``level`` of the stack: the caller of the function that called this one."""
    given = dict(given)
    if data is None:
        raise DataError(f"{command}() was given no data: give a data frame, an array, or the path of a file")
    for own in _OF_PROGRAM:
        if own in given:
            raise option_error(own, f"{command}() has no option {own}: results are objects, see Result.report")
    if "random_state" in given and any(own["name"] == "seed" for own in _engine.options(command)):
        raise option_error("random_state", f"{command}() has no option random_state: its name here is seed")
    if "n_jobs" in given:
        jobs = given.pop("n_jobs")
        if jobs is not None and jobs > 0:
            given.setdefault("threads", jobs)
    if given.get("family") == "ordinal" and given.get("levels") is None:
        given["levels"] = _data.ordered_levels(data, given.get("response"), given.get("formula"))
    beside: list[tuple[str, Any]] = []
    for option in _COLUMNS:
        value = given.get(option)
        if isinstance(value, (int, np.integer)):
            # A label of a column.
            given[option] = str(value)
            continue
        if isinstance(value, tuple) and value in getattr(data, "columns", ()):
            # A label of several levels.
            given[option] = quoted(str(value))
            continue
        if value is None or isinstance(value, str) or _are_names(value):
            continue
        if hasattr(value, "columns"):
            raise option_error(option, f"{option} is a table, where a column is expected")
        same = next((name for name, other in beside if other is value), None)
        if same is not None:
            given[option] = same
            continue
        column = _NAMES.get(option, option)
        series_name = getattr(value, "name", None)
        if isinstance(series_name, str) and series_name:
            if _data.is_column(data, series_name, value):
                given[option] = quoted(series_name)
                continue
            column = series_name
        if option != "response" and _data.has_column(data, column):
            column = option
        beside.append((column, value))
        given[option] = column
    table, must_stay, index = None, False, None
    if _data.is_file(data):
        if beside:
            raise DataError(f"{beside[0][0]} is an array, but the data are a file: name a column of it")
        source = os.fspath(data)
    else:
        source = name or "the data"
        if beside or not isinstance(data, _data.Columns):
            columns = _data.with_columns(data, beside, copy)
        else:
            columns = data
        for option in ("factor", "date"):
            names = given.get(option)
            if not isinstance(names, (list, tuple)):
                continue
            known = set(columns.names)
            for name in names:
                if isinstance(name, str) and name not in known:
                    raise option_error(option, f"{option} = {name!r} is no column of the data")
        table, index = columns.table(source), columns.index
        must_stay = columns.has_tensor and copy is False
    if _Gpu.lost:
        if str(given.get("device", "auto")).startswith("cuda"):
            raise EngineError(
                "this process was forked from one that used a GPU, which CUDA does not outlive: start processes by "
                'multiprocessing.get_context("spawn")'
            )
        given["device"] = "cpu"
    if given.get("device") != "cpu":
        open_libraries()
    criteria, score = _functions(command, given)
    brought = libraries()
    if brought:
        named = given.get("plugins") or []
        given["plugins"] = [*([named] if isinstance(named, (str, os.PathLike)) else named), *brought]
    told = _told(progress, command)
    try:
        report = _engine.run(command, source, table, texts(given, _lists(command)), criteria, score, told, must_stay=must_stay)
    except PasselError as error:
        error._index = index
        _tell_missing(error, source)
        raise
    finally:
        close = getattr(told, "close", None)
        if close is not None:
            close()
    result = Result._of(report, index)
    _Gpu.used = _Gpu.used or any("cuda" in own for own in report.devices())
    _warn(result.warnings, level)
    return result


def _tell_missing(error: PasselError, source: str) -> None:
    """Raises the error of a file that is not there as one of Python's, too."""
    if str(error) == f"{source}: no such file":
        raise FileMissing(str(error)) from None


def _functions(command: str, given: dict[str, Any]) -> tuple[list[tuple[int, Any]], Any]:
    """The functions of Python among options, in the place of which the engine is given the names of others."""
    criteria = []
    if "criterion" in given:
        value = given["criterion"]
        own = list(value) if isinstance(value, (list, tuple)) else [value]
        for at, one in enumerate(own):
            found = plugins.named(one, plugins.Criterion) if isinstance(one, str) else one
            if isinstance(found, plugins.Criterion):
                criteria.append((at, found))
                # Any that all families have, each another.
                own[at] = f"ebic:gamma={(at + 1) / 4096!r}"
            elif callable(one):
                raise option_error("criterion", f"criterion = {one!r} is a function: make it a criterion by @passel.criterion")
        # A text may be a list, as on a command line.
        given["criterion"] = own if own != [value] else value
    option = "score" if command == "pairs" else "method"
    value = given.get(option)
    found = plugins.named(value, plugins.Score) if isinstance(value, str) else value
    if isinstance(found, plugins.Score):
        given[option] = "mi3" if command == "pairs" else "jmi"
        return criteria, found
    if callable(value):
        raise option_error(option, f"{option} = {value!r} is a function: make it a score by @passel.score")
    return criteria, None


def _warn(texts: Iterable[str], level: int) -> None:
    for text in texts:
        warnings.warn(of_python(text), PasselWarning, stacklevel=level)


def _are_names(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(own, str) for own in value)


def _told(progress: Progress | bool | None, command: str) -> Progress | None:
    if callable(progress):
        return progress
    if not isinstance(progress, (bool, np.bool_, type(None))):
        raise option_error("progress", f"progress = {progress!r} must be True, False or a function of what is counted, how many and of how many")
    if not progress:
        return None
    from passel._progress import Bar

    return Bar(command)


def _formula_first(data: Any, formula: Any) -> tuple[Any, Any]:
    """A formula may stand before the data, as statisticians write it."""
    # A folder of a user begins so, too.
    is_formula = isinstance(data, str) and "~" in data and not data.startswith("~/")
    if isinstance(data, str) and not is_formula and formula is not None and not isinstance(formula, str):
        raise option_error(
            "formula", f"formula = {data!r} must be RESPONSE ~ TERMS; without one the data come first, and the response is named: response='y'"
        )
    if is_formula and not (isinstance(formula, str) and "~" in formula):
        return formula, data
    if hasattr(formula, "__len__") and not isinstance(formula, str):
        raise option_error("formula", "formula must be a text, as 'y ~ a + b': values of the response are given as response=…")
    return data, formula


@overload
def select(
    data: Any,
    formula: Any = None,
    *,
    method: Literal["pass"] | None = None,
    progress: Progress | bool | None = None,
    copy: bool | None = None,
    name: str | None = None,
    **given: Unpack[SelectOptions],
) -> Selection | Any: ...
@overload
def select(
    data: Any,
    formula: Any = None,
    *,
    method: str | Callable[..., Any],
    progress: Progress | bool | None = None,
    copy: bool | None = None,
    name: str | None = None,
    **given: Unpack[SelectOptions],
) -> Ranking | Any: ...
@with_options("select")
def select(
    data: Any,
    formula: Any = None,
    *,
    method: str | Callable[..., Any] | None = None,
    progress: Progress | bool | None = None,
    copy: bool | None = None,
    name: str | None = None,
    **given: Unpack[SelectOptions],
) -> Any:
    """Selects variables of a regression, or ranks them by a selector (``method="jmi"``).

    ``data`` is a data frame (pandas, Polars, Arrow), a mapping of columns, an array, a sparse matrix or the path of a file;
    a formula may stand before it: ``select("y ~ (a + b)^2", data)``. ``response`` and other options that name a column may
    be arrays. The options are those of ``passel select``: see :func:`options`. Returns a :class:`~passel.Selection`, a
    :class:`~passel.Responses` of several responses, or a :class:`~passel.Ranking` of a selector.

    ``progress`` is a function of what is counted, how many and of how many, or True for a bar. ``copy=False`` raises
    :class:`~passel.CopyError` where data would be copied before they become the engine's matrix. ``name`` is what the report
    calls the data. Ctrl-C raises :class:`~passel.Interrupted`, which holds the best until then.
    """
    data, formula = _formula_first(data, formula)
    return _run("select", data, {"formula": formula, "method": method, **given}, progress, copy, name)


@with_options("pairs")
def pairs(
    data: Any,
    *,
    progress: Progress | bool | None = None,
    copy: bool | None = None,
    name: str | None = None,
    **given: Unpack[PairsOptions],
) -> Pairs:
    """Scores all pairs of variables, by three-variate mutual information with the response unless ``score`` says otherwise.

    Data, ``progress``, ``copy`` and ``name`` are as of :func:`select`. Scores are in nats where they are of information theory.
    Returns :class:`~passel.Pairs`, the strongest ``top`` first.
    """
    return _run("pairs", data, given, progress, copy, name)  # type: ignore[no-any-return]


@with_options("stability")
def stability(
    data: Any,
    formula: Any = None,
    *,
    progress: Progress | bool | None = None,
    copy: bool | None = None,
    name: str | None = None,
    **given: Unpack[StabilityOptions],
) -> Stability:
    """Selects what most resamples of the rows select, with a bound on the number of false picks.

    Data, formula, ``progress``, ``copy`` and ``name`` are as of :func:`select`, whose options say what is run on each resample.
    Returns a :class:`~passel.Stability`.
    """
    data, formula = _formula_first(data, formula)
    return _run("stability", data, {"formula": formula, **given}, progress, copy, name)  # type: ignore[no-any-return]


@with_options("validate")
def validate(
    data: Any,
    formula: Any = None,
    *,
    progress: Progress | bool | None = None,
    copy: bool | None = None,
    name: str | None = None,
    **given: Unpack[ValidateOptions],
) -> Validation:
    """Judges the whole procedure, selection included, on rows that it has not seen.

    Data, formula, ``progress``, ``copy`` and ``name`` are as of :func:`select`; several criteria, methods or families, as a list,
    are compared on the same splits. Returns a :class:`~passel.Validation`.
    """
    data, formula = _formula_first(data, formula)
    return _run("validate", data, {"formula": formula, **given}, progress, copy, name)  # type: ignore[no-any-return]


@with_options("predict")
def predict(model: Any, data: Any, *, copy: bool | None = None, **given: Unpack[PredictOptions]) -> Predictions:
    """Predicts by a result, its JSON or a file of it: ``fit``, and intervals and probabilities as options ask for.

    ``data`` need the columns of the model alone, in any order, as data of :func:`select`. Every column of the returned
    :class:`~passel.Predictions` has an element for each row, NaN where a value that the model needs is missing. A level that the
    fit has not seen raises :class:`~passel.DataError` unless ``unknown_levels`` says otherwise.
    """
    return _predict(model, data, copy, given)


def _predict(model: Any, data: Any, copy: bool | None, given: Mapping[str, Any]) -> Predictions:
    if isinstance(data, Result):
        raise DataError("the model comes before the data: predict(model, data)")
    if isinstance(model, Result):
        text = model.json
    elif isinstance(model, Mapping):
        text = json.dumps(model)
    else:
        text = _stored(model)
    table, source, is_unnamed = None, "the data", False
    if _data.is_file(data):
        source = os.fspath(data)
    else:
        own = data if isinstance(data, _data.Columns) else _data.with_columns(data, (), copy)
        table, is_unnamed = own.table(source), own.unnamed
    try:
        columns, told = _engine.predict(text, source, table, texts(given, _lists("predict")))
    except DataError as error:
        if is_unnamed and "needs the column" in str(error):
            hint = "an array has no names: give a data frame, or a dictionary of columns by their names"
            raise DataError(f"{error}; {hint}") from None
        _tell_missing(error, source)
        raise
    # The caller of the function or the method that called this one.
    _warn(told, 4)
    return Predictions({name: _column(values) for name, values in columns.items()}, told, _data.index_of(data))


@with_options("simulate")
def simulate(model: str = "ing-lai", **given: Unpack[SimulateOptions]) -> Simulated:
    """Draws data with a known truth: ``model`` is ``ing-lai``, ``chen-chen``, ``hung``, ``ar1`` or ``genotypes``.

    Returns a :class:`~passel.Simulated`: n observations of p variables and the response ``y``, as columns, and the names of the
    true variables.
    """
    for own in ("output", "overwrite"):
        if own in given:
            raise option_error(own, f"simulate() has no option {own}: it returns the data")
    columns, truth = _engine.draw(model, texts(given, _lists("simulate")))
    return Simulated({name: _column(values) for name, values in columns}, truth)


def read_report(file: str | os.PathLike[str]) -> Any:
    """A result that was stored as JSON, by passel of this version or an older one: of a file, or of its text."""
    return Result._of(_engine.Report.of_json(_stored(file)))


def _stored(model: Any) -> str:
    """The JSON of a result, which may be given as its text."""
    if isinstance(model, str) and model.lstrip().startswith("{"):
        return model
    if not _data.is_file(model):
        raise DataError(f"a result, its JSON or the path of its file is expected, not an object of the type {type(model).__name__}")
    try:
        with open(model, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        raise DataError(f"{os.fspath(model)}: no report as JSON of passel, but other bytes than text: the .json of a report is read") from None


def _column(values: Any) -> np.ndarray[Any, Any]:
    if isinstance(values, bytes):
        return np.frombuffer(values, dtype=np.float64)
    return np.array(values, dtype=object)
