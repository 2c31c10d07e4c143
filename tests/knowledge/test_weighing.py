from typing import Any

import pytest
from tests.every import for_every
from tests.knowledge.drafting import DAY_MS, NOW_MS, ORCHARD, draft, piece, pieces

from afterwit.harvest.harvester import id_of
from afterwit.knowledge.gone import RETURNS, GoneSubjects
from afterwit.knowledge.merging import merge_drafts
from afterwit.knowledge.weighing import WeighingContext, weigh, weigh_all
from afterwit.model.knowledge import (
    EVERYWHERE,
    READ,
    Authority,
    Category,
    Channel,
    Draft,
    HostLine,
    Item,
    ItemStatus,
    Trigger,
)
from afterwit.store.decisions import Decision, DecisionKind, ItemChanges


def _weigh(one: Draft, *decisions: Decision, **more: Any) -> Item:
    return weigh(one, WeighingContext(now_ms=NOW_MS, decisions={id_of(one): decisions}, **more))


def _decided(kind: DecisionKind, days_ago: int = 0, **changes: Any) -> Decision:
    return Decision(NOW_MS - days_ago * DAY_MS, kind, ItemChanges(**changes))


def _stated(channel: Channel, stories: int) -> Draft:
    return draft("Never mock the database.", channel=channel, evidence=pieces(stories, channel=channel))


_APPROVED, _REJECTED = _decided(DecisionKind.APPROVE), _decided(DecisionKind.REJECT)


@pytest.mark.parametrize(
    ("stories", "status", "reason"),
    [
        (1, ItemStatus.CANDIDATE, "seen in 1 independent session, needs 2"),
        (2, ItemStatus.ACTIVE, "seen in 2 independent sessions"),
        (10, ItemStatus.ACTIVE, "seen in 10 independent sessions"),
    ],
)
def test_a_verified_outcome_is_active_from_its_second_story_on(stories: int, status: str, reason: str) -> None:
    item = _weigh(draft(evidence=pieces(stories)))
    assert (item.status, item.reason) == (status, reason)


def test_a_harvester_may_ask_for_more_stories() -> None:
    item = _weigh(draft(evidence=pieces(2)), minimum_stories={"corrections": 3})
    assert (item.status, item.reason) == (ItemStatus.CANDIDATE, "seen in 2 independent sessions, needs 3")


def test_a_harvester_may_leave_it_to_people() -> None:
    item = _weigh(draft(evidence=pieces(9)), minimum_stories={"corrections": 1_000_000})
    assert (item.status, item.reason) == (ItemStatus.CANDIDATE, "used only with your approval")


def test_what_an_agent_was_shown_does_not_make_it_active() -> None:
    one = draft(evidence=pieces(2))
    assert _weigh(one, echoes={id_of(one): frozenset(("story 1",))}).status is ItemStatus.CANDIDATE


@pytest.mark.parametrize(("stories", "status"), [(1, ItemStatus.CANDIDATE), (2, ItemStatus.ACTIVE)])
def test_a_users_words_are_active_when_they_recur(stories: int, status: ItemStatus) -> None:
    item = _weigh(_stated(Channel.USER, stories), minimum_stories={"corrections": 1})
    assert (item.status, item.authority) == (status, Authority.GUIDANCE)


def test_a_users_words_do_not_recur_in_an_agents_mouth() -> None:
    evidence = (*pieces(1, channel=Channel.USER), *(piece(f"said {at}", channel=Channel.ASSISTANT) for at in range(5)))
    said = draft("Never mock the database.", channel=Channel.USER, evidence=evidence)
    assert _weigh(said).status is ItemStatus.CANDIDATE


@pytest.mark.parametrize(
    "channel", [Channel.ASSISTANT, Channel.TOOL, Channel.WEB, Channel.FILE, Channel.MCP, Channel.HOST]
)
def test_other_words_wait_for_a_person(channel: Channel) -> None:
    item = _weigh(_stated(channel, 9))
    assert (item.status, item.authority) == (ItemStatus.CANDIDATE, Authority.OBSERVATION)
    assert item.reason == f"{channel.in_words}: waits for your approval"
    assert _weigh(_stated(channel, 9), _APPROVED).status is ItemStatus.ACTIVE


def test_a_rule_in_a_tools_words_is_active_as_an_observation() -> None:
    rule = draft(channel=Channel.TOOL, triggers=(Trigger(rule="errcheck"),), evidence=pieces(3, channel=Channel.TOOL))
    item = _weigh(rule)
    assert (item.status, item.authority) == (ItemStatus.ACTIVE, Authority.OBSERVATION)


def test_what_was_imported_is_quarantined_until_approved() -> None:
    imported = _stated(Channel.IMPORTED, 5)
    assert _weigh(imported).status is ItemStatus.QUARANTINED
    assert _weigh(imported, _APPROVED).status is ItemStatus.ACTIVE


def test_what_the_gate_suspects_is_quarantined_with_its_reason() -> None:
    one = draft(evidence=pieces(5))
    item = _weigh(one, suspects={id_of(one): "reads like an order to the agent"})
    assert (item.status, item.reason) == (ItemStatus.QUARANTINED, "reads like an order to the agent")


def test_what_is_suspect_stays_so_when_it_is_merged() -> None:
    one, other = draft("Keep functions small."), draft("Functions should be kept small.", evidence=(piece("late"),))
    (union,) = merge_drafts((one, other)).unions
    (item,) = weigh_all(
        [union], WeighingContext(now_ms=NOW_MS, suspects=dict.fromkeys(union.absorbed, "reads like an order"))
    )
    assert item.status is ItemStatus.QUARANTINED


def test_approval_activates_and_gives_a_high_confidence() -> None:
    item = _weigh(draft(), _APPROVED)
    assert (item.status, item.reason) == (ItemStatus.ACTIVE, "approved by a person")
    assert item.confidence == 0.9
    assert item.authority is Authority.GUIDANCE


@pytest.mark.parametrize("kind", [DecisionKind.REJECT, DecisionKind.RETIRE])
def test_people_take_items_out(kind: DecisionKind) -> None:
    item = _weigh(draft(evidence=pieces(9)), _decided(kind))
    assert item.status is ItemStatus.RETIRED
    assert item.reason.endswith("by a person")


def test_the_latest_decision_counts() -> None:
    earlier = _decided(DecisionKind.REJECT, days_ago=3)
    assert _weigh(draft(), _APPROVED, earlier).status is ItemStatus.ACTIVE
    assert _weigh(draft(), _REJECTED, _decided(DecisionKind.APPROVE, days_ago=3)).status is ItemStatus.RETIRED


def test_an_edit_changes_the_words_and_approves_them() -> None:
    item = _weigh(draft(), _decided(DecisionKind.EDIT, sentence="Tests need `uv run`."))
    assert (item.sentence, item.status) == ("Tests need `uv run`.", ItemStatus.ACTIVE)
    assert item.authority is Authority.GUIDANCE


def test_an_edit_gives_another_place_and_other_triggers_but_the_same_id() -> None:
    one = draft()
    changes: dict[str, Any] = {"scope": EVERYWHERE, "category": Category.PITFALL, "triggers": (Trigger(rule="E501"),)}
    item = _weigh(one, _decided(DecisionKind.EDIT, **changes))
    assert (item.scope, item.category, item.triggers) == (EVERYWHERE, Category.PITFALL, (Trigger(rule="E501"),))
    assert (item.id, item.sentence) == (id_of(one), one.sentence)


def test_a_pin_brings_back_what_was_rejected() -> None:
    item = _weigh(draft(), _decided(DecisionKind.REJECT, days_ago=1), _decided(DecisionKind.PIN))
    assert (item.status, item.reason, item.is_pinned) == (ItemStatus.ACTIVE, "pinned by a person", True)
    again = _weigh(draft(), _decided(DecisionKind.PIN, days_ago=1), _REJECTED)
    assert (again.status, again.is_pinned) == (ItemStatus.RETIRED, False)


def test_what_is_pinned_neither_fades_nor_goes() -> None:
    old = draft(evidence=pieces(2, days_ago=3000), files=("press.py",))
    gone = GoneSubjects(files={ORCHARD.name: frozenset(("press.py",))})
    item = _weigh(old, _decided(DecisionKind.PIN), gone=gone)
    assert (item.status, item.is_pinned, item.confidence) == (ItemStatus.ACTIVE, True, 0.7)
    unpinned = _weigh(old, _decided(DecisionKind.PIN, days_ago=2), _decided(DecisionKind.UNPIN), gone=gone)
    assert (unpinned.status, unpinned.reason) == (
        ItemStatus.STALE,
        f"`press.py` is gone from the repository; {RETURNS}",
    )


def test_decisions_about_what_was_merged_into_it_hold() -> None:
    one, other = draft("Keep functions small."), draft("Functions should be kept small.", evidence=(piece("late"),))
    (union,) = merge_drafts((one, other)).unions
    (absorbed,) = union.absorbed
    (item,) = weigh_all([union], WeighingContext(now_ms=NOW_MS, decisions={absorbed: [_REJECTED]}))
    assert (item.status, item.merged) == (ItemStatus.RETIRED, (absorbed,))


def test_an_answered_question_is_retired() -> None:
    item = _weigh(draft(category=Category.QUESTION, is_closed=True))
    assert (item.status, item.reason) == (ItemStatus.RETIRED, "answered")


def test_a_contradicted_item_is_stale() -> None:
    against = [piece(f"later {at}", is_against=True) for at in range(6)]
    item = _weigh(draft(evidence=(*pieces(3), *against)))
    assert (item.status, item.reason) == (ItemStatus.STALE, "contradicted by 6 independent sessions")


def test_a_doubted_item_is_a_candidate() -> None:
    against = [piece(f"later {at}", is_against=True) for at in range(2)]
    item = _weigh(draft(evidence=(*pieces(3), *against)))
    assert (item.status, item.reason) == (ItemStatus.CANDIDATE, "confidence 0.55, needs 0.60")


@for_every(
    "category, stories, days, status",
    [
        (Category.PITFALL, 2, 180, ItemStatus.ACTIVE),
        (Category.PITFALL, 2, 200, ItemStatus.STALE),
        (Category.PITFALL, 10, 600, ItemStatus.ACTIVE),
        (Category.PITFALL, 10, 620, ItemStatus.STALE),
        (Category.FACT, 2, 120, ItemStatus.ACTIVE),
        (Category.FACT, 2, 140, ItemStatus.STALE),
        (Category.TOOL_QUIRK, 2, 200, ItemStatus.STALE),
        (Category.QUESTION, 2, 40, ItemStatus.STALE),
    ],
)
def test_staleness_comes_by_category_and_later_with_more_evidence(
    category: Category, stories: int, days: int, status: ItemStatus
) -> None:
    item = _weigh(draft(category=category, evidence=pieces(stories, days_ago=days)))
    assert item.status is status
    if status is ItemStatus.STALE:
        assert item.reason == f"not seen for {days} days"


def test_what_fades_is_a_candidate_before_it_is_stale() -> None:
    item = _weigh(draft(evidence=pieces(1, days_ago=90)), minimum_stories={"corrections": 1})
    assert (item.status, item.reason) == (ItemStatus.CANDIDATE, "confidence 0.57, needs 0.60")
    assert (
        _weigh(draft(evidence=pieces(1, days_ago=180)), minimum_stories={"corrections": 1}).status is ItemStatus.STALE
    )


def test_a_candidate_that_nothing_confirmed_is_stale_after_two_half_lives() -> None:
    assert _weigh(draft(evidence=pieces(1, days_ago=350))).status is ItemStatus.CANDIDATE
    assert _weigh(draft(evidence=pieces(1, days_ago=370))).status is ItemStatus.STALE


def test_what_it_speaks_of_is_gone_at_once() -> None:
    one = draft(files=("src/press.py",), evidence=pieces(9))
    item = _weigh(one, gone=GoneSubjects(files={ORCHARD.name: frozenset(("src/press.py",))}))
    assert (item.status, item.reason) == (
        ItemStatus.STALE,
        f"`src/press.py` is gone from the repository; {RETURNS}",
    )


def test_what_the_host_says_already_is_marked() -> None:
    one = draft()
    assert _weigh(one, host_lines={id_of(one): (HostLine("AGENTS.md", 1),)}).is_known_to_host


def _decision(words: str, days_ago: int, channel: Channel = Channel.USER, **more: Any) -> Draft:
    return draft(words, channel=channel, evidence=(piece(words, days_ago=days_ago, channel=channel),), **more)


def _both(earlier: Draft, later: Draft, **more: Any) -> tuple[Item, Item]:
    found = {
        item.id: item
        for item in weigh_all(merge_drafts((earlier, later)).unions, WeighingContext(now_ms=NOW_MS, **more))
    }
    return found[id_of(earlier)], found[id_of(later)]


def test_a_later_decision_takes_the_place_of_an_earlier_one_and_both_are_kept() -> None:
    earlier = _decision("Ship the press with apples.", 9)
    later = _decision("Ship the press with pears.", 2, supersedes=(id_of(earlier),))
    old, new = _both(earlier, later)
    assert (old.status, old.superseded_by) == (ItemStatus.SUPERSEDED, new.id)
    assert (new.status, new.supersedes) == (ItemStatus.CANDIDATE, (old.id,))


def test_an_agent_does_not_replace_what_a_user_decided() -> None:
    earlier = _decision("Ship the press with apples.", 9)
    later = _decision("Ship the press with pears.", 2, Channel.ASSISTANT, supersedes=(id_of(earlier),))
    assert _both(earlier, later)[0].status is ItemStatus.CANDIDATE


def test_what_holds_in_one_repository_does_not_replace_what_holds_everywhere() -> None:
    earlier = _decision("Ship the press with apples.", 9, scope=EVERYWHERE)
    later = _decision("Ship the press with pears.", 2, supersedes=(id_of(earlier),))
    assert _both(earlier, later)[0].status is ItemStatus.CANDIDATE
    wide = _decision("Ship the press with pears.", 2, supersedes=(id_of(earlier),), scope=EVERYWHERE)
    assert _both(earlier, wide)[0].status is ItemStatus.SUPERSEDED


def test_a_rejected_item_replaces_nothing() -> None:
    earlier = _decision("Ship the press with apples.", 9)
    later = _decision("Ship the press with pears.", 2, supersedes=(id_of(earlier),))
    assert _both(earlier, later, decisions={id_of(later): [_REJECTED]})[0].status is ItemStatus.CANDIDATE


def test_what_a_person_pinned_is_not_replaced() -> None:
    earlier = _decision("Ship the press with apples.", 9)
    later = _decision("Ship the press with pears.", 2, supersedes=(id_of(earlier),))
    assert (
        _both(earlier, later, decisions={id_of(earlier): [_decided(DecisionKind.PIN)]})[0].status is ItemStatus.ACTIVE
    )


def test_of_two_that_replace_each_other_the_later_one_stays() -> None:
    one = _decision("Ship the press with apples.", 9)
    other = _decision("Ship the press with pears.", 2, supersedes=(id_of(one),))
    one = _decision("Ship the press with apples.", 9, supersedes=(id_of(other),))
    old, new = _both(one, other)
    assert (old.status, new.status) == (ItemStatus.SUPERSEDED, ItemStatus.CANDIDATE)


def _read(channel: Channel, sentence: str = "Never mock the database.", **more: Any) -> Draft:
    given = {"harvester": READ, "channel": channel, "stated_confidence": 0.9} | more
    return draft(sentence, **({"evidence": pieces(1, channel=channel)} | given))


_CONTEXT = WeighingContext(now_ms=NOW_MS, minimum_stories={READ: 1})


@pytest.mark.parametrize(
    ("channel", "status", "authority"),
    [
        (Channel.USER, ItemStatus.ACTIVE, Authority.GUIDANCE),
        (Channel.OUTCOME, ItemStatus.ACTIVE, Authority.OBSERVATION),
        (Channel.ASSISTANT, ItemStatus.ACTIVE, Authority.OBSERVATION),
        (Channel.TOOL, ItemStatus.CANDIDATE, Authority.OBSERVATION),
        (Channel.FILE, ItemStatus.CANDIDATE, Authority.OBSERVATION),
        (Channel.WEB, ItemStatus.CANDIDATE, Authority.OBSERVATION),
        (Channel.MCP, ItemStatus.CANDIDATE, Authority.OBSERVATION),
    ],
)
def test_what_a_model_read_in_one_session_counts_by_who_spoke(channel: Channel, status: str, authority: str) -> None:
    item = weigh(_read(channel), _CONTEXT)
    assert (item.status, item.authority) == (status, authority)


def test_what_came_from_a_page_waits_however_often_a_model_read_it() -> None:
    item = weigh(_read(Channel.WEB, evidence=pieces(9, channel=Channel.WEB)), _CONTEXT)
    assert item.status is ItemStatus.CANDIDATE


def _weighed_apart(*drafts: Draft) -> dict[str, Item]:
    unions = [union for one in drafts for union in merge_drafts([one]).unions]
    return {item.harvester: item for item in weigh_all(unions, _CONTEXT)}


def test_what_was_read_and_says_the_same_as_an_item_in_use_is_not_told_twice() -> None:
    found = draft("Never mock the database.", evidence=pieces(2))
    items = _weighed_apart(found, _read(Channel.USER))
    assert items["corrections"] == weigh(found, _CONTEXT)
    assert (items[READ].status, items[READ].superseded_by) == (ItemStatus.SUPERSEDED, items["corrections"].id)


def test_what_was_read_is_told_where_what_was_found_still_waits() -> None:
    items = _weighed_apart(draft("Never mock the database.", evidence=pieces(1)), _read(Channel.USER))
    assert items["corrections"].status is ItemStatus.CANDIDATE
    assert items["corrections"].authority is Authority.OBSERVATION
    assert items[READ].status is ItemStatus.ACTIVE


@pytest.mark.parametrize(("channel", "status"), [(Channel.USER, "superseded"), (Channel.OUTCOME, "active")])
def test_what_was_read_replaces_what_was_found_only_in_the_users_words(channel: Channel, status: str) -> None:
    found = draft("Mock the database.", evidence=pieces(2, days_ago=3))
    later = _read(channel, supersedes=(id_of(found),))
    assert _weighed_apart(found, later)["corrections"].status == status


def test_what_was_read_does_not_replace_what_a_person_approved() -> None:
    found = draft("Mock the database.", evidence=pieces(2, days_ago=3))
    later = _read(Channel.USER, supersedes=(id_of(found),))
    context = _CONTEXT._replace(decisions={id_of(found): (_APPROVED,)})
    unions = [union for one in (found, later) for union in merge_drafts([one]).unions]
    assert {item.harvester: item.status for item in weigh_all(unions, context)}["corrections"] is ItemStatus.ACTIVE
