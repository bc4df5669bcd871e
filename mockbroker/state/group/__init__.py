"""What consumer groups have committed."""
