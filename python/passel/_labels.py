"""What models are called in tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def spec(criterion: dict[str, Any]) -> str:
    """A criterion as an option names it: its name, then its parameters."""
    own = {key: value for key, value in criterion.items() if key != "value" and type(value) in (int, float)}
    parameters = ",".join(f"{key}={value:g}" for key, value in own.items())
    return f"{criterion['name']}:{parameters}" if parameters else str(criterion["name"])


def models(fields: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The models that a validation compared, by criterion, and by method and family where these are several."""
    parts = [fields, *(fields.get("others") or ())]
    families = {_family(part) for part in parts}
    for part in parts:
        method = part["method"]["name"]
        for model in part["models"]:
            criterion = model.get("criterion")
            label = spec(criterion) if criterion else method
            if criterion and method != "pass":
                label = f"{method} then {label}" if part.get("then") else f"{method}, {label}"
            yield (f"{_family(part)}, {label}" if len(families) > 1 else label), model


def errors(fields: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The errors of the models that a validation compared, and of the null model and the full one where there are any."""
    rows = [(label, own) for label, model in models(fields) for own in model["errors"]]
    return rows + [(name, own) for name in ("null", "full") for own in fields.get(name) or ()]


def _family(fields: dict[str, Any]) -> str:
    return str((fields.get("family") or {"name": "gaussian"})["name"])
