"""Conformance scenarios: one module for each API or group of APIs."""
