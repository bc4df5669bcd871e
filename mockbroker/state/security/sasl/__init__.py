"""Authentication by SASL: the mechanisms, and the order of a client's requests."""
