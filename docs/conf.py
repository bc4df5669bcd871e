"""Settings of the documentation site, which `make site` builds with Sphinx.

The pages are the Markdown files of this folder, as they are read in the repository, too. The index
is index.md: its links, heading by heading, are the site's navigation.
"""

import re
from typing import Any, Final

from sphinx.application import Sphinx

import mockbroker

project = "mockbroker"
author = "the mockbroker authors"
copyright = author  # noqa: A001 - Sphinx names it so
release = version = mockbroker.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"mockbroker {release}"
html_extra_path = ["reference/client-situations.html"]
html_show_sphinx = False

# In docstrings, `name` is code.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 80
autodoc_default_options = {"members": True, "inherited-members": "object,tuple"}

_HEADING: Final = re.compile(r"^## (.+)$", re.MULTILINE)
_PAGE: Final = re.compile(r"\]\(([\w/-]+)\.md\)")
_RAISED: Final = re.compile(r"^    ([\w.]+(?:, [\w.]+)*):")
_OUTSIDE: Final = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?!docs/)[^)]*README\.md\)")


def toctrees(index: str) -> str:
    """Return hidden tables of contents, with the pages that an index links.

    There is one for each heading of the second level, or one for the whole index.
    """
    _, *parts = _HEADING.split(index)
    captions = [[f":caption: {each}"] for each in parts[::2]]
    sections = list(zip(captions, parts[1::2], strict=True)) or [([], index)]
    return "\n".join(
        "\n".join(["", "```{toctree}", ":hidden:", *caption, "", *pages, "```"])
        for caption, text in sections
        if (pages := dict.fromkeys(_PAGE.findall(text)))
    )


def prepare(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Add the contents to an index, and turn links to files of the repository into text."""
    if docname.rpartition("/")[2] in {"index", "README"}:
        source[0] += toctrees(source[0])
    source[0] = _OUTSIDE.sub(r"\1", source[0])


def list_errors(*event: Any) -> None:
    """Turn the section `Raises:` of a docstring into Sphinx's list of errors.

    Napoleon would, but takes the words before a colon in the docstring of a field for its type.
    """
    lines: list[str] = event[-1]
    if "Raises:" in lines:
        start = lines.index("Raises:")
        lines[start:] = [_RAISED.sub(":raises \\1:", line) for line in lines[start + 1 :]]


def setup(app: Sphinx) -> None:
    """Connect what this file does to a build."""
    app.connect("source-read", prepare)
    app.connect("autodoc-process-docstring", list_errors)
