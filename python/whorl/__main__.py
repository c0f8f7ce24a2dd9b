"""`python -m whorl` is the command `whorl`, even if the command is not installed."""

from whorl.cli.main import main

main()
