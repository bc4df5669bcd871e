"""The journal: every request, answer, append, marker, transition, fault and jump of the clock.

`recorder.py` listens and numbers, `expansion.py` makes entries of what was heard, and whoever keeps
them (`ring.py`, `disk_writer.py`) does so without asking the loop to wait.
"""
