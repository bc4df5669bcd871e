"""Kafka's transaction coordinator: producer ids and epochs, and the state of transactions."""
