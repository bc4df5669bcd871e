"""Authentication of a connection's client by SASL, before its requests are served."""
