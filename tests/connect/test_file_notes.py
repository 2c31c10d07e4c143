"""What agents that read a file are told."""

from pathlib import Path

import pytest

from afterwit.connect.plan import notes_of
from afterwit.recall.deck.write import DeckBlock, DeckContent, DeckSettings, write_deck
from afterwit.recall.hook.call import DECK
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.redaction.markers import CLOSING, OPENING
from afterwit.redaction.shown import ours
from afterwit.store.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "store")
    layout.create()
    return layout


def test_without_a_deck_there_is_nothing_yet(layout: Layout, tmp_path: Path) -> None:
    assert notes_of(layout, tmp_path)("cursor", tmp_path) == ""
    (layout.root / DECK).write_bytes(b"no deck")
    assert notes_of(layout, tmp_path)("cursor", tmp_path) == ""


def test_a_project_gets_its_own_block_and_the_user_what_is_true_everywhere(layout: Layout, tmp_path: Path) -> None:
    orchard = tmp_path / "orchard"
    orchard.mkdir()
    blocks = [
        DeckBlock((BlockSection(ours("Everywhere"), (BlockLine("a", ours("- Be kind.")),)),)),
        DeckBlock(
            (
                BlockSection(
                    ours("Rules"),
                    (BlockLine("b", ours("- Prune in spring.")), BlockLine("c", ours("- Water."))),
                ),
            ),
            repo="orchard",
        ),
    ]
    deck = DeckContent(DeckSettings(b"k" * 16, 1.0, 1.0), roots={str(orchard): "orchard"}, blocks=blocks)
    write_deck(layout.root / DECK, deck)
    notes = notes_of(layout, tmp_path)
    assert notes("cursor", orchard) == f"{OPENING}\nRules\n- Prune in spring.\n- Water.\n{CLOSING}"
    assert notes("aider", None) == f"{OPENING}\nEverywhere\n- Be kind.\n{CLOSING}"
