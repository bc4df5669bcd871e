"""Rules about groups: what their members own, and what a share group delivers."""
