"""A response that is already written, but for its header."""


class Encoded:
    """The body of a response in the version of the request that it answers."""

    __slots__ = ("body",)

    def __init__(self, body: bytes) -> None:
        """Keep the bytes; they may be sent any number of times."""
        self.body = body
