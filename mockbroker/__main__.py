"""`python -m mockbroker` is the command `mockbroker`."""

from mockbroker.cli.main import main

main()
