"""The bench: mockbroker, real Kafka and two other mock brokers, side by side in one run."""
