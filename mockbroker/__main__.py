"""`python -m mockbroker` is the command `mockbroker`."""

from mockbroker.cli import main

main()
