"""What can go wrong. Every exception of passel's own is a :class:`PasselError`, every warning a :class:`PasselWarning`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passel.results import Result


def of_python(text: str) -> str:
    """A sentence of the program with options as functions have them: max_size, where it says --max-size."""
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*[a-z])", lambda found: found[1].replace("-", "_"), text)


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


class DataError(PasselError, ValueError):
    """Data that are not what they should be."""


class CopyError(PasselError, ValueError):
    """Data that cannot be used without another copy, where ``copy=False`` forbids one."""


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
