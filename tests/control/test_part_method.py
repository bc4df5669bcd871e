"""Methods of a part that its holder offers."""

import inspect

from mockbroker.control.part_method import PartMethod


class Counter:
    """A part."""

    def __init__(self, start: int) -> None:
        self.value = start

    def add(self, by: int = 1, *, twice: bool = False) -> int:
        """Add a number."""
        self.value += 2 * by if twice else by
        return self.value


class Holder:
    """An object with a part."""

    def __init__(self, start: int) -> None:
        self._counter = Counter(start)

    add = PartMethod("_counter", Counter.add)


def test_a_part_method_is_bound_to_the_part_of_its_instance() -> None:
    first, second = Holder(0), Holder(10)
    add = first.add
    assert (add(), add(2, twice=True), second.add()) == (1, 5, 11)


def test_the_class_gives_the_function_with_its_signature_and_docstring() -> None:
    assert Holder.add is Counter.add
    assert str(inspect.signature(Holder(0).add)) == "(by: int = 1, *, twice: bool = False) -> int"
    assert inspect.getdoc(Holder.add) == "Add a number."
