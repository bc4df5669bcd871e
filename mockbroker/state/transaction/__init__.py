"""Kafka's transaction coordinator: who may produce under which epoch, and how transactions end."""
