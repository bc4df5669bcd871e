"""What only POSIX has is used where there is something else for other systems."""

import ast
from collections.abc import Iterator
from typing import Final

import pytest

from tests.tidy.repository import Sources, parsed, python, refuse, sources

MODULES: Final = frozenset(
    {"crypt", "curses", "fcntl", "grp", "nis", "pty", "pwd", "resource", "syslog", "termios", "tty"}
)
MEMBERS: Final = {
    "os": frozenset(
        {"O_NOCTTY", "chown", "fork", "forkpty", "geteuid", "getpgrp", "getuid", "killpg", "mkfifo"}
        | {"setsid", "sysconf", "tcgetpgrp", "uname", "wait", "waitpid"}
    ),
    "signal": frozenset(
        {
            "SIGALRM",
            "SIGHUP",
            "SIGKILL",
            "SIGPIPE",
            "SIGUSR1",
            "SIGUSR2",
            "alarm",
            "pthread_sigmask",
        }
        | {"setitimer", "sigwait"}
    ),
    "socket": frozenset({"AF_UNIX", "SO_REUSEPORT", "socketpair"}),
    "loop": frozenset({"add_signal_handler", "remove_signal_handler"}),
}
FALLBACKS: Final = {
    "mockbroker/cli/child_process.py": {"os.O_NOCTTY", "os.getpgrp", "os.tcgetpgrp"},
    "mockbroker/cli/serve.py": {"loop.add_signal_handler"},
    "mockbroker/exploration/programs.py": {"os.killpg", "signal.SIGKILL"},
}
"""What has a fallback, which a test of the module tests by taking it away."""


def posix_only(files: Sources) -> list[str]:
    return [
        f"{path}: {name}"
        for path, text in python(files, "mockbroker/").items()
        for name in sorted(set(used_names(parsed(text))) - FALLBACKS.get(path, set()))
    ]


def used_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names if each.name in MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                if module in MODULES:
                    yield module
                members = MEMBERS.get(module, frozenset())
                yield from (f"{module}.{each.name}" for each in names if each.name in members)
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                if name in MEMBERS.get(owner, ()):
                    yield f"{owner}.{name}"
            case _:
                pass


def test_what_only_posix_has_is_not_used_without_a_fallback() -> None:
    refuse(posix_only(sources()))


@pytest.mark.parametrize(
    "line",
    [
        "import fcntl",
        "from resource import getrusage",
        "import os\nos.fork()",
        "from socket import AF_UNIX",
        "import signal\nsignal.SIGKILL",
    ],
)
def test_a_use_without_a_fallback_is_detected(line: str) -> None:
    assert posix_only({"mockbroker/x.py": line})
    assert not posix_only({"tools/x.py": line})


def test_each_fallback_is_for_something_that_is_used() -> None:
    files = python(sources(), "mockbroker/")
    for path, names in FALLBACKS.items():
        assert names <= set(used_names(parsed(files[path])))
