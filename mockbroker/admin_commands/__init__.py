"""The commands that ask a running cluster, over its admin API: each asks, and says the answer."""
