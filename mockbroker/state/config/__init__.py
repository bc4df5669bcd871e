"""The configs of topics and brokers: what they are, where they are set, who may change them."""
