"""Results: the engine's reports, and the same JSON as the program's."""

from __future__ import annotations

import functools
import json
import math
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from passel import _engine, _labels
from passel._frames import Predictions, Simulated, frame, of_rows
from passel.errors import OptionError, ResultError, of_python

if TYPE_CHECKING:
    from passel import plots
    from passel._option_types import PredictOptions

__all__ = [
    "Pairs", "Predictions", "Ranking", "Responses", "Result", "Selection", "Simulated", "Stability", "Validation",
]

#: Columns of coefficients, of those that a family has.
_OF_COEFFICIENTS = (
    "name", "coefficient", "std_error", "t", "z", "p_value", "p_adjusted", "lower", "upper", "ratio", "ratio_lower", "ratio_upper", "vif",
)

#: Columns of rankings, of those that a selector has.
_OF_SCORES = (
    "name", "index", "score", "relevance", "redundancy", "g", "df", "p_value", "standardised", "permutation_p",
)

#: The form of a report by the ending of its file.
_FORMS = {".json": "json", ".csv": "csv", ".html": "html", ".htm": "html", ".txt": "text", ".parquet": "parquet"}


class Result:
    """What a run has found. Every field of the program's JSON is an attribute, and a key of :meth:`to_dict`."""

    def __init__(self, report: _engine.Report) -> None:
        self._report = report

    @staticmethod
    def _of(report: _engine.Report, index: Any = None) -> Any:
        """The result of the kind that a report is of; ``index`` is that of the data frame."""
        result = _KINDS[report.kind()](report)
        result.__dict__["_index"] = index
        return result

    @staticmethod
    def _of_fields(fields: dict[str, Any]) -> Any:
        """The result of a part of another one."""
        return Result._of(_engine.Report.of_json(json.dumps(fields)))

    @functools.cached_property
    def _extras(self) -> dict[str, Any]:
        """What is not in the JSON, and known of a fresh result alone."""
        residuals, deviations, index = self._report.residuals(), self._report.deviations(), self.__dict__.get("_index")
        if residuals and index is not None:
            index = index[np.frombuffer(residuals["row"]).astype(np.int64) - 1]
        own = {"residuals": residuals, "deviations": deviations, "index": index if residuals else None}
        return {name: value for name, value in own.items() if value is not None and len(value) > 0}

    @property
    def warnings(self) -> list[str]:
        """What a user should know first, with options as functions have them."""
        return [of_python(text) for text in self._report.warnings()]

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
            raise OptionError(f"the ending {ending!r} of {os.fspath(file)} is none of {', '.join(_FORMS)}: give format")
        if form == "parquet" and type(self) is not Selection:
            raise ResultError(f"a {type(self).__name__} has no report in Parquet, which is of one selection: write .csv or .json")
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

    def _repr_html_(self) -> str:
        from passel._cards import of_result

        return of_result(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _stored, (self.json, self._extras)

    @functools.cached_property
    def _lasting(self) -> str:
        """What another run gives again: all but seconds."""
        return json.dumps(_without_seconds(self._fields))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._lasting == other._lasting

    def __hash__(self) -> int:
        return hash(self._lasting)


def _without_seconds(own: Any) -> Any:
    if isinstance(own, dict):
        return {name: _without_seconds(value) for name, value in own.items() if name != "elapsed_seconds"}
    return [_without_seconds(value) for value in own] if isinstance(own, list) else own


def _stored(text: str, extras: dict[str, Any]) -> Any:
    result = Result._of(_engine.Report.of_json(text))
    result.__dict__["_extras"] = extras
    return result


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
        """Whether a chosen variable, or the term or the column that it is of, has this name."""
        return isinstance(name, str) and any(name in (own["name"], own.get("term"), own.get("column")) for own in self._fields["selected"])


class Selection(_Names):
    """The model of a regression that a criterion chose."""

    @property
    def coefficients(self) -> Any:
        """A row for each constant and each chosen variable: coefficient, standard error, t or z, p-value, interval, variance inflation.

        ``p_adjusted`` stands beside ``p_value`` where ``adjust`` was given.

        Constants are the intercept, of the family multinomial one for each level but the first, and of the family ordinal
        the thresholds between levels. Families whose coefficients are logarithms of ratios (of odds, rates or hazards) have
        the ratio with its interval too.
        """
        return of_rows(self._coefficient_rows(), _OF_COEFFICIENTS, "name", always=("std_error", "p_value", "lower", "upper"))

    def _coefficient_rows(self) -> list[dict[str, Any]]:
        fields = self._fields
        constants = [{"name": "(intercept)", **fields["intercept"]}] if fields.get("intercept") else []
        return constants + list(fields.get("constants") or ()) + list(fields["selected"])

    @property
    def best_models(self) -> Any:
        """The best models met: criterion, difference from the best, weight and variables."""
        rows = self._fields["models"]
        return frame({key: [row[key] for row in rows] for key in ("criterion", "delta", "weight", "variables")})

    @property
    def term_tests(self) -> Any:
        """A row for each chosen term of a formula, a factor or a group: its degrees of freedom, test and p-value."""
        return of_rows(self._fields.get("terms") or [], index="name")

    @property
    def honest_inference(self) -> Any:
        """A row for each variable that ``infer`` found chosen: p-values or intervals that account for the choice."""
        inference = self._fields.get("inference")
        if not inference:
            raise ResultError("the selection was made without inference for the choice: give infer, as infer='split'")
        return of_rows(inference["variables"], index="name")

    @property
    def residuals(self) -> Any:
        """A row for each observation: observed, fitted, residual, leverage, Cook's distance and others.

        Of more than 1,000 observations it has the most notable ones, and others evenly by rank. ``row`` counts the rows of the data
        from 1, as reports do; the index is that of the data frame, or else counts from 0. A result that was read from JSON has no
        residuals.
        """
        columns = self._residual_columns()
        made = frame(columns)
        # Polars has no index.
        return made.set_axis(self._extras.get("index", columns["row"] - 1)) if hasattr(made, "set_axis") else made

    def _residual_columns(self) -> dict[str, Any]:
        columns = self._extras.get("residuals")
        if columns is None:
            raise ResultError("the result has no residuals: it was read from JSON, or its family has none")
        made: dict[str, Any] = {}
        for name, values in columns.items():
            numbers = np.frombuffer(values, dtype=np.float64) if isinstance(values, bytes) else None
            if numbers is None or not np.isnan(numbers).all():
                made[name] = values if numbers is None else numbers
        made["row"] = made["row"].astype(np.int64)
        return made

    @property
    def by_criterion(self) -> dict[str, Selection]:
        """The models that several criteria chose, each by itself, by the criterion with its parameters."""
        alone = {name: value for name, value in self._fields.items() if name != "by_other_criteria"}
        models = [Result._of_fields(own) for own in (alone, *(self._fields.get("by_other_criteria") or ()))]
        models[0].__dict__["_extras"] = self._extras
        return {_labels.spec(own._fields["criterion"]): own for own in models}

    @property
    def plot(self) -> plots.SelectionPlots:
        """Figures of matplotlib."""
        from passel.plots import SelectionPlots

        return SelectionPlots(self)

    def predict(self, data: Any, *, copy: bool | None = None, **options: Unpack[PredictOptions]) -> Predictions:
        """Predicts of data, as :func:`passel.predict`."""
        from passel.functions import _predict

        return _predict(self, data, copy, options)

    def _outline(self) -> str:
        criterion = self._fields["criterion"]
        # None of a criterion that is not a number.
        value = math.nan if criterion["value"] is None else criterion["value"]
        return f"{criterion['name']} {value:.6g}, {', '.join(self.names) or 'no variable'}"


class Responses(Result):
    """The models of several responses."""

    def __len__(self) -> int:
        return len(self._fields["responses"])

    def __iter__(self) -> Iterator[Selection]:
        return iter(self[own["response"]] for own in self._fields["responses"])

    def __getitem__(self, response: str) -> Selection:
        for own in self._fields["responses"]:
            if own["response"] == response:
                return Result._of_fields(own)  # type: ignore[no-any-return]
        raise KeyError(response)

    @property
    def warnings(self) -> list[str]:
        """What a user should know of each response's model."""
        models = self._fields["responses"]
        return [f"{own['response']}: {of_python(text)}" for own in models for text in own.get("warnings") or ()]

    def predict(self, data: Any, *, copy: bool | None = None, **options: Unpack[PredictOptions]) -> Predictions:
        """Predicts all responses of data, as :func:`passel.predict`."""
        from passel.functions import _predict

        return _predict(self, data, copy, options)

    @property
    def plot(self) -> plots.ResponsesPlots:
        """Figures of matplotlib."""
        from passel.plots import ResponsesPlots

        return ResponsesPlots(self)

    def _outline(self) -> str:
        return f"{len(self)} responses"


class Ranking(_Names):
    """Variables ranked by a selector."""

    @property
    def scores(self) -> Any:
        """A row for each chosen variable, in the order in which they were chosen."""
        return of_rows(self._fields["selected"], _OF_SCORES, "name")

    @property
    def plot(self) -> plots.RankingPlots:
        """Figures of matplotlib."""
        from passel.plots import RankingPlots

        return RankingPlots(self)

    def _outline(self) -> str:
        return f"{self._fields['method']['name']}: {', '.join(self.names)}"


class Pairs(Result):
    """Pairs of variables by their scores."""

    @property
    def best_pairs(self) -> Any:
        """A row for each pair, best first."""
        return of_rows(self._fields["pairs"])

    @property
    def single_scores(self) -> Any:
        """A row for each variable alone."""
        return of_rows(self._fields["single"], index="name")

    @property
    def plot(self) -> plots.PairsPlots:
        """Figures of matplotlib."""
        from passel.plots import PairsPlots

        return PairsPlots(self)

    def _outline(self) -> str:
        first = self._fields["pairs"][:1]
        return f"{self._fields['method']['name']}, best {first[0]['a']} and {first[0]['b']}" if first else "no pair"


class Stability(_Names):
    """Variables that most resamples select."""

    @property
    def frequencies(self) -> Any:
        """A row for each variable that any resample selected, most frequent first."""
        return of_rows(self._fields["variables"], index="name")

    @property
    def plot(self) -> plots.StabilityPlots:
        """Figures of matplotlib."""
        from passel.plots import StabilityPlots

        return StabilityPlots(self)

    def _outline(self) -> str:
        return f"{len(self)} of {self._fields['p']}: {', '.join(self.names)}"


class Validation(Result):
    """The error of the whole procedure on rows that it has not seen."""

    @property
    def errors(self) -> Any:
        """A row for each measure of each model, of the null model and of the full model where there is one."""
        rows = _labels.errors(self._fields)
        return frame({
            "model": [name for name, _ in rows],
            "measure": [own["name"] for _, own in rows],
            "value": [own["value"] for _, own in rows],
            "std_error": [own.get("std_error") for _, own in rows],
        })

    @property
    def plot(self) -> plots.ValidationPlots:
        """Figures of matplotlib."""
        from passel.plots import ValidationPlots

        return ValidationPlots(self)

    def _outline(self) -> str:
        model = self._fields["models"][0]
        return ", ".join(f"{own['name']} {own['value']:.4g}" for own in model["errors"][:1])


_KINDS: dict[str, type[Result]] = {own.__name__: own for own in (Selection, Responses, Ranking, Pairs, Stability, Validation)}
