"""Methods of a part, offered by the object that holds the part."""

from collections.abc import Callable
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

Part = TypeVar("Part")
P = ParamSpec("P")
T = TypeVar("T")


class PartMethod(Generic[P, T]):
    """Descriptor that binds a method of a part: `kill = PartMethod("_brokers", Brokers.kill)`.

    The method keeps its signature, its types and its docstring, and no frame is added to it.
    """

    def __init__(self, part: str, method: Callable[Concatenate[Part, P], T]) -> None:
        """Offer a method of the part that an attribute holds."""
        self._part = part
        self._method: Callable[Concatenate[Any, P], T] = method

    @overload
    def __get__(self, holder: None, kind: type) -> Callable[Concatenate[Any, P], T]: ...
    @overload
    def __get__(self, holder: object, kind: type) -> Callable[P, T]: ...
    def __get__(self, holder: object, kind: type) -> Callable[..., T]:
        """Bind the method to the holder's part; the class gives the function."""
        if holder is None:
            return self._method
        return MethodType(self._method, getattr(holder, self._part))
