"""Value of a control record that ends a transaction (KIP-98)."""

from mockbroker.protocol.schema.message import INT32, Message, field


class EndTxnMarker(Message, versions="0"):
    coordinator_epoch: int = field(INT32)
