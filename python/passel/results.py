"""Results: the engine's reports, and the same JSON as the program's."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from passel import _engine

#: The form of a report by the ending of its file.
_FORMS = {".json": "json", ".csv": "csv", ".html": "html", ".htm": "html", ".txt": "text", ".parquet": "parquet"}


def _frame(columns: Mapping[str, Any], index: str | None = None) -> Any:
    """A data frame of pandas, or of Polars where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        import polars

        return polars.DataFrame(dict(columns))
    frame = pandas.DataFrame(dict(columns))
    return frame if index is None else frame.set_index(index)


class Result:
    """What a run has found. Every field of the program's JSON is an attribute, and a key of :meth:`to_dict`."""

    def __init__(self, report: _engine.Report) -> None:
        self._report = report

    @staticmethod
    def _of(report: _engine.Report) -> Any:
        """The result of the kind that a report is of."""
        fields = json.loads(report.render("json"))
        kind = next((own for own in _KINDS if own._mark in fields), Ranking)
        result = kind(report)
        result.__dict__["_fields"] = fields
        return result

    @functools.cached_property
    def _fields(self) -> dict[str, Any]:
        return dict(json.loads(self.json))

    @functools.cached_property
    def json(self) -> str:
        """The JSON that the program writes for ``--format json``."""
        return self._report.render("json").decode()

    def to_dict(self) -> dict[str, Any]:
        """All fields, which the caller may change."""
        return dict(json.loads(self.json))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._fields[name]
        except KeyError:
            kind = type(self).__name__
            raise AttributeError(f"{kind!r} has no attribute {name!r}: it has {', '.join(self._fields)}") from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._fields})

    def summary(self) -> str:
        """The report as the program prints it."""
        return self._report.render("text").decode()

    def report(self, file: str | os.PathLike[str], *, format: str | None = None) -> None:
        """Writes the report to a file, whose ending says the form: .html, .json, .csv, .txt or .parquet."""
        ending = os.path.splitext(os.fspath(file))[1].lower()
        form = format or _FORMS.get(ending)
        if form is None:
            raise ValueError(f"the ending {ending!r} of {os.fspath(file)} is none of {', '.join(_FORMS)}: give format")
        rendered = self._report.render(form)
        with open(file, "wb") as to:
            to.write(rendered)

    def to_html(self) -> str:
        """The page of the report, which needs no other file."""
        return self._report.render("html").decode()

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<passel.{type(self).__name__} of {self._fields.get('data')}: {self._outline()}>"

    def _outline(self) -> str:
        return ""

    #: The field that tells the kind of a report.
    _mark: ClassVar[str] = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _stored, (self.json,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.json == other.json

    def __hash__(self) -> int:
        return hash(self.json)


def _stored(text: str) -> Any:
    return Result._of(_engine.Report.of_json(text))


class _Names(Result):
    """Results that name the variables that they chose."""

    @property
    def names(self) -> list[str]:
        """The names of the chosen variables, in the order of the report."""
        return [own["name"] for own in self._fields["selected"]]

    def __len__(self) -> int:
        return len(self._fields["selected"])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names


class Selection(_Names):
    """The model of a regression that a criterion chose."""

    _mark = "models"

    @property
    def coefficients(self) -> Any:
        """A row for the intercept and each chosen variable: coefficient, standard error, t or z, p-value, interval."""
        fields = self._fields
        rows = ([{"name": "(intercept)", **fields["intercept"]}] if fields.get("intercept") else []) + fields["selected"]
        wanted = ["coefficient", "std_error", "t", "z", "p_value", "lower", "upper"]
        there = [name for name in wanted if any(name in row for row in rows)]
        columns: dict[str, Any] = {"name": [row["name"] for row in rows]}
        for name in there:
            numbers = [row.get(name) for row in rows]
            columns[name] = np.array([np.nan if own is None else own for own in numbers], dtype=np.float64)
        return _frame(columns, "name")

    @property
    def best_models(self) -> Any:
        """The best models met: criterion, difference from the best, weight and variables."""
        rows = self._fields["models"]
        return _frame({key: [row[key] for row in rows] for key in ("criterion", "delta", "weight", "variables")})

    def predict(self, data: Any, **options: Any) -> Predictions:
        """Predicts of data, as :func:`passel.predict`."""
        from passel.functions import predict

        return predict(self, data, **options)

    def _outline(self) -> str:
        criterion = self._fields["criterion"]
        return f"{criterion['name']} {criterion['value']:.6g}, {', '.join(self.names) or 'no variable'}"


class Responses(Result):
    """The models of several responses."""

    _mark = "responses"

    def __len__(self) -> int:
        return len(self._fields["responses"])

    def __iter__(self) -> Iterator[Selection]:
        return iter(self[own["response"]] for own in self._fields["responses"])

    def __getitem__(self, response: str) -> Selection:
        for own in self._fields["responses"]:
            if own["response"] == response:
                return Result._of(_engine.Report.of_json(json.dumps(own)))  # type: ignore[no-any-return]
        raise KeyError(response)

    def predict(self, data: Any, **options: Any) -> Predictions:
        """Predicts all responses of data, as :func:`passel.predict`."""
        from passel.functions import predict

        return predict(self, data, **options)

    def _outline(self) -> str:
        return f"{len(self)} responses"


class Ranking(_Names):
    """Variables ranked by a selector."""

    @property
    def scores(self) -> Any:
        """A row for each chosen variable, in the order in which they were chosen."""
        rows = self._fields["selected"]
        wanted = ["name", "index", "score", "relevance", "redundancy", "g", "df", "p_value"]
        there = [name for name in wanted if any(row.get(name) is not None for row in rows)]
        return _frame({name: [row.get(name) for row in rows] for name in there}, "name" if rows else None)

    def _outline(self) -> str:
        return f"{self._fields['method']['name']}: {', '.join(self.names)}"


class Pairs(Result):
    """Pairs of variables by their scores."""

    _mark = "pairs"

    @property
    def best_pairs(self) -> Any:
        """A row for each pair, best first."""
        rows = self._fields["pairs"]
        return _frame({name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())})

    @property
    def single_scores(self) -> Any:
        """A row for each variable alone."""
        rows = self._fields["single"]
        return _frame({name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())})

    def _outline(self) -> str:
        first = self._fields["pairs"][:1]
        return f"{self._fields['method']['name']}, best {first[0]['a']} and {first[0]['b']}" if first else "no pair"


class Stability(_Names):
    """Variables that most resamples select."""

    _mark = "resampling"

    @property
    def frequencies(self) -> Any:
        """A row for each variable that any resample selected, most frequent first."""
        rows = self._fields["variables"]
        return _frame({name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())})

    def _outline(self) -> str:
        return f"{len(self)} of {self._fields['p']}: {', '.join(self.names)}"


class Validation(Result):
    """The error of the whole procedure on rows that it has not seen."""

    _mark = "scheme"

    @property
    def errors(self) -> Any:
        """A row for each measure of each model, of the null model and of the full model where there is one."""
        fields = self._fields
        rows = []
        for model in fields["models"]:
            criterion = model.get("criterion") or fields["method"]
            rows += [(criterion["name"], own) for own in model["errors"]]
        for name in ("null", "full"):
            rows += [(name, own) for own in fields.get(name) or ()]
        return _frame({
            "model": [name for name, _ in rows],
            "measure": [own["name"] for _, own in rows],
            "value": [own["value"] for _, own in rows],
            "std_error": [own.get("std_error") for _, own in rows],
        })

    def _outline(self) -> str:
        model = self._fields["models"][0]
        return ", ".join(f"{own['name']} {own['value']:.4g}" for own in model["errors"][:1])


class Predictions(Mapping[str, Any]):
    """Columns of predictions: ``fit``, and what else was asked for."""

    def __init__(self, columns: dict[str, Any], warnings: list[str]) -> None:
        self._columns = columns
        #: What a user should know.
        self.warnings = warnings

    @property
    def fit(self) -> np.ndarray[Any, Any]:
        """Means, NaN in rows without a prediction; of levels the most probable."""
        return self._columns["fit"] if "fit" in self._columns else self._columns["level"]  # type: ignore[no-any-return]

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.fit, dtype=dtype, copy=copy)

    def to_frame(self) -> Any:
        """A data frame of all columns."""
        return _frame(self._columns)

    def __repr__(self) -> str:
        rows = len(next(iter(self._columns.values()), ()))
        return f"<passel.Predictions of {rows} rows: {', '.join(self._columns)}>"


class Simulated(Mapping[str, Any]):
    """Columns of simulated data, of which ``y`` is the response, and ``truth`` the names of the true variables."""

    def __init__(self, columns: dict[str, Any], truth: list[str]) -> None:
        self._columns = columns
        self.truth = truth

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_frame(self) -> Any:
        """A data frame of all columns."""
        return _frame(self._columns)

    def __repr__(self) -> str:
        rows = len(next(iter(self._columns.values()), ()))
        return f"<passel.Simulated: {rows} rows of {len(self)} columns, true are {', '.join(self.truth)}>"


# In the order in which the engine tells them apart; what has none of these is a ranking.
_KINDS: list[type[Result]] = [Responses, Validation, Stability, Pairs, Selection]
