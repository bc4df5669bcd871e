"""The log of a partition and the state of its producers."""
