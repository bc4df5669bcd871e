"""Blocking methods of a handle as coroutines, with the types of their arguments and results."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial, update_wrapper
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from mockbroker.server.event_loop import running_trio

Handle = TypeVar("Handle")
P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function on a thread of its own, and return its result.

    Raises:
        RuntimeError: the caller runs neither in asyncio nor in trio.

    """
    trio = running_trio()
    if trio is not None:
        called = partial(work, *args, **kwargs)
        result: T = await trio.to_thread.run_sync(called, abandon_on_cancel=True)
        return result
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError("`cluster.aio` works in asyncio and in trio, also by anyio") from None
    return await asyncio.to_thread(work, *args, **kwargs)


class AwaitedHandle(Generic[Handle]):
    """Blocking methods of a handle by their names, as coroutines.

    Subclasses list them, for editors and type checkers; a method that is not listed is a coroutine
    all the same.
    """

    def __init__(self, blocking: Handle) -> None:
        """Wrap a handle."""
        self.blocking = blocking
        """The handle itself, with its blocking methods and its properties."""

    def __repr__(self) -> str:
        """Name the handle."""
        return f"<coroutines of {self.blocking!r}>"

    def __getattr__(self, name: str) -> Any:
        """Return a method that is not listed as a coroutine function."""
        method = None if name.startswith("_") else getattr(type(self.blocking), name, None)
        if not callable(method):
            known = f"{type(self.blocking).__name__} has no method {name!r}"
            raise AttributeError(f"{known}; its properties are read without `aio`")
        return _coroutine_function(getattr(self.blocking, name))


class AwaitedMethod(Generic[P, T]):
    """Descriptor of a method as a coroutine function: `kill = AwaitedMethod(Handle.kill)`."""

    def __init__(self, method: Callable[Concatenate[Any, P], T]) -> None:
        """Take the method, for its types and its docstring."""
        self._method = method

    def __set_name__(self, kind: type, name: str) -> None:
        """Take the name of the method."""

        async def call(holder: AwaitedHandle[Any], *args: P.args, **kwargs: P.kwargs) -> T:
            method: Callable[P, T] = getattr(holder.blocking, name)
            return await in_thread(method, *args, **kwargs)

        self._function = update_wrapper(call, self._method)

    @overload
    def __get__(
        self, holder: None, kind: type
    ) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(
        self, holder: AwaitedHandle[Any], kind: type
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, holder: AwaitedHandle[Any] | None, kind: type) -> Callable[..., Any]:
        """Bind the coroutine function to a handle; the class gives the function."""
        return self._function if holder is None else MethodType(self._function, holder)


def _coroutine_function(method: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return await in_thread(method, *args, **kwargs)

    return update_wrapper(call, method)
