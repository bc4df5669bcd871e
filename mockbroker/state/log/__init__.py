"""The log of a partition, and what it remembers of its producers."""
