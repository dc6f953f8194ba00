"""The help of functions: their options stand below what they do, as the engine lists them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import SupportsIndex, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., object])

#: The column at which lines of help end.
_WIDTH = 100


class _Help(str):
    """A docstring that looks up the options when it is shown: ``help()`` and IPython expand tabs first."""

    command: str

    def expandtabs(self, tabsize: SupportsIndex = 8) -> str:
        text = super().expandtabs(tabsize)
        # In a class or a module a docstring is indented, but for its first line.
        rest = [line for line in text.split("\n")[1:] if line.strip()]
        indent = " " * min((len(line) - len(line.lstrip()) for line in rest), default=0)
        return f"{text.rstrip()}\n\n{textwrap.indent(_options(self.command), indent)}\n"


def _options(command: str) -> str:
    from passel.functions import options

    lines = ["Options", "-------"]
    heading = None
    for own in options(command):
        if own["heading"] != heading:
            heading = own["heading"]
            lines += ["", f"{heading}:"]
        kind = "True or False" if own["range"] == "true or false" else own["range"]
        default = {"true": "True", "false": "False"}.get(own["default"], own["default"])
        own_facts = "; ".join(fact for fact in (kind, f"default: {default}" if default else "") if fact)
        lines += _wrapped(f"{own['name']}: {own_facts}", "  ", "    ")
        lines += _wrapped(f"{own['help']}.", "      ", "      ")
    return "\n".join(lines)


def _wrapped(text: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=others, break_on_hyphens=False)


def with_options(command: str) -> Callable[[_Function], _Function]:
    """Lets the help of a function show the options of a command."""

    def documented(function: _Function) -> _Function:
        text = _Help(function.__doc__ or "")
        text.command = command
        function.__doc__ = text
        return function

    return documented
