"""What the program does, as functions: the same options by the same names, with ``_`` for ``-``."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from passel import _data, _engine, plugins
from passel._installed import libraries
from passel._options import texts
from passel.errors import DataError, EngineError
from passel.results import Predictions, Result, Simulated

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
    own = _engine.options(command)
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
) -> Result:
    given = dict(given)
    for own in _OF_PROGRAM:
        if own in given:
            raise TypeError(f"{command}() has no option {own}: results are objects, see Result.report")
    if "n_jobs" in given:
        jobs = given.pop("n_jobs")
        if jobs is not None and jobs > 0:
            given.setdefault("threads", jobs)
    beside = []
    for option in _COLUMNS:
        value = given.get(option)
        if value is None or isinstance(value, str) or _are_names(value):
            continue
        column = _NAMES.get(option, option)
        series_name = getattr(value, "name", None)
        if isinstance(series_name, str) and series_name:
            column = series_name
        beside.append((column, value))
        given[option] = column
    table, must_stay = None, False
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
        table = columns.table(source)
        must_stay = columns.has_tensor and copy is False
    if _Gpu.lost:
        if str(given.get("device", "auto")).startswith("cuda"):
            raise EngineError(
                "this process was forked from one that used a GPU, which CUDA does not outlive: start processes by "
                'multiprocessing.get_context("spawn")'
            )
        given["device"] = "cpu"
    criteria, score = _functions(command, given)
    brought = libraries()
    if brought:
        named = given.get("plugins") or []
        given["plugins"] = [*([named] if isinstance(named, (str, os.PathLike)) else named), *brought]
    told = _told(progress, command)
    try:
        report = _engine.run(command, source, table, texts(given, _lists(command)), criteria, score, told, must_stay=must_stay)
    finally:
        close = getattr(told, "close", None)
        if close is not None:
            close()
    result = Result._of(report)
    _Gpu.used = _Gpu.used or any("cuda" in own for own in result._fields.get("devices") or ())
    return result


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
                raise TypeError(f"criterion = {one!r} is a function: make it a criterion by @passel.criterion")
        given["criterion"] = own
    option = "score" if command == "pairs" else "method"
    value = given.get(option)
    found = plugins.named(value, plugins.Score) if isinstance(value, str) else value
    if isinstance(found, plugins.Score):
        given[option] = "mi3" if command == "pairs" else "jmi"
        return criteria, found
    if callable(value):
        raise TypeError(f"{option} = {value!r} is a function: make it a score by @passel.score")
    return criteria, None


def _are_names(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(own, str) for own in value)


def _told(progress: Progress | bool | None, command: str) -> Progress | None:
    if progress is True:
        from passel._progress import Bar

        return Bar(command)
    return progress or None


def _formula_first(data: Any, formula: Any) -> tuple[Any, Any]:
    """A formula may stand before the data, as statisticians write it."""
    if isinstance(data, str) and "~" in data and (formula is None or not isinstance(formula, str)):
        return formula, data
    return data, formula


def select(
    data: Any,
    formula: Any = None,
    *,
    progress: Progress | bool | None = None,
    copy: bool | None = None,
    name: str | None = None,
    **given: Any,
) -> Any:
    """Selects variables of a regression, or ranks them by a selector (``method="jmi"``).

    ``data`` is a data frame (pandas, Polars, Arrow), a mapping of columns, an array, a sparse matrix or the path of a file;
    a formula may stand before it: ``select("y ~ (a + b)^2", data)``. ``response`` and other options that name a column may
    be arrays. The options are those of ``passel select``: see :func:`options`. Returns a :class:`~passel.Selection`, a
    :class:`~passel.Responses` of several responses, or a :class:`~passel.Ranking` of a selector.

    ``progress`` is a function of what is counted, how many and of how many, or True for a bar. ``copy=False`` raises
    :class:`~passel.CopyError` where data would be copied before they become the engine's matrix. ``name`` is what the report calls
    the data. Ctrl-C raises :class:`~passel.Interrupted`, which holds the best until then.
    """
    data, formula = _formula_first(data, formula)
    if formula is not None:
        given["formula"] = formula
    return _run("select", data, given, progress, copy, name)


def pairs(
    data: Any, *, progress: Progress | bool | None = None, copy: bool | None = None, name: str | None = None, **given: Any
) -> Any:
    """Scores all pairs of variables, by three-variate mutual information with the response unless ``score`` says otherwise."""
    return _run("pairs", data, given, progress, copy, name)


def stability(
    data: Any,
    formula: Any = None,
    *,
    progress: Progress | bool | None = None,
    copy: bool | None = None,
    name: str | None = None,
    **given: Any,
) -> Any:
    """Selects what most resamples of the rows select, with a bound on the number of false picks."""
    data, formula = _formula_first(data, formula)
    if formula is not None:
        given["formula"] = formula
    return _run("stability", data, given, progress, copy, name)


def validate(
    data: Any,
    formula: Any = None,
    *,
    progress: Progress | bool | None = None,
    copy: bool | None = None,
    name: str | None = None,
    **given: Any,
) -> Any:
    """Judges the whole procedure, selection included, on rows that it has not seen."""
    data, formula = _formula_first(data, formula)
    if formula is not None:
        given["formula"] = formula
    return _run("validate", data, given, progress, copy, name)


def predict(model: Any, data: Any, *, copy: bool | None = None, **given: Any) -> Predictions:
    """Predicts by a result, its JSON or a file of it: ``fit``, and intervals and probabilities as ``options("predict")`` ask for."""
    if isinstance(model, Result):
        text = model.json
    elif isinstance(model, Mapping):
        text = json.dumps(model)
    elif isinstance(model, str) and model.lstrip().startswith("{"):
        text = model
    else:
        with open(model, encoding="utf-8") as file:
            text = file.read()
    table, source = None, "the data"
    if _data.is_file(data):
        source = os.fspath(data)
    else:
        own = data if isinstance(data, _data.Columns) else _data.with_columns(data, (), copy)
        table = own.table(source)
    columns, warnings = _engine.predict(text, source, table, texts(given, _lists("predict")))
    return Predictions({name: _column(values) for name, values in columns.items()}, warnings)


def simulate(model: str = "ing-lai", **given: Any) -> Simulated:
    """Draws data with a known truth: ``options("simulate")`` has the models' parameters."""
    for own in ("output", "overwrite"):
        if own in given:
            raise TypeError(f"simulate() has no option {own}: it returns the data")
    columns, truth = _engine.draw(model, texts(given, _lists("simulate")))
    return Simulated({name: _column(values) for name, values in columns}, truth)


def read_report(file: str | os.PathLike[str]) -> Any:
    """A result that was stored as JSON, by passel of this version or an older one."""
    with open(file, encoding="utf-8") as text:
        return Result._of(_engine.Report.of_json(text.read()))


def _column(values: Any) -> np.ndarray[Any, Any]:
    if isinstance(values, bytes):
        return np.frombuffer(values, dtype=np.float64)
    return np.array(values, dtype=object)
