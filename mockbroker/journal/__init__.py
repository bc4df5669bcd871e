"""Recording of every request, answer, append, marker, transition, fault and jump of the clock.

`recorder.py` numbers events. Its backends write compact rows (`compact/row_recorder.py`) and store
events (`entry_recorder.py`) in memory (`ring.py`) and files (`files/`), without making the loop
wait; `expansion.py` makes entries of stored events.
"""
