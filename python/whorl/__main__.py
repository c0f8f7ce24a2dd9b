"""`python -m whorl` is the command `whorl`, also where it was not installed."""

from whorl.cli.main import main

main()
