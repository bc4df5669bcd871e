"""What is asked of Kafka: one module for each API or group of APIs."""
