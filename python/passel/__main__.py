"""The command ``passel``: the program itself, which is a part of the extension."""

import sys


def main() -> int:
    """Runs the program on the arguments of this process, and returns its exit code."""
    from passel import _engine

    return _engine.main([sys.executable, "-m", "passel"], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
