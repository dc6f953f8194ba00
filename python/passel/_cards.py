"""Results as HTML for notebooks: headline numbers, what was chosen, and warnings.

The styles are those of the notebook: colours are inherited, or shades of grey that a light and a dark page show alike. Texts of
data, as names, are escaped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from passel._labels import errors
from passel.results import Pairs, Ranking, Responses, Result, Selection, Stability, Validation

if TYPE_CHECKING:
    from passel._frames import Columns

#: Rows and columns of a table that are shown.
_ROWS, _COLUMNS = 20, 12
#: Signs of a text that are shown.
_LONGEST = 80

_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = f"padding:.15em .7em;border:0;border-bottom:{_LINE};background:none;color:inherit;white-space:nowrap;"

Fact = tuple[str, Any]
Table = tuple[list[str], list[list[Any]], int]


def _text(value: Any) -> str:
    """A value as text that cannot be markup."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in str(value))
    return escape(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _table(table: Table) -> str:
    names, rows, all_rows = table
    right = [all(_is_number(row[at]) for row in rows) for at in range(len(names))]
    align = ["right" if own else "left" for own in right]
    head = "".join(
        f'<th scope="col" style="{_CELL}font-weight:600;text-align:{align[at]}">{_text(name)}</th>'
        for at, name in enumerate(names)
    )
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}text-align:{align[at]}">{_text(own)}</td>' for at, own in enumerate(row)) + "</tr>"
        for row in rows
    )
    more = f'<div style="opacity:.7">… {all_rows - len(rows)} more rows</div>' if all_rows > len(rows) else ""
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums">'
        f'<thead><tr style="background:none">{head}</tr></thead><tbody>{body}</tbody></table></div>{more}'
    )


def _card(title: str, data: Any, facts: Iterable[Fact], tables: Iterable[Table], warnings: Sequence[str]) -> str:
    of = f' <span style="opacity:.7">of {_text(data)}</span>' if data else ""
    told = "".join(
        f'<div style="margin-right:1.6em"><span style="opacity:.7">{_text(name)}</span> {_text(value)}</div>'
        for name, value in facts
        if value is not None
    )
    notes = "".join(f"<li>{_whole(text)}</li>" for text in warnings)
    if notes:
        notes = (
            '<div role="note" style="border-left:.25em solid #d55e00;padding-left:.7em;margin:.4em 0">'
            f'<b>To know first</b><ul style="margin:.2em 0;padding-left:1.2em">{notes}</ul></div>'
        )
    return (
        '<div class="passel" style="line-height:1.4;max-width:72em">'
        f'<div><b>{_text(title)}</b>{of}</div><div style="display:flex;flex-wrap:wrap;margin:.3em 0">{told}</div>'
        f"{notes}{''.join(map(_table, tables))}</div>"
    )


def _whole(text: str) -> str:
    """A sentence, which is not cut."""
    return escape("".join(sign if sign.isprintable() else " " for sign in text))


def _rows(rows: Sequence[dict[str, Any]], wanted: dict[str, str]) -> Table:
    """A table of a report's rows: of the fields wanted those that any row has, by their headings."""
    there = {key: name for key, name in wanted.items() if any(row.get(key) is not None for row in rows)}
    shown = [[row.get(key) for key in there] for row in rows[:_ROWS]]
    return list(there.values()), shown, len(rows)


_TEST = {"std_error": "std. error", "t": "t", "z": "z", "p_value": "p", "p_adjusted": "adjusted p"}
_OF_COEFFICIENTS = {"name": "", "coefficient": "coefficient", **_TEST, "lower": "lower", "upper": "upper", "ratio": "ratio"}
_OF_SCORES = {
    "name": "", "score": "score", "relevance": "relevance", "redundancy": "redundancy", "p_value": "p (G)",
    "permutation_p": "p (permutations)",
}
_OF_PAIRS = {"a": "", "b": " ", "score": "score", "synergy": "synergy", "p_value": "p"}
_OF_FREQUENCIES = {"name": "", "frequency": "frequency", "count": "resamples"}


def _criterion(fields: dict[str, Any]) -> Fact:
    criterion = fields["criterion"]
    return (criterion["name"], criterion.get("value"))


def _selection(result: Selection) -> tuple[list[Fact], list[Table]]:
    fields = result._fields
    family = fields.get("family") or {"name": "gaussian"}
    certified = fields.get("certified")
    facts: list[Fact] = [
        ("response", fields["response"]), ("family", family["name"]), _criterion(fields), ("n", fields["n"]),
        ("candidates", fields.get("candidate_terms") or fields["p"]),
        ("chosen", len(fields.get("terms") or fields["selected"])), ("R²", fields.get("r_squared")),
        ("deviance explained", family.get("deviance_explained")), ("σ", fields.get("sigma")),
        ("optimum", certified if certified else "not certified"),
    ]
    return facts, [_rows(result._coefficient_rows(), _OF_COEFFICIENTS)]


def _responses(result: Responses) -> tuple[list[Fact], list[Table]]:
    models = result._fields["responses"]
    rows = [[own["response"], own["criterion"]["value"], own["k"], ", ".join(one["name"] for one in own["selected"])]
            for own in models[:_ROWS]]
    return [("responses", len(models))], [(["response", "criterion", "size", "variables"], rows, len(models))]


def _ranking(result: Ranking) -> tuple[list[Fact], list[Table]]:
    fields = result._fields
    facts: list[Fact] = [
        ("response", fields["response"]), ("method", fields["method"]["name"]), ("n", fields["n"]), ("candidates", fields["p"]),
        ("chosen", len(fields["selected"])), ("ended by", fields.get("termination")),
    ]
    return facts, [_rows(fields["selected"], _OF_SCORES)]


def _pairs(result: Pairs) -> tuple[list[Fact], list[Table]]:
    fields = result._fields
    facts: list[Fact] = [
        ("response", fields["response"]), ("score", fields["method"]["name"]), ("n", fields["n"]), ("variables", fields["p"]),
        ("pairs", len(fields["pairs"])),
    ]
    return facts, [_rows(fields["pairs"], _OF_PAIRS)]


def _stability(result: Stability) -> tuple[list[Fact], list[Table]]:
    fields = result._fields
    facts: list[Fact] = [
        ("response", fields["response"]), ("method", fields["method"]["name"]), ("n", fields["n"]), ("candidates", fields["p"]),
        ("resamples", fields["resamples"]), ("cut-off", fields["cutoff"]), ("false picks at most", fields.get("false_picks")),
        ("selected", ", ".join(result.names) or "none"),
    ]
    return facts, [_rows(fields["variables"], _OF_FREQUENCIES)]


def _validation(result: Validation) -> tuple[list[Fact], list[Table]]:
    fields = result._fields
    facts: list[Fact] = [
        ("response", fields["response"]), ("method", fields["method"]["name"]), ("scheme", fields["scheme"]["name"]),
        ("n", fields["n"]), ("splits", fields["done"]), ("rows judged", fields["judged"]),
        ("best size", fields.get("best_size")),
    ]
    rows: list[list[Any]] = []
    for model, own in errors(fields):
        rows.append([model, own["name"].replace("_", " "), own["value"], own.get("std_error")])
    return facts, [(["model", "measure", "value", "std. error"], rows[:_ROWS], len(rows))]


_OF_KINDS: dict[type[Result], tuple[str, Callable[[Any], tuple[list[Fact], list[Table]]]]] = {
    Selection: ("Variables of a regression", _selection), Responses: ("Variables of several responses", _responses),
    Ranking: ("Variables by rank", _ranking), Pairs: ("Pairs of variables", _pairs),
    Stability: ("Stability selection", _stability), Validation: ("Error on rows held out", _validation),
}


def of_result(result: Result) -> str:
    """The card of a report."""
    title, made = _OF_KINDS[type(result)]
    facts, tables = made(result)
    return _card(title, result._fields.get("data"), facts, tables, result.warnings)


def of_columns(columns: Columns) -> str:
    """The card of predictions or of simulated data: their first rows."""
    names = list(columns)[:_COLUMNS]
    rows = [[_own(columns[name][at]) for name in names] for at in range(min(columns.n, _ROWS // 2))]
    facts: list[Fact] = [("rows", columns.n), ("columns", len(columns))]
    truth = getattr(columns, "truth", None)
    if truth is not None:
        facts.append(("true variables", ", ".join(truth)))
    warnings: list[str] = getattr(columns, "warnings", [])
    return _card(type(columns).__name__, None, facts, [(names, rows, columns.n)], warnings)


def _own(value: Any) -> Any:
    """A value of an array as Python's own."""
    return value.item() if hasattr(value, "item") else value
