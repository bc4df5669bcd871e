"""State of clients in a cluster: quotas and credentials."""
