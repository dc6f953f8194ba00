"""The types of options are made from the engine's own list: PASSEL_BLESS=1 writes them again."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import textwrap
import typing
from pathlib import Path
from typing import Any

import pytest

import passel
from passel import _engine
from passel.functions import _COLUMNS, _OF_PROGRAM

FOLDER = Path(passel.__file__).parent
COMMANDS = ("select", "pairs", "stability", "validate", "predict", "simulate")

MADE = '''made from the engine's list of options.

A test writes this file (``PASSEL_BLESS=1 pytest tests/test_option_types.py``) and fails where it is out of date.
``None`` stands for the default.
"""

from __future__ import annotations

'''

SHARED_HEAD = f'''"""The options that several functions of passel have, {MADE}import os
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, Protocol, TypeAlias, TypedDict

from numpy.typing import ArrayLike


class _Tensor(Protocol):
    def __dlpack__(self, *, stream: Any = None) -> Any: ...


class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


File: TypeAlias = str | os.PathLike[str]
Column: TypeAlias = str | ArrayLike | _Tensor | _ArrowStream
Level: TypeAlias = str | float
Function: TypeAlias = Callable[..., Any]
'''

HEAD = f'''"""The options of passel's functions with their types, {MADE}from collections.abc import Sequence
from datetime import timedelta
from typing import Literal, TypedDict

from passel._shared_options import Choosing, Column, File, Function, Joining, Procedure, Reading, Work
'''

# The classes of options that functions share, by the functions that have them.
SHARED = {
    ("select", "pairs", "stability", "validate", "predict"): ("Reading", "How data are read."),
    ("select", "stability", "validate", "predict"): ("Joining", "What is joined to genotypes."),
    ("select", "pairs", "stability", "validate"): ("Work", "Data, what ends the work and where it is done."),
    ("select", "stability", "validate"): ("Choosing", "Models, terms and the search."),
    ("stability", "validate"): ("Procedure", "What selects."),
}


def listed() -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """The options by the functions that have them in common."""
    of: dict[tuple[str, str, str, str], tuple[list[str], dict[str, Any]]] = {}
    for command in COMMANDS:
        for own in _engine.options(command):
            # A formula is a parameter by itself, and so is what decides on the kind of the result.
            if own["name"] in (*_OF_PROGRAM, "formula") or (command, own["name"]) == ("select", "method"):
                continue
            key = (own["name"], own["default"], own["range"], own["help"])
            of.setdefault(key, ([], own))[0].append(command)
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for commands, own in of.values():
        groups.setdefault(tuple(commands), []).append(own)
    return groups


def of_words(range_: str) -> tuple[list[str], bool]:
    """The words that a range lists, and whether it has no others."""
    word = r"(?!(?:a|an|each|all)\b)[a-z][a-z0-9.-]*"
    found = re.match(rf"({word}(?:, {word})*(?:,? or {word}))(?=$|;|,)", range_)
    if found is None:
        return [], False
    words = re.split(r", or |, | or ", found[1])
    return words, found.end() == len(range_)


def type_of(own: dict[str, Any]) -> str:
    """The type of an option, by what the engine says of its values."""
    value, range_ = own["value"], own["range"]
    if range_ == "true or false":
        return "bool"
    if value == "TIME":
        return "float | str | timedelta"
    if value == "SIZE":
        return "int | str"
    if value.startswith("FILE"):
        return "File"
    if "=" in value and own["list"]:
        element = "Sequence[str]" if value.startswith("NAME=") else "Level"
        return f"str | Sequence[str] | Mapping[str, {element}]"
    if own["list"]:
        if range_.startswith(("files", "paths")):
            return "File | Sequence[File]"
        if re.match(r"(numbers|two|three)\b", range_):
            return "str | Sequence[float]"
        return "Level | Sequence[Level]" if re.search("level|numbers", range_) else "str | Sequence[str]"
    several = " | Sequence[str]" if "everal" in own["help"] else ""
    if own["name"] in ("criterion", "method", "score"):
        # A function of Python stands for itself.
        return "str | Function" + (" | Sequence[str | Function]" if several else "")
    if own["name"] in _COLUMNS and range_.startswith("a column"):
        return "Column" + several
    words, closed = of_words(range_)
    if words and not several:
        literal = "Literal[" + ", ".join(f'"{own}"' for own in words) + "]"
        return literal if closed else f"{literal} | str"
    if range_.startswith("a whole number") or re.match(r"-?\d+ …", range_):
        return "int"
    if re.search(r"\ba number\b|^above|^at least|^a (frequency|share)|^1e-9", range_):
        return "float | str" if re.search(r"estimate|none", range_) else "float"
    return ("Level" if value == "LEVEL" else "str") + several


def field(own: dict[str, Any]) -> str:
    """An option as a field with what it does."""
    name = own["name"].replace("-", "_")
    lines = [f"    {name}: {type_of(own)} | None"]
    default = f" Default: {own['default']}." if own["default"] else ""
    range_ = "" if own["range"] == "true or false" or not own["range"] else f" Values: {own['range']}."
    text = f"{own['help']}.{default}{range_}"
    assert '"""' not in text and "\\" not in text
    # A text may end with a quote of its own.
    closed = f'"""{text}"""' if not text.endswith('"') else f'"""{text} """'
    indent = "    "
    wrapped = textwrap.wrap(closed, 126, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return "\n".join([*lines, *wrapped])


def made() -> dict[str, str]:
    """The texts of the files."""
    groups = listed()
    text = SHARED_HEAD
    bases: dict[str, list[str]] = {command: [] for command in COMMANDS}
    for commands, (name, what) in SHARED.items():
        text += f'\n\nclass {name}(TypedDict, total=False):\n    """{what}"""\n\n'
        text += "\n".join(field(own) for own in groups.pop(commands)) + "\n"
        for command in commands:
            bases[command].append(name)
    shared, text = text, HEAD
    for command in COMMANDS:
        own = groups.pop((command,), [])
        parents = bases[command] or ["TypedDict"]
        text += f"\n\nclass {command.title()}Options({', '.join(parents)}, total=False):\n"
        text += f'    """The options of :func:`passel.{command}`."""\n\n'
        if command != "simulate" and command != "predict":
            text += "    n_jobs: int | None\n"
            text += '    """As ``threads``, by the name that scikit-learn gives it; -1: one per core."""\n'
        text += "\n".join(field(one) for one in own) + ("\n" if own else "")
    assert not groups, f"options that {list(groups)} share have no class"
    return {"_shared_options.py": shared, "_option_types.py": text}


def test_the_files_of_types_are_what_the_engine_lists() -> None:
    for name, text in made().items():
        if os.environ.get("PASSEL_BLESS") == "1":
            (FOLDER / name).write_text(text, encoding="utf-8")
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name} is out of date: PASSEL_BLESS=1 writes it"
        assert max(map(len, text.splitlines())) <= 130


@pytest.mark.parametrize("command", COMMANDS)
def test_functions_take_the_options_that_the_engine_lists(command: str) -> None:
    from passel import _option_types

    function = getattr(passel, command)
    kwargs = typing.get_type_hints(function)["given"]
    (of,) = typing.get_args(kwargs)
    assert of is getattr(_option_types, f"{command.title()}Options")
    known = set(typing.get_type_hints(of)) | set(inspect.signature(function).parameters)
    assert {own["name"] for own in passel.options(command)} <= known


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_each_option(command: str) -> None:
    text = inspect.getdoc(getattr(passel, command))
    assert text is not None
    for own in passel.options(command):
        assert re.search(rf"^ *{own['name']}\b", text, re.M), own["name"]
        if own["default"] not in ("", "true", "false"):
            assert f"default: {own['default']}" in " ".join(text.split()), own["name"]
    assert max(map(len, text.splitlines())) <= 130


def test_help_of_a_terminal_shows_options() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", "import passel; help(passel.select)"], capture_output=True, text=True, check=True
    ).stdout
    assert "criterion" in shown and "ebic-monotone" in shown


def test_words_of_ranges() -> None:
    assert of_words("auto, refuse or mean") == (["auto", "refuse", "mean"], True)
    assert of_words("auto, cpu, cuda (every GPU), or GPUs by number") == ([], False)
    assert of_words("gaussian or gamma; or a plugin's") == (["gaussian", "gamma"], False)
    assert of_words("estimate, or a number above 0") == ([], False)
    assert of_words("a column of numbers") == ([], False)
