"""What is paused hears nothing, at once, and hears again when it is resumed."""

import pytest
from tests.recall.hook.conftest import Hook
from tests.recall.hook.test_left_out import asked

from afterwit.store.pauses import PAUSED, in_words, pauses_in_force

FOREVER = 9_999_999_999_999


@pytest.mark.parametrize("what", ["agent:*", "agent:claude-code", "repo:orchard"])
def test_nothing_is_said_or_noted_where_it_is_paused(hook: Hook, what: str) -> None:
    (hook.layout.root / PAUSED).write_text(f"0 {what}\n")
    assert asked(hook) == ""
    assert hook.waiting() == []


@pytest.mark.parametrize(
    "line", ["1 agent:*", "0 agent:codex", "0 repo:vineyard", "nonsense", "x agent:*", "0 ", "0 bogus", "0 repo:"]
)
def test_other_pauses_ended_ones_and_nonsense_change_nothing(hook: Hook, line: str) -> None:
    (hook.layout.root / PAUSED).write_text(f"{line}\n")
    assert asked(hook)
    assert hook.waiting()


def test_a_pause_ends_by_itself(hook: Hook) -> None:
    path = hook.layout.root / PAUSED
    path.write_text(f"{FOREVER} agent:*\n5000 repo:orchard\n")
    assert pauses_in_force(str(hook.layout.root), 4_999) == {"agent:*": FOREVER, "repo:orchard": 5_000}
    assert pauses_in_force(str(hook.layout.root), 5_000) == {"agent:*": FOREVER}
    assert [in_words(what) for what in ("agent:*", "agent:codex", "repo:orchard")] == [
        "all agents, everywhere",
        "agent codex",
        "orchard",
    ]
