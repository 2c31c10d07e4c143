"""The report that the documentation shows is that of the demo."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def reports() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reports", DOCS / "reports.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_report_that_the_documentation_shows_is_what_the_demo_gives(reports: ModuleType, tmp_path: Path) -> None:
    made, shown = reports.demo_report(tmp_path / "demo"), reports.present()
    assert made.keys() == shown.keys()
    assert [name for name in made if made[name] != shown[name]] == []


def test_it_is_the_same_wherever_the_demo_lies(reports: ModuleType, tmp_path: Path) -> None:
    assert reports.demo_report(tmp_path / "one") == reports.demo_report(tmp_path / "another place")
