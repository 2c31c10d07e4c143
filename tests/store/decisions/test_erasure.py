"""What the journal still says after sessions were erased."""

from typing import Any

from afterwit.store.decide import DRAWN, Erasure, bodies_after_erasure
from afterwit.store.decisions import JournalEntry

ERASED = Erasure(
    frozenset({("codex", "gone")}),
    repos=frozenset({"orchard"}),
    items=frozenset({"lost"}),
    clean_items=frozenset({"clean"}),
)


def draw(repo: str, item: str) -> dict[str, Any]:
    words = {"text": "- prune in March", "would": "- prune in March, and in May"}
    return {"agent": "codex", "session": "kept", "repo": repo, "items": {item: 1}, **words}


def kept_words(*draws: dict[str, Any]) -> list[bool]:
    """Of each draw whether the journal still holds its words."""
    entry = JournalEntry("m1", 1, 0, DRAWN, {"draws": list(draws)})
    body = bodies_after_erasure([entry], ERASED).get(("m1", 1), entry.body)
    return ["text" in one or "would" in one for one in body["draws"]]


def test_words_that_others_were_shown_stay_only_where_none_can_come_from_an_erased_session() -> None:
    assert kept_words(draw("harbour", "clean")) == [True]
    assert kept_words(draw("harbour", "lost"), draw("orchard", "clean"), draw("", "clean")) == [False, False, False]
