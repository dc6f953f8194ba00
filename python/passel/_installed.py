"""Plugins that packages bring by entry points of the group ``passel.plugins``, found without an import of theirs."""

from __future__ import annotations

import functools
import os
from typing import Any


@functools.cache
def entry_points_of_plugins() -> dict[str, Any]:
    """The entry points by their names."""
    from importlib.metadata import entry_points

    return {own.name: own for own in entry_points(group="passel.plugins")}


@functools.cache
def libraries() -> tuple[str, ...]:
    """The paths of the shared libraries among them: an entry point is a path, a list of paths or a function that returns these."""
    paths: list[str] = []
    for own in entry_points_of_plugins().values():
        brought: Any = own.load()
        if hasattr(brought, "wanted"):
            # A criterion or a score.
            continue
        if callable(brought):
            brought = brought()
        if isinstance(brought, (str, os.PathLike)):
            brought = [brought]
        paths += [os.fspath(path) for path in brought]
    return tuple(paths)
