"""The start block: few things, bounded, the same bytes for the same knowledge."""

import msgspec
import pytest
from afterwit.recall.start_block import (
    MOST_CHARS,
    MOST_READ,
    MOST_TOKENS,
    StartSection,
    StartSettings,
    checked_template,
    section_of,
    start_block,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.knowledge.drafting import HARBOUR, ORCHARD, piece
from tests.recall.knowing import HERE, command, correction, item, read, rule
from tests.thoroughness import examples

from afterwit.model.errors import ConfigError
from afterwit.model.knowledge import Activity, Category, Channel, Scope, ScopeKind, Trigger
from afterwit.recall.situation import Situation, expected, tokens
from afterwit.redaction.shown import ours

STORIES = {ORCHARD: 10}


def test_sections_come_in_their_order_with_what_each_rests_on() -> None:
    known = [rule("no-shadow"), correction(), command("make test"), item("Prune?", category=Category.QUESTION)]
    text = start_block(known, HERE, STORIES).text
    places = [text.index(word) for word in ("make test", "wrapit cargo", "no-shadow", "Prune?")]
    assert places == sorted(places)
    assert "in `orchard`" in text
    assert f"({known[0].rests_on})" in text


def test_nothing_known_is_no_block() -> None:
    assert start_block([], HERE, STORIES).text == ""


def test_another_repositorys_items_never_appear() -> None:
    assert start_block([rule("no-shadow", scope=HARBOUR)], HERE, STORIES).text == ""


def test_an_item_that_concerns_another_agent_does_not_appear() -> None:
    assert start_block([rule("no-shadow", agents=("gemini",))], HERE, STORIES).text == ""
    assert start_block([rule("no-shadow", agents=("codex",))], HERE, STORIES).text


def test_an_agents_own_quirk_appears_in_every_repository() -> None:
    quirk = correction(scope=Scope(ScopeKind.AGENT, "codex"))
    assert start_block([quirk], Situation("elsewhere", "codex"), {}).items == (quirk,)
    assert not start_block([quirk], Situation("elsewhere", "claude-code"), {}).items


def test_what_is_believed_too_little_is_left_out_with_its_reason() -> None:
    doubtful = command("make test", stories=2)
    block = start_block([doubtful], HERE, STORIES)
    assert (block.text, block.left_out) == ("", ((doubtful, "confidence 0.70"),))


def test_a_pinned_note_stands_at_the_start_however_little_it_is_believed() -> None:
    pinned = msgspec.structs.replace(command("make test", stories=2), is_pinned=True)
    assert start_block([pinned], HERE, STORIES).items == (pinned,)


def test_places_and_paths_wait_for_a_prompt() -> None:
    known = [item("Work on pears.", triggers=(Trigger(topic=("pear",)),)), item("A", triggers=(Trigger(path="a"),))]
    assert start_block(known, HERE, STORIES).text == ""


def test_what_answers_failures_alone_waits_for_one_unless_somebody_pinned_it() -> None:
    waiting = item("Unlock the key.", triggers=(Trigger(signature="git commit: refused"),))
    assert start_block([waiting], HERE, STORIES).text == ""
    assert start_block([msgspec.structs.replace(waiting, is_pinned=True)], HERE, STORIES).text
    called = item("Call it so.", triggers=(Trigger(program="go"), Trigger(signature="go: command not found")))
    assert start_block([called], HERE, STORIES).text


def test_foreign_words_are_marked_as_seen() -> None:
    said = rule(
        "no-shadow", channel=Channel.TOOL, evidence=tuple(piece(f"s{n}", channel=Channel.TOOL) for n in range(9))
    )
    assert "- seen: In `orchard`" in start_block([said], HERE, STORIES).text


def test_preferences_stand_first() -> None:
    text = start_block([command("make test")], HERE, STORIES, [ours("two spaces in YAML")]).text
    assert text.index("two spaces") < text.index("make test")


@settings(max_examples=examples(30))
@given(st.lists(st.integers(20, 230), max_size=80), st.integers(100, 2_000))
def test_the_budget_holds(lengths: list[int], budget: int) -> None:
    known = [command(f"make {'x' * length} {number}"[:200]) for number, length in enumerate(lengths)]
    text = start_block(known, HERE, STORIES, (), StartSettings(budget_tokens=budget)).text
    assert len(text) <= MOST_CHARS
    assert tokens(text) <= min(budget, MOST_TOKENS)


@settings(max_examples=examples(30))
@given(st.permutations([rule("one"), rule("two"), correction(), command("make test"), command("make lint")]))
def test_the_order_of_items_makes_no_difference(known: list) -> None:  # type: ignore[type-arg]
    expected = start_block(
        [rule("one"), rule("two"), correction(), command("make test"), command("make lint")], HERE, {}
    )
    assert start_block(known, HERE, {}).text == expected.text


def test_a_little_more_belief_changes_no_byte() -> None:
    one, other = start_block([rule("one", 20)], HERE, STORIES), start_block([rule("one", 21)], HERE, STORIES)
    assert one.text == other.text


def test_people_replace_the_template() -> None:
    made = StartSettings(template="House notes.\n{commands}\nThat is all.")
    text = start_block([command("make test"), rule("one")], HERE, STORIES, (), made).text
    assert text.splitlines()[0] == "House notes."
    assert text.splitlines()[-1] == "That is all."
    assert "one" not in text.replace("House notes.", "")


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(ConfigError, match=r"mine\.md has an unknown field \{weather\}"):
        checked_template("{weather}", "mine.md")


def test_a_note_that_waits_for_nothing_stands_at_the_start() -> None:
    assert "No Redis here." in start_block([read("No Redis here.")], HERE, STORIES).text


def test_what_was_only_seen_comes_after_what_is_sure_and_says_so() -> None:
    seen, sure = read("The port is 81.", Channel.ASSISTANT, saves=5.0), read("No Redis here.", saves=1.0)
    assert seen.belief.mean < 0.7 < sure.belief.mean
    assert "- seen: The port is 81. (" in start_block([seen, sure], HERE, STORIES).text
    tight = (start_block([seen, sure], HERE, STORIES, (), StartSettings(budget_tokens=most)) for most in range(40, 400))
    assert next(block.items for block in tight if block.items) == (sure,)


def test_a_note_that_rarely_matters_waits_for_what_it_names() -> None:
    edit, commit = Trigger(activity=Activity.EDIT, path="press/**"), Trigger(activity=Activity.COMMIT)
    known = [read("A", triggers=(edit,), saves=0.1), read("B", Channel.ASSISTANT, triggers=(commit,), saves=0.2)]
    assert start_block(known, HERE, STORIES).text == ""


def test_a_note_that_matters_in_many_sessions_stands_at_the_start_whatever_it_waits_for() -> None:
    edit = Trigger(activity=Activity.EDIT, path="press/**")
    assert start_block([read("Tabs only.", Channel.ASSISTANT, triggers=(edit,), saves=2.0)], HERE, STORIES).text


def test_several_sessions_lift_a_note_to_the_start() -> None:
    edit = Trigger(activity=Activity.EDIT, path="press/**")
    rare = read("Tabs only.", triggers=(edit,), saves=0.15)
    often = read("Tabs only.", stories=9, triggers=(edit,), saves=0.15)
    assert start_block([rare], HERE, STORIES).text == ""
    assert start_block([often], HERE, STORIES).text


def test_commands_that_verify_work_have_their_room_before_all_others() -> None:
    tests = read("Run one test with `bun test PATH`.", Channel.OUTCOME, triggers=(Trigger(activity=Activity.TEST),))
    wishes = [read(f"Prune tree {number} well.", saves=9.0) for number in range(30)]
    block = start_block([*wishes, tests], HERE, STORIES, (), StartSettings(budget_tokens=200))
    assert tests in block.items
    assert len(block.items) < 20


def test_a_pitfall_of_tests_is_no_command_that_verifies() -> None:
    pitfall = read(
        "`bun test` also runs what lies in `tmp/`.",
        Channel.ASSISTANT,
        category=Category.PITFALL,
        triggers=(Trigger(activity=Activity.TEST),),
    )
    assert section_of(pitfall, STORIES) is StartSection.PITFALLS


def test_only_some_lines_come_from_models() -> None:
    known = [read(f"Prune tree {number}.") for number in range(20)]
    block = start_block(known, HERE, STORIES)
    assert len(block.items) == MOST_READ
    assert {reason for _, reason in block.left_out} == {f"the {MOST_READ} read notes that matter most are in"}


def test_what_more_sessions_confirm_is_worth_more() -> None:
    once, often = read("No Redis here."), read("No Redis here.", stories=4)
    assert 0.3 < expected(once, STORIES) < expected(often, STORIES) <= 1.0
