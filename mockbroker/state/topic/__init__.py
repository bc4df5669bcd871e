"""Topics and their partitions: names, ids, replicas, leaders."""
