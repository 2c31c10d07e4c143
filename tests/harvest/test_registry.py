"""Every harvester has a name of its own, and the page on the harvest says what it takes."""

from pathlib import Path

from tests.every import for_every

from afterwit.harvest.registry import harvesters

_PAGE = Path(__file__).parents[2] / "docs/explanation/harvest.md"
_NAMES = [harvester.name for harvester in harvesters()]


def test_no_two_harvesters_share_a_name() -> None:
    assert len(set(_NAMES)) == len(_NAMES)


@for_every("name", _NAMES)
def test_the_page_on_the_harvest_names_every_harvester(name: str) -> None:
    assert f"`{name}`" in _PAGE.read_text("utf-8")
