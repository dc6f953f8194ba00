"""What can go wrong. Every exception of passel's own is a :class:`PasselError`, every warning a :class:`PasselWarning`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passel.results import Result


def of_python(text: str) -> str:
    """Sentences with options as functions have them: max_size, for the program's --max-size, or max-size where a line begins."""
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*[a-z])|^([a-z]+(?:-[a-z]+)+)(?= = )", _with_underscores, text, flags=re.M)


def _with_underscores(found: re.Match[str]) -> str:
    return (found[1] or found[2]).replace("-", "_")


class PasselError(Exception):
    """An error of passel. Its message names options as functions have them."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(of_python(own) if isinstance(own, str) else own for own in args))

    #: The engine's report of what was found before the end, if anything was.
    report: Any = None

    @property
    def result(self) -> Result | None:
        """What was found before the end; None if nothing was."""
        from passel.results import Result

        return None if self.report is None else Result._of(self.report)

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
