"""Puts everyday conversations together from hand-written pieces: ten for each area, always the same ones."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.recall.talks.dialogues import Dialogue

_PER_AREA = 10
_CHATTER = (
    "Looks good, commit it.",
    "Run the tests again, please.",
    "Thanks!",
    "Go on.",
    "Open a pull request for this.",
)


def fillers() -> Iterator[Dialogue]:
    areas = tomllib.loads((Path(__file__).parent / "fillers.toml").read_text("utf-8"))["area"]
    for at, area in enumerate(areas):
        for number in range(_PER_AREA):
            yield Dialogue(f"filler {at}.{number}", 1 + (at * 7 + number * 13) % 200, _turns(area, at, number))


def _turns(area: dict[str, list[str]], at: int, number: int) -> tuple[str, ...]:
    """No two talks of an area have the same beginning and the same decision."""
    pieces = [f"U: {area['open'][number % 5]}", f"U: {area['ask'][(number + at) % 5]}"]
    pieces.append(f"A: {area['reply'][(number + at) % 3]}")
    pieces.append(f"U: {area['say'][(number * 2 + number // 5) % 5]}")
    if number % 3:
        pieces.append(f"U: {area['ask'][(number + at + 2) % 5]}")
    if number % 2:
        pieces.append(f"U: {area['say'][(number * 2 + number // 5 + 2) % 5]}")
    return (*pieces, f"U: {_CHATTER[(at + number) % 5]}")
