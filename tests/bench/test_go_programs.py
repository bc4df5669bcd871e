"""The bench's Go programs."""

import subprocess
from pathlib import Path

import pytest

from bench.errors import CannotMeasureError
from bench.go_programs import ROOT, build


@pytest.fixture(autouse=True)
def _nothing_built() -> None:
    """Forget the programs that other tests have built."""
    build.cache_clear()


@pytest.mark.go
@pytest.mark.parametrize("name", ["loadgen", "floor"])
def test_a_program_passes_its_own_tests(name: str) -> None:
    ran = subprocess.run(
        ["go", "test", "-vet=all", "."],
        cwd=ROOT / "bench" / name,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_missing_go_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CannotMeasureError, match="loadgen needs the Go toolchain"):
        build("loadgen")


def test_a_program_that_does_not_build_is_named_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho no such module >&2\nexit 1\n")
    go.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(CannotMeasureError, match="kfake does not build here: no such module"):
        build("kfake")
