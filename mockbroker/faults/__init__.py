"""Faults: failures that tests request, applied around handlers that know nothing of them."""
