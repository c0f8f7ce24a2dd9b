"""The command `whorl`, also `python -m whorl`. Ctrl-C during its first imports leaves no traceback."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Import the command and run it; exit code 130 after a Ctrl-C."""
    try:
        from whorl.cli.main import main as command
    except KeyboardInterrupt:
        sys.exit(130)
    command()


if __name__ == "__main__":
    main()
