from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.knowledge.drafting import HARBOUR, ORCHARD, draft, piece, pieces
from tests.steps import steps_of
from tests.thoroughness import examples

from afterwit.harvest.harvester import id_of
from afterwit.knowledge.belief import authority_of
from afterwit.knowledge.merging import Merged, depends_on_repo, merge_drafts
from afterwit.model.knowledge import EVERYWHERE, Authority, Category, Channel, Draft, Scope, ScopeKind, Trigger

_PYTEST = Trigger(program="pytest")
_ADVICE = "uv run pytest"


def _one(*drafts: Draft) -> Draft:
    (only,) = merge_drafts(drafts).drafts
    return only


def test_equal_triggers_and_advice_merge() -> None:
    first = draft("`pytest` is missing: use `uv run pytest`.", triggers=(_PYTEST,), advice=_ADVICE)
    second = draft(
        "Run tests with `uv run pytest`.",
        triggers=(_PYTEST,),
        advice=_ADVICE,
        evidence=(piece("two"),),
        harvester="environment",
    )
    assert {one.session.story for one in _one(first, second).evidence} == {"story 0", "two"}


@pytest.mark.parametrize(
    "change",
    [
        {"advice": "tox"},
        {"scope": HARBOUR},
        {"category": Category.TOOL_QUIRK},
        {"triggers": (Trigger(program="py.test"),)},
    ],
)
def test_another_advice_scope_category_or_trigger_keeps_them_apart(change: dict[str, object]) -> None:
    first = draft("`pytest` is missing: use `uv run pytest`.", triggers=(_PYTEST,), advice=_ADVICE)
    second = draft("Something else is meant.", **({"triggers": (_PYTEST,), "advice": _ADVICE} | change))
    assert len(merge_drafts((first, second)).drafts) == 2


def test_equal_triggers_that_say_nothing_alone_do_not_merge() -> None:
    push = Trigger(program="git", words=("push",))
    first = draft("Wait for the hooks after `git push`.", triggers=(push,))
    second = draft("Name the remote with `git push`.", triggers=(push,))
    assert len(merge_drafts((first, second)).drafts) == 2


def test_sentences_that_say_the_same_merge_within_a_scope() -> None:
    first = draft("Never mock the database.", channel=Channel.USER, evidence=(piece("one", channel=Channel.USER),))
    second = draft("Do not mock the database!", channel=Channel.USER, evidence=(piece("two", channel=Channel.USER),))
    assert len(_one(first, second).evidence) == 2


def test_a_question_is_not_an_answer() -> None:
    first, second = draft("Mock the database.", category=Category.QUESTION), draft("Mock the database!")
    assert len(merge_drafts((first, second)).drafts) == 2


def test_the_words_and_the_channel_of_the_most_trusted_are_kept() -> None:
    agent = draft("Don't mock the database.", channel=Channel.ASSISTANT, evidence=pieces(9, channel=Channel.ASSISTANT))
    user = draft("Never mock the database.", channel=Channel.USER, evidence=(piece("said", channel=Channel.USER),))
    kept = _one(agent, user)
    assert (kept.sentence, kept.channel) == (user.sentence, Channel.USER)
    assert {one.channel for one in kept.evidence} == {Channel.USER, Channel.ASSISTANT}


def test_merging_never_launders_words() -> None:
    web = draft("Fetch the installer first.", channel=Channel.WEB, evidence=pieces(9, channel=Channel.WEB))
    agent = draft(
        "Fetch the installer, first.", channel=Channel.ASSISTANT, evidence=pieces(9, channel=Channel.ASSISTANT)
    )
    kept = _one(web, agent)
    assert kept.channel is Channel.ASSISTANT
    assert authority_of(kept.channel, kept.evidence) is Authority.OBSERVATION


def test_a_step_seen_twice_is_one_piece_of_evidence() -> None:
    first = draft(triggers=(_PYTEST,), advice=_ADVICE, evidence=(piece("one", at=4), piece("one", at=5)))
    second = draft(
        "Else.", triggers=(_PYTEST,), advice=_ADVICE, evidence=(piece("one", at=4, excerpt="said otherwise"),)
    )
    assert sorted(one.at or 0 for one in _one(first, second).evidence) == [4, 5]


def test_a_step_may_speak_for_and_against() -> None:
    both = (piece("one", at=4), piece("one", at=4, is_against=True))
    assert len(_one(draft(evidence=both)).evidence) == 2


def test_a_union_names_what_it_absorbed() -> None:
    first, second = draft("Keep functions small."), draft("Functions should be kept small.", evidence=(piece("late"),))
    (union,) = merge_drafts((first, second)).unions
    assert {union.id, *union.absorbed} == {id_of(first), id_of(second)}


def test_what_was_merged_does_not_supersede_itself() -> None:
    first = draft("Keep functions small.")
    second = draft("Functions should be kept small.", supersedes=(id_of(first), "0123456789ab"))
    assert _one(first, second).supersedes == ("0123456789ab",)


def test_doubtful_pairs_go_to_review() -> None:
    one = draft("Always squash the commits when merging.", channel=Channel.USER)
    other = draft("Never squash the commits when merging.", channel=Channel.USER)
    far = draft("Translations are checked by the editors.", channel=Channel.USER)
    result = merge_drafts((one, other, far))
    assert len(result.drafts) == 3
    (review,) = result.reviews
    assert {review.first, review.second} == {id_of(one), id_of(other)}
    assert review.reason == "may say the opposite"


def test_two_mechanical_drafts_of_one_harvester_need_no_review() -> None:
    assert not merge_drafts(
        (draft("`go vet` fails before the build."), draft("`go vet` fails after the build."))
    ).reviews


_SENTENCES = (
    "Never mock the database.",
    "Do not mock the database.",
    "Mock the database.",
    "Use `uv run pytest` for the tests.",
    "Call `uv run pytest` for tests.",
    "In `orchard`, call `jq` with single quotes.",
    "In `harbour`, call `jq` with single quotes.",
)
_CHANNELS = (Channel.USER, Channel.OUTCOME, Channel.ASSISTANT, Channel.WEB)


@st.composite
def _drafts(any_of: st.DrawFn) -> Draft:
    channel = any_of(st.sampled_from(_CHANNELS))
    stories = any_of(st.lists(st.integers(0, 4), max_size=3, unique=True))
    triggers = any_of(st.lists(st.sampled_from((_PYTEST, Trigger(program="jq"))), max_size=2, unique=True))
    return draft(
        any_of(st.sampled_from(_SENTENCES)),
        harvester=any_of(st.sampled_from(("corrections", "standing-rules"))),
        key=(any_of(st.sampled_from(("pytest", "jq", "mock"))),),
        scope=any_of(st.sampled_from((ORCHARD, HARBOUR, EVERYWHERE))),
        channel=channel,
        triggers=tuple(triggers),
        advice=any_of(st.sampled_from(("", _ADVICE))),
        files=any_of(st.sampled_from(((), ("src/press.py",)))),
        evidence=tuple(piece(f"story {at}", days_ago=at, channel=channel) for at in stories),
        is_closed=any_of(st.booleans()),
    )


_SETS = st.lists(_drafts(), max_size=7)


@given(drafts=_SETS, data=st.data())
@settings(max_examples=examples(150))
def test_merging_is_commutative(drafts: list[Draft], data: st.DataObject) -> None:
    assert merge_drafts(data.draw(st.permutations(drafts))) == merge_drafts(drafts)


@given(one=_SETS, two=_SETS, three=_SETS)
@settings(max_examples=examples(150))
def test_merging_is_associative(one: list[Draft], two: list[Draft], three: list[Draft]) -> None:
    def join(left: Merged, right: Merged) -> Merged:
        return merge_drafts(chain(left.parts, right.parts))

    first, second, third = merge_drafts(one), merge_drafts(two), merge_drafts(three)
    assert join(join(first, second), third) == join(first, join(second, third)) == merge_drafts([*one, *two, *three])


@given(drafts=_SETS)
@settings(max_examples=examples(150))
def test_merging_is_idempotent(drafts: list[Draft]) -> None:
    once = merge_drafts(drafts)
    assert merge_drafts(once.parts) == once
    assert merge_drafts([*drafts, *drafts]) == once


@given(drafts=_SETS)
@settings(max_examples=examples(100))
def test_no_evidence_is_lost_and_ids_are_unique(drafts: list[Draft]) -> None:
    result = merge_drafts(drafts)
    stories = {one.session.story for each in result.drafts for one in each.evidence}
    assert stories == {one.session.story for each in drafts for one in each.evidence}
    assert len({id_of(each) for each in result.drafts}) == len(result.drafts)


@given(drafts=_SETS)
@settings(max_examples=examples(100))
def test_no_words_get_a_channel_that_they_did_not_come_from(drafts: list[Draft]) -> None:
    said = {
        (each.sentence.removeprefix("In `orchard`, ").removeprefix("In `harbour`, ").lower(), each.channel)
        for each in drafts
    }
    for each in merge_drafts(drafts).drafts:
        words = each.sentence.removeprefix("In `orchard`, ").removeprefix("In `harbour`, ").lower()
        assert (words, each.channel) in said


def _twice(sentence: str = "Quote the filter of `jq`.", **more: object) -> tuple[Draft, Draft]:
    """The same matter in two repositories."""
    key = ("jq",)
    return (
        draft(sentence, key=key, scope=ORCHARD, evidence=(piece("one"),), **more),
        draft(sentence, key=key, scope=HARBOUR, evidence=(piece("two"),), **more),
    )


def test_a_pitfall_of_two_repositories_holds_everywhere() -> None:
    drafts = _twice()
    (union,) = merge_drafts(drafts).unions
    assert union.draft.scope == EVERYWHERE
    assert len(union.draft.evidence) == 2
    assert union.absorbed == tuple(sorted(map(id_of, drafts)))


def test_the_name_of_the_repository_is_left_out() -> None:
    one = draft("In `orchard`, quote the filter of `jq`.", key=("jq",), scope=ORCHARD)
    other = draft("In `harbour`, quote the filter of `jq`.", key=("jq",), scope=HARBOUR, evidence=(piece("two"),))
    (promoted,) = merge_drafts((one, other)).drafts
    assert promoted.sentence == "Quote the filter of `jq`."


@for_every(
    "sentence, more",
    [
        ("Use `make check` for the tests.", {}),
        ("Use `npm run lint` before you commit.", {}),
        ("Run `bun test` alone.", {"advice": "bun test"}),
        ("The schema is `src/schema.sql`.", {}),
        ("Quote the filter.", {"files": ("filter.jq",)}),
        ("Quote the filter.", {"triggers": (Trigger(path="src/**"),)}),
        ("Return errors.", {"triggers": (Trigger(rule="errcheck"),)}),
        ("Work on the press is in one file.", {"triggers": (Trigger(topic=("press",)),)}),
        ("The press in orchard and harbour turns left.", {}),
    ],
)
def test_what_depends_on_a_repository_stays_there(sentence: str, more: dict[str, object]) -> None:
    assert {each.scope for each in merge_drafts(_twice(sentence, **more)).drafts} == {ORCHARD, HARBOUR}


def test_facts_measured_in_repositories_stay_there() -> None:
    assert len(merge_drafts(_twice("Tests run with `go test`.", category=Category.FACT)).drafts) == 2


def test_what_a_user_says_in_two_repositories_holds_everywhere() -> None:
    drafts = _twice("Ask before you delete data.", category=Category.PATTERN, channel=Channel.USER)
    assert [each.scope for each in merge_drafts(drafts).drafts] == [EVERYWHERE]


def test_different_advice_stays_apart() -> None:
    one, other = _twice()
    changed = draft(other.sentence, key=other.key, scope=HARBOUR, advice="jq -r .name")
    assert len(merge_drafts((one, changed)).drafts) == 2


def test_what_holds_everywhere_takes_in_what_one_repository_shows() -> None:
    one, _ = _twice()
    general = draft(one.sentence, key=one.key, scope=EVERYWHERE, evidence=(piece("three"),))
    (promoted,) = merge_drafts((one, general)).drafts
    assert promoted.scope == EVERYWHERE
    assert len(promoted.evidence) == 2


def test_an_agents_quirk_stays_with_the_agent() -> None:
    one, other = _twice(category=Category.TOOL_QUIRK)
    agent = draft(one.sentence, key=one.key, scope=Scope(ScopeKind.AGENT, "codex"), category=Category.TOOL_QUIRK)
    assert {each.scope for each in merge_drafts((one, other, agent)).drafts} == {EVERYWHERE, agent.scope}


@pytest.mark.parametrize("line", ["git push origin", "npm install", "gh pr view --json state", "uv run pytest -q"])
def test_general_commands_depend_on_no_repository(line: str) -> None:
    assert not depends_on_repo(draft(f"Use `{line}`.", advice=line))


def test_drafts_that_are_said_to_be_the_same_merge_into_the_one_that_is_named() -> None:
    first = draft("Press the apples with care.", triggers=(_PYTEST,))
    second = draft("Apples want a gentle press.", evidence=(piece("two"),), triggers=(Trigger(program="tox"),))
    kept = id_of(second)
    (union,) = merge_drafts((first, second), {id_of(first): kept, kept: kept}).unions
    assert (union.id, union.absorbed) == (kept, (id_of(first),))
    assert len(union.draft.evidence) == len(union.draft.triggers) == 2


def test_words_that_are_trusted_more_are_kept_whichever_are_named() -> None:
    users = draft("Press the apples with care.", channel=Channel.USER)
    agents = draft("Apples want a gentle press.", channel=Channel.ASSISTANT)
    kept = id_of(agents)
    (union,) = merge_drafts((users, agents), {id_of(users): kept, kept: kept}).unions
    assert union.id == id_of(users)


def test_what_is_said_to_be_the_same_stays_apart_in_different_repositories() -> None:
    here, there = draft("Press the apples with care."), draft("Apples want a gentle press.", scope=HARBOUR)
    assert len(merge_drafts((here, there), {id_of(here): id_of(there), id_of(there): id_of(there)}).unions) == 2


def _letters(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(number))


@pytest.mark.parametrize(
    "sentence",
    [
        "Run `make index` before counting the trees of orchard number {number} in the valley, or counts are old.",
        "Counting every tree in the north valley needs a fresh survey of soil and water by {letters}ov.",
        "Run `make t{number}` before `make count`, or counts of the valley are old.",
    ],
)
def test_twice_as_many_notes_that_are_alike_take_twice_the_work(sentence: str) -> None:
    def alike(count: int) -> list[Draft]:
        said = (sentence.format(number=number, letters=_letters(number)) for number in range(count))
        return [
            draft(text, channel=Channel.IMPORTED, evidence=(piece(text, channel=Channel.IMPORTED),)) for text in said
        ]

    once, twice = alike(300), alike(600)
    few, many = steps_of(lambda: merge_drafts(once)), steps_of(lambda: merge_drafts(twice))
    assert many <= 2.3 * few


def test_of_very_many_notes_that_are_alike_each_is_still_held_against_others() -> None:
    drafts = [
        draft(f"Counting every tree needs a survey of soil and water by {_letters(number)}ov.", channel=Channel.USER)
        for number in range(200)
    ]
    reviews = merge_drafts(drafts).reviews
    assert len({name for review in reviews for name in (review.first, review.second)}) == 200
    assert len(reviews) <= 200 * 200
