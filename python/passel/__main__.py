"""The command ``passel``: the program itself, which is a part of the extension."""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Runs the program on the arguments of this process, and returns its exit code."""
    from passel import _engine
    from passel._cuda import open_libraries

    # The program has handlers of its own, behind which Python's would raise once more.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _find_libraries()
    open_libraries()
    return _engine.main([sys.executable, "-m", "passel"], sys.argv[1:])


def _find_libraries() -> None:
    """Libraries of plugins that packages bring are looked for where the user's are."""
    from passel._installed import libraries

    folders = dict.fromkeys(os.path.dirname(os.path.abspath(path)) for path in libraries())
    if folders:
        set_already = os.environ.get("PASSEL_PLUGIN_PATH")
        paths = ([set_already] if set_already else []) + list(folders)
        os.environ["PASSEL_PLUGIN_PATH"] = os.pathsep.join(paths)


if __name__ == "__main__":
    sys.exit(main())
