"""What answers each API, one module an API; every one registers itself with `@handles`."""
