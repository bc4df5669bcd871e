"""Changes of each supported release of Kafka over the one before it."""
