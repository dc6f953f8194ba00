"""CUDA's libraries as pip installs them (``pip install 'passel[cuda]'``), which no path of the system leads to."""

from __future__ import annotations

import ctypes
import functools
import glob
import importlib.util
import os

#: In the order in which they need one another.
_LIBRARIES = ("libnvrtc-builtins.so.13*", "libnvrtc.so.13", "libcublasLt.so.13", "libcublas.so.13")


@functools.cache
def open_libraries() -> tuple[str, ...]:
    """Opens those that are there, so that the engine finds them by their names; their paths."""
    if not any(map(os.path.exists, ("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"))):
        return ()
    found = importlib.util.find_spec("nvidia")
    opened: list[str] = []
    for folder in (found.submodule_search_locations or ()) if found else ():
        for name in _LIBRARIES:
            paths = sorted(glob.glob(os.path.join(folder, "*", "lib", name)))
            for path in paths[:1]:
                try:
                    ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
                except OSError:
                    # The engine tells what it cannot open.
                    continue
                opened.append(path)
    return tuple(opened)
