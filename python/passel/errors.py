"""What can go wrong. Every exception of passel's own is a :class:`PasselError`, every warning a :class:`PasselWarning`."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passel.results import Result


#: A list, a word with or without parameters, or a number with or without a unit.
_VALUE = r"\w[\w-]*(?:,\w[\w-]*)+(?![\w:=])|[a-z][\w-]*(?::[\w.=-]*\w(?:,\w+=[\w.-]*\w)*)?|-?\d[\d.]*(?: [KMGT]i?B)?\b"

#: An option of the program with a value that may be its next word, or an option where a line begins.
_OPTION = re.compile(rf"(?<![\w-])--([a-z][a-z-]*[a-z])(?: ({_VALUE}))?|^([a-z]+(?:-[a-z]+)+)(?= = )", re.M)


def of_python(text: str) -> str:
    """Sentences with options as functions have them: max_size, for the program's --max-size, or max-size where a line begins;
    and missing="drop-rows" for --missing drop-rows."""
    return _OPTION.sub(_as_argument, text) if "-" in text else text


def _as_argument(found: re.Match[str]) -> str:
    if found[1] and found[1] not in _values():
        # One of another program.
        return found[0]
    name = found[1] or found[3]
    own, value = name.replace("-", "_"), found[2]
    if value is None:
        return own
    words, is_list = _values()[name]
    if re.fullmatch(r"-?[\d.]+", value):
        return f"{own}={value}"
    if value.endswith("B") and value[0].isdigit():
        return f'{own}="{value}"'
    if is_list and "," in value:
        return f"{own}={value.split(',')!r}".replace("'", '"')
    if value.partition(":")[0] in words:
        return f'{own}="{value}"'
    # The next word of the sentence.
    return f"{own} {value}"


@functools.cache
def _values() -> dict[str, tuple[frozenset[str], bool]]:
    """The words that an option of the program may have as its value, and whether it takes several."""
    from passel import _engine

    known = {}
    for command in ("simulate", "predict", "pairs", "stability", "validate", "select"):
        for option in _engine.options(command):
            parts = re.split(r"[,;]? or |, |; ", option["range"])
            # A word alone, with parameters as in split:splits=50, or with an explanation as in cuda (every GPU).
            words = (re.fullmatch(r"([a-z0-9-]+)(?::.*| \(.*)?", part) for part in parts)
            known[option["name"]] = (frozenset(own[1] for own in words if own), option["list"])
    return known


class PasselError(Exception):
    """An error of passel. Its message names options as functions have them."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(of_python(own) if isinstance(own, str) else own for own in args))

    #: The engine's report of what was found before the end, if anything was, and the index of the data frame.
    report: Any = None
    _index: Any = None

    @property
    def result(self) -> Result | None:
        """What was found before the end; None if nothing was."""
        from passel.results import Result

        return None if self.report is None else Result._of(self.report, self._index)

    def __reduce__(self) -> tuple[Any, ...]:
        # An engine's report is not pickled.
        return type(self), self.args


class OptionError(PasselError, ValueError):
    """Options that are refused, one line each; ``options`` has their names."""

    options: list[str] = []


def option_error(option: str, message: str) -> OptionError:
    """The error of one option."""
    error = OptionError(message)
    error.options = [option]
    return error


class DataError(PasselError, ValueError):
    """Data that are not what they should be."""


class FileMissing(DataError, FileNotFoundError):
    """A file of data that is not there."""


class CopyError(PasselError, ValueError):
    """Data that cannot be used without another copy, where ``copy=False`` forbids one."""


class ResultError(PasselError, ValueError):
    """What is asked of a result that does not have it, as a figure of another family."""


class EngineError(PasselError, RuntimeError):
    """The work failed; ``result`` is what was found before."""


class OutOfMemory(PasselError, MemoryError):
    """The work would take more memory than it may have, or than there is."""


class TimedOut(PasselError, TimeoutError):
    """The ``timeout`` has passed; ``result`` is the best until then."""


class Interrupted(PasselError, KeyboardInterrupt):
    """Ctrl-C ended the work; ``result`` is the best until then."""


class PasselWarning(UserWarning):
    """What a user should know of a result, which has it in ``warnings`` too: shown by :mod:`warnings` when a run ends.

    ``warnings.simplefilter("error", passel.PasselWarning)`` makes it an exception, ``"ignore"`` silent.
    """
