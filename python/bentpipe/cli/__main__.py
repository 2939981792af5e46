"""`python -m bentpipe.cli`."""

from bentpipe.cli import main

main()
