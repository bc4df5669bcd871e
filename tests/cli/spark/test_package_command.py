"""The command `spark package`, for a cluster without mockbroker."""

from pathlib import Path

from click.testing import CliRunner

from mockbroker.cli.commands import commands


def test_a_folder_gets_the_package_and_its_start_script(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    answer = CliRunner().invoke(commands, ["package", str(folder)])
    assert answer.exit_code == 0
    assert sorted(each.name for each in folder.iterdir()) == [
        "mockbroker.zip",
        "mockbroker_pipeline.py",
    ]
    assert answer.output == (
        f"spark-submit --py-files {folder}/mockbroker.zip {folder}/mockbroker_pipeline.py"
        " audit SOURCE --out DIR\n"
    )


def test_a_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = CliRunner().invoke(commands, ["package", str(tmp_path / "file" / "below")])
    assert answer.exit_code == 2
    assert f"{tmp_path}/file/below: Not a directory" in answer.output
