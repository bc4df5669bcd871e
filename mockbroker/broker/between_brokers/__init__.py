"""Calls that brokers send to each other."""
