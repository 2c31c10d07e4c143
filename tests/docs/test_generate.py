"""The reference pages are what the code says, and the check notices when they are not."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow  # `make check` looks at the pages themselves
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def generate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The generator, at work on a copy."""
    monkeypatch.syspath_prepend(DOCS)
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shutil.copytree(DOCS, tmp_path / "docs")
    monkeypatch.setattr(module, "_HERE", tmp_path / "docs")
    return module


def check(generate: ModuleType) -> int:
    code: int = generate.main(["--check"])
    return code


def test_the_reference_pages_are_up_to_date(generate: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(generate) == 0, capsys.readouterr().err


def test_a_stale_page_is_shown_as_a_difference(
    generate: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "docs" / "reference" / "commands" / "everyday.md"
    page.write_text(page.read_text(encoding="utf-8").replace("--dry-run", "--wet-run"), encoding="utf-8")
    assert check(generate) == 1
    shown = capsys.readouterr().err
    assert "-| `--wet-run`" in shown
    assert "+| `--dry-run`" in shown


def test_a_missing_page_is_noticed(generate: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "docs" / "reference" / "configuration.md").unlink()
    assert check(generate) == 1


def test_a_page_of_a_group_that_is_gone_is_noticed_and_removed(generate: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "reference" / "commands" / "forget.md"
    page.write_text("# afterwit forget\n", encoding="utf-8")
    assert check(generate) == 1
    assert generate.main([]) == 0
    assert not page.exists()
    assert check(generate) == 0


def test_an_unknown_argument_is_refused(generate: ModuleType) -> None:
    assert generate.main(["--chek"]) == 2


def test_an_agent_that_the_page_does_not_describe_is_an_error(generate: ModuleType, tmp_path: Path) -> None:
    described = tmp_path / "docs" / "parts" / "agents.toml"
    text = described.read_text(encoding="utf-8")
    described.write_text(text[: text.index("[entire]")], encoding="utf-8")
    with pytest.raises(SystemExit, match=r"agents\.toml"):
        check(generate)


def test_a_function_that_the_map_names_and_nobody_has_is_an_error(generate: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "parts" / "architecture.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n`engine.sweep.teach`\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"engine\.sweep\.teach"):
        check(generate)
