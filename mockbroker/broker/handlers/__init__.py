"""What answers each API, one module an API or a few; the table of them is in `dispatch.py`."""
