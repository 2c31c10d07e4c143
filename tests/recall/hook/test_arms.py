"""The arm of a session: drawn once, recorded with its odds, and kept whatever people choose meanwhile."""

import pytest
from tests.recall.hook.conftest import BLOCKS, KEY, REPO, Hook

from afterwit.recall.brief_block import MOST_TOKENS
from afterwit.recall.deck.write import DeckBlock, DeckExample
from afterwit.recall.holdout import odds_for
from afterwit.recall.hook.tell import LARGEST_BLOCK
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.recall.situation import tokens
from afterwit.redaction.shown import ours

FAST = ("pnpm test --fast", "error: unknown option '--fast'")


def session_in(arm: str, arms: tuple[str, ...]) -> str:
    """The id of a session that is drawn into this arm."""
    odds = odds_for(0.0, 0.0, arms)
    return next(
        name for name in (f"session-{number}" for number in range(1000)) if odds.arm(KEY, "claude-code", name) == arm
    )


def test_a_draw_is_recorded_with_its_arm_its_odds_and_what_the_hook_took(hook: Hook) -> None:
    hook.compile(session_share=0.25, item_share=0.5)
    hook.claude("start", source="startup")
    (drawn,) = hook.records("draw")
    assert (drawn["odds"], drawn["item_odds"]) == ({"held": 0.25, "told": 0.75}, 0.5)
    assert drawn["arm"] == odds_for(0.25, 0.5).arm(KEY, "claude-code", "s1")
    assert drawn["ms"] > 0


def test_a_session_keeps_its_side_when_the_share_is_changed_and_a_new_one_does_not(hook: Hook) -> None:
    assert hook.claude("start", source="startup").context
    hook.compile(session_share=1.0)
    assert "pnpm run unit" in hook.failed(*FAST).context
    assert "pnpm run unit" in hook.failed(*FAST, agent_id="a1").context
    assert hook.claude("start", session="s2", source="startup").stdout == ""
    assert {(drawn["session"], drawn["arm"]) for drawn in hook.records("draw")} == {("s1", "told"), ("s2", "held")}


def test_a_resumed_or_cleared_session_keeps_its_side(hook: Hook) -> None:
    hook.compile(session_share=1.0)
    hook.claude("start", source="startup")
    hook.compile(session_share=0.0)
    for source in ("resume", "clear", "compact"):
        assert hook.claude("start", source=source).stdout == ""
    assert hook.failed(*FAST).stdout == ""
    assert {drawn["arm"] for drawn in hook.records("draw")} == {"held"}


@pytest.mark.parametrize(
    ("arm", "at_start", "after_failure"),
    [
        ("cold", False, False),
        ("block", True, False),
        ("actions", False, True),
        ("told", True, True),
        ("template", True, True),
    ],
)
def test_each_arm_of_an_experiment_is_told_at_its_own_moments(
    hook: Hook, arm: str, at_start: bool, after_failure: bool
) -> None:
    arms = ("cold", "block", "actions", "told", "template")
    hook.compile(arms=arms, session_share=0.5)
    session = session_in(arm, arms)
    assert bool(hook.claude("start", session=session, source="startup").context) == at_start
    assert bool(hook.failed(*FAST, session=session).context) == after_failure
    drawn = hook.records("draw")
    assert [one["moment"] for one in drawn] == ["start", "after"]
    assert {one["arm"] for one in drawn} == {arm}
    assert all(one["text"] or one["would"] for one in drawn)


SEEDED = ("cold", "told", "template")
EXAMPLE = DeckExample(REPO, "template:0a1b2c3d", ours("How it was done:\n- ran `make check`"))


def started(hook: Hook, arm: str, **settings: object) -> str:
    hook.compile(arms=SEEDED, examples=(EXAMPLE,), **settings)  # type: ignore[arg-type]
    return hook.claude("start", session=session_in(arm, SEEDED), source="startup").context


def test_only_the_arm_for_it_is_told_the_example_besides_what_others_are_told(hook: Hook) -> None:
    assert started(hook, "cold") == ""
    told = started(hook, "told")
    seeded = started(hook, "template")
    assert "uv run pytest" in told
    assert "How it was done" not in told
    assert seeded.replace("How it was done:\n- ran `make check`\n", "") == told
    items = {drawn["arm"]: drawn["items"] for drawn in hook.records("draw")}
    assert items["told"] == {"rule-1": 1, "cmd-1": 1}
    assert items["template"] == {"rule-1": 1, "cmd-1": 1, "template:0a1b2c3d": 1}


def test_where_there_is_an_example_every_arm_is_drawn_for_also_without_notes(hook: Hook) -> None:
    for arm in SEEDED:
        assert ("How it was done" in started(hook, arm, blocks=[])) == (arm == "template")
    assert sorted(drawn["arm"] for drawn in hook.records("draw")) == sorted(SEEDED)


def test_an_example_is_for_its_own_repository_and_for_sessions_not_for_subagents(hook: Hook) -> None:
    elsewhere = EXAMPLE._replace(repo="example.org/team/harbour")
    hook.compile(arms=SEEDED, examples=(elsewhere,))
    assert "How it was done" not in hook.claude("start", session=session_in("template", SEEDED)).context
    hook.compile(arms=SEEDED, examples=(EXAMPLE,))
    own = {"session": session_in("template", SEEDED), "source": "startup", "agent_id": "a1"}
    assert "How it was done" not in hook.claude("start", **own).context


def test_an_example_is_held_out_of_some_sessions_of_its_arm(hook: Hook) -> None:
    assert "How it was done" not in started(hook, "template", item_share=1.0)
    (drawn,) = hook.records("draw")
    assert drawn["items"]["template:0a1b2c3d"] == 0
    assert "How it was done" in drawn["would"]


def test_an_example_that_does_not_fit_beside_the_notes_is_left_out(hook: Hook) -> None:
    long = BlockLine("long", ours("- " + "note " * 1_590))
    blocks = [DeckBlock((*BLOCKS[0].sections, BlockSection(ours("More"), (long,))), repo=REPO)]
    assert "How it was done" not in started(hook, "template", blocks=blocks)
    assert tokens("x" * LARGEST_BLOCK) == MOST_TOKENS
