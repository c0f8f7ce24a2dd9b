"""The command `whorl`, also `python -m whorl`. Ctrl-C during its first imports leaves no traceback."""

import sys
from typing import NoReturn

from whorl.base import instruction_levels


def main() -> NoReturn:
    """Import the command and run it; exit code 130 after a Ctrl-C, 2 on a processor that is too old."""
    try:
        instruction_levels.require_processor()
        from whorl.cli.main import main as command
    except KeyboardInterrupt:
        sys.exit(130)
    except instruction_levels.LevelError as error:
        sys.stderr.write(f"whorl: {error}\n")
        sys.exit(2)
    command()


if __name__ == "__main__":
    main()
