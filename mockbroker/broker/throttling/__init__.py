"""Throttling of clients by their quotas."""
