"""TLS of a listener: its stores and settings, and the transport of its connections."""
