"""Command `serve`, and its options as click's."""

import click

from mockbroker.cli.serve_command import as_click, given_options, serve_command
from mockbroker.settings.serve_options import OPTIONS, OptionRow, ServeOptions


def test_every_row_of_the_table_is_an_option() -> None:
    assert [param.name for param in serve_command.params] == [row.target for row in OPTIONS]


def test_flags_choices_and_lists_use_clicks_types() -> None:
    flag = as_click(OptionRow(("--yes",), "yes", bool, "Agree."))
    assert flag.is_flag
    choice = as_click(OptionRow(("--size",), "size", str, "How big.", choices=("s", "m")))
    assert isinstance(choice.type, click.Choice)
    assert choice.type.choices == ("s", "m")
    port = as_click(OptionRow(("--port",), "port", int, "A port.", maximum=9))
    assert isinstance(port.type, click.IntRange)
    assert (port.type.min, port.type.max) == (0, 9)
    many = as_click(OptionRow(("-t", "--topic"), "topics", str, "A topic.", is_many=True))
    assert many.multiple
    assert many.opts == ["-t", "--topic"]


def test_omitted_options_have_their_defaults() -> None:
    assert given_options({}) == given_options({"port": None}) == ServeOptions()
    assert given_options({"port": 0, "topics": ("a", "b")}) == ServeOptions(
        port=0, topics=["a", "b"]
    )
