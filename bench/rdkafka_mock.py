"""librdkafka's mock cluster in a separate process, so that its memory and CPU can be measured.

    python -m bench.rdkafka_mock

Prints its bootstrap address when it listens, and stays until its standard input closes.
"""

import signal
import sys

from confluent_kafka import Producer


def main() -> None:
    """Run the mock cluster inside a producer that produces nothing."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    producer = Producer({"test.mock.num.brokers": 1, "log_level": 2})
    brokers = producer.list_topics(timeout=10).brokers.values()
    print(",".join(f"{broker.host}:{broker.port}" for broker in brokers), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
