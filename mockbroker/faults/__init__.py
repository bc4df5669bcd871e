"""Faults: what goes wrong on command, around handlers that know nothing of it."""
