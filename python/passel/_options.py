"""Values of Python as the texts of options: there is one place that reads them, which is the engine."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any

from passel.errors import option_error


def quoted(text: str) -> str:
    """An element of a list, which may have commas, quotes or spaces at its ends."""
    if text and text == text.strip() and not any(letter in text for letter in ',"\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def _text(option: str, value: Any) -> str:
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        # A number of NumPy.
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, timedelta):
        return repr(value.total_seconds())
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
        # 10.0 where a count is meant; the same number elsewhere.
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    of_python = option.replace("-", "_")
    raise option_error(of_python, f"{of_python} = {value!r} must be a text, a number, True, False or a list of these")


def _is_mask(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(own, bool) for own in value)
    return hasattr(value, "__len__") and str(getattr(value, "dtype", "")).lower() in ("bool", "boolean")


def texts(given: Mapping[str, Any], lists: Collection[str]) -> list[tuple[str, list[str]]]:
    """Options as the engine takes them; None means the default. ``lists`` are those that take several texts."""
    all_texts = []
    for key, value in given.items():
        name = key.replace("_", "-")
        if value is None:
            continue
        if hasattr(value, "columns"):
            raise option_error(key, f"{key} is a table, where names or texts are expected")
        if _is_mask(value):
            raise option_error(key, f"{key} is a mask, where names are expected: as of a data frame frame.columns[mask]")
        if isinstance(value, Mapping):
            # As reference={"site": "north"}, and group={"size": ["height", "weight"]}.
            own = []
            for part, of in value.items():
                if isinstance(of, str) or not hasattr(of, "__iter__"):
                    own.append(quoted(f"{part}={_text(name, of)}"))
                else:
                    own.append(f"{part}=" + ",".join(quoted(_text(name, element)) for element in of))
        elif isinstance(value, (str, os.PathLike)) or not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0:
            own = [_text(name, value)]
        else:
            own = [quoted(_text(name, element)) for element in value]
        all_texts.append((name, own if name in lists or isinstance(value, Mapping) else [",".join(own)]))
    return all_texts
