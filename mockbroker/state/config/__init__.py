"""Configs of topics, brokers, groups and client metrics: definitions, values and changes."""
