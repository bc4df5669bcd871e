"""Checks of a client's rights, around the handlers."""
