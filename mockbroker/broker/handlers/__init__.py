"""Request handlers, one module for each API or for a few; `dispatch.py` has their table."""
