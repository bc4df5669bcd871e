"""What a cluster keeps of its clients: their quotas and their credentials."""
