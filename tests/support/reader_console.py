"""The console of somebody who follows a page: it gives the page's commands to a cluster."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Final
from urllib.request import Request, urlopen

from click.testing import CliRunner

from mockbroker.cli.commands import commands
from tests.support.command_form import install_problems
from tests.support.process import PATIENCE_S, Served, command, served

# A host of its own: the pages also say what has not come, and at a port of 127.0.0.1 a client of
# another test may still be looking for its broker.
HERE: Final = ("--host", "127.0.0.2", "--port", "0", "--admin-port", "0", "--json")
BROKER: Final = "127.0.0.1:9092"
ADMIN_PORT: Final = re.compile(r"(?:localhost|127\.0\.0\.1):8092")
ELLIPSIS: Final = "…"
ADMIN: Final = "MOCKBROKER_ADMIN"
VOLATILE: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3}(?:\+00:00|Z)?|127\.0\.0\.\d:\d+ *|ADDRESS +"
)
CHECK_COLUMNS: Final = 23
"""Width of a check's result and name in the output of `spark doctor`."""


def settled(text: str) -> str:
    """Leave out what differs from run to run: times, and addresses with the blanks after them."""
    return VOLATILE.sub("~", text)


def numbered(text: str) -> str:
    """Leave out the numbers of an audit, too."""
    return re.sub(r"\d[\d,]*", "#", settled(text))


def prints(output: str, shown: str) -> bool:
    """Say whether an output is the one shown; an ellipsis stands for a rest, or for lines."""
    lines = (
        ".*" if line == ELLIPSIS else re.escape(line).replace(ELLIPSIS, "[^\n]*")
        for line in shown.splitlines()
    )
    return re.fullmatch("\n".join(lines), output.rstrip("\n"), re.DOTALL) is not None


class ReaderConsole:
    """A console in a folder, and the cluster that was started last."""

    def __init__(self, folder: Path, options: str, meanwhile: Callable[[str], None]) -> None:
        self._folder = folder
        self._options = options.split()
        self._meanwhile = meanwhile
        """What clients do at the cluster of this address."""
        self._environment = {"NO_COLOR": "1"}
        """Variables of all commands, and those before the command that is given."""
        self._stack = ExitStack()
        self._served: Served | None = None

    def give(self, line: str, shown: str) -> None:
        """Give a command; another output than the one shown raises AssertionError."""
        expanded = re.sub(r"\$(\w+)", lambda name: self._environment.get(name[1], ""), line)
        words = [self._here(word) for word in shlex.split(expanded, comments=True)]
        lasting = self._environment.copy()
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            self._environment[name] = value
        self._give(words, shown)
        self._environment = lasting | {
            name: value for name, value in self._environment.items() if name == ADMIN
        }

    def _give(self, words: list[str], shown: str) -> None:
        match words:
            case ["pip", "install", *requirements]:
                assert not install_problems(requirements)
            case ["mockbroker", "serve", *options]:
                self.serve(*options)
                assert not shown or announces(json.loads(shown), self._running.ready)
            case ["mockbroker", "audit", *arguments]:
                self.close()  # so that the journal is complete
                self._audit(arguments, shown)
            case ["mockbroker", *arguments]:
                self._run(arguments, shown)
            case ["curl" | "open", *arguments]:
                self._request(arguments)
            case _:
                raise AssertionError(words)

    def serve(self, *options: str) -> None:
        """Start a cluster in place of the one before, and let clients begin."""
        self.close()
        self._served = self._stack.enter_context(
            served(*options, *self._options, *HERE, env=self._environment, cwd=self._folder)
        )
        self._environment[ADMIN] = self._served.ready["admin_url"]
        if "--journal" in options:
            self._meanwhile(self._served.addresses[0])

    def close(self) -> None:
        """Stop the cluster, if there is one."""
        if self._served is not None:
            assert self._served.stop() == 0, self._served.stderr
        self._served = None
        self._stack.close()

    @property
    def _running(self) -> Served:
        assert self._served is not None
        return self._served

    def _here(self, word: str) -> str:
        if self._served is None:
            return word
        word = word.replace(BROKER, self._served.addresses[0])
        return ADMIN_PORT.sub(self._environment[ADMIN].partition("//")[2], word)

    def _audit(self, arguments: list[str], shown: str) -> None:
        """Audit in this process, with the session of the run, whose folder is another one."""
        there = [str(self._folder / word) if "/" in word else word for word in arguments]
        done = CliRunner().invoke(commands, ["audit", *there])
        found = done.stdout.replace(f"{self._folder}/", "")
        assert prints(numbered(found), numbered(shown)), done.output

    def _run(self, arguments: list[str], shown: str) -> None:
        run = subprocess.run(
            command(*arguments),
            cwd=self._folder,
            env=os.environ | self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        if arguments == ["spark", "doctor"]:
            found, expected = run.stdout.splitlines(), shown.splitlines()
            assert [x[:CHECK_COLUMNS] for x in found] == [x[:CHECK_COLUMNS] for x in expected]
        elif shown or "-q" in arguments:
            assert prints(settled(run.stdout), settled(shown)), run.stdout
        else:
            assert run.returncode == 0, run.stdout

    def _request(self, arguments: list[str]) -> None:
        """Do what curl does; a refusal raises HTTPError."""
        url, data, method = "", None, None
        headers: dict[str, str] = {}
        words = iter(arguments)
        for word in words:
            match word:
                case "-s":
                    pass
                case "-H":
                    name, _, value = next(words).partition(": ")
                    headers[name] = value
                case "-d":
                    data = next(words).encode()
                case "-X":
                    method = next(words)
                case _:
                    url = word if "://" in word else f"http://{word}"
        request = Request(url, data, headers, method=method)
        if "/wait?" in url:
            Thread(target=self._meanwhile, args=[self._running.addresses[0]]).start()
        urlopen(request, timeout=PATIENCE_S).close()


def announces(expected: dict[str, object], ready: dict[str, object]) -> bool:
    """Say whether an announcement has the fields of another, and the values that do not vary."""
    same = all(ready[name] == expected[name] for name in ("_v", "kafka"))
    return same and ready.keys() == expected.keys()
