"""Classic consumer groups: membership, rebalances and committed offsets."""
