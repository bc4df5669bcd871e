"""Response body that is already encoded."""


class Encoded:
    """Body of a response, encoded in the version of its request."""

    __slots__ = ("body",)

    def __init__(self, body: bytes) -> None:
        """Set the bytes, which may be sent any number of times."""
        self.body = body
