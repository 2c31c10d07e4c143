import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harvest.edits import change, missed, others
from tests.harvest.talks import concluded
from tests.harvest.work import edited, session
from tests.thoroughness import examples

from afterwit.harvest.companions import Companions, is_obvious
from afterwit.model.digest import Digest
from afterwit.model.knowledge import SENTENCE_LIMIT, Draft

API, WEB, DOC = "api/fruit.py", "web/fruit.ts", "docs/fruit.md"


def _with(*paths: str, count: int = 5, first: int = 0) -> list[Digest]:
    return [change("Add a fruit", *paths, day=first + at) for at in range(count)]


def _drafts(*digests: Digest) -> list[Draft]:
    return concluded(Companions(), digests)


def test_files_that_always_change_together_are_one_item_with_all_as_triggers() -> None:
    (draft,) = _drafts(*_with(API, WEB, DOC), *others(12))
    assert draft.sentence == (f"In `orchard`, `{API}`, `{DOC}` and `{WEB}` change together (5 of 5 sessions).")
    assert {trigger.path for trigger in draft.triggers} == {API, DOC, WEB} == set(draft.files)


def test_where_only_one_needs_the_other_the_item_has_that_direction() -> None:
    (draft,) = _drafts(*_with(API, WEB), *_with(WEB, count=4, first=20), *others(20))
    assert draft.sentence == f"When you change `{API}` in `orchard`, `{WEB}` changes too (5 of 5 sessions)."
    assert ([trigger.path for trigger in draft.triggers], draft.files) == ([API], (WEB,))


def test_one_file_that_needs_two_others_makes_one_item() -> None:
    alone = [*_with(WEB, count=4, first=20), *_with(DOC, count=4, first=30)]
    (draft,) = _drafts(*_with(API, WEB, DOC), *alone, *others(30))
    assert draft.files == (DOC, WEB)
    assert "change too (5 of 5 sessions)" in draft.sentence


def test_a_change_of_one_without_the_other_speaks_against() -> None:
    astray = change("Rename a fruit", API, day=2, name="astray")
    (draft,) = _drafts(*_with(API, WEB, count=8, first=3), *_with(WEB, count=4, first=20), astray, *others(40))
    assert "(8 of 9 sessions)" in draft.sentence
    assert [one.session.native_id for one in draft.evidence if one.is_against] == ["astray"]


def test_what_no_longer_held_in_the_latest_story_is_dropped() -> None:
    alone = [*_with(API, count=1, first=50), *_with(WEB, count=1, first=51)]
    assert not _drafts(*_with(API, WEB, count=8), *alone, *others(40))


def test_three_stories_are_too_few() -> None:
    assert not _drafts(*_with(API, WEB, count=3), *others(12))


def test_files_that_change_often_anyway_have_no_lift() -> None:
    assert not _drafts(*_with(API, WEB, count=6), *others(6))


def test_a_story_with_very_many_files_is_not_for_a_pair_but_may_be_against_it() -> None:
    crowd = [f"crowd/c{at}.py" for at in range(22)]
    sweeps = [change("Format all", API, WEB, *crowd[:20], day=40 + at) for at in range(4)]
    assert not [draft for draft in _drafts(*sweeps, *others(20)) if API in draft.files]
    astray = change("Format most", API, *crowd, day=60)
    (draft,) = _drafts(*_with(API, WEB), astray, *others(20))
    assert [trigger.path for trigger in draft.triggers] == [WEB]


def test_tests_follow_but_do_not_lead() -> None:
    tests = "tests/press/test_crates.py"
    (draft,) = _drafts(*_with(API, tests), *_with(tests, count=4, first=20), *others(20))
    assert ([trigger.path for trigger in draft.triggers], draft.files) == ([API], (tests,))
    assert not _drafts(*_with(API, tests), *_with(API, count=4, first=20), *others(20))


def test_looking_for_a_companion_in_vain_speaks_against() -> None:
    vain = session(edited("x.py"), missed(WEB), day=70, name="vain")
    (draft,) = _drafts(*_with(API, WEB), vain, *others(12))
    assert [one.session.native_id for one in draft.evidence if one.is_against] == ["vain"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("press/press.go", "press/press_test.go"),
        ("web/press.ts", "web/__tests__/press.test.ts"),
        ("web/Press.tsx", "web/Press.css"),
    ],
)
def test_neighbours_of_one_name_are_obvious(one: str, other: str) -> None:
    assert is_obvious(one, other)
    assert is_obvious(other, one)


@pytest.mark.parametrize("other", ["tests/fruit/test_press.py", "web/press.py", "fruit/mill.py", "fruit/tools/oil.py"])
def test_paths_that_share_a_word_or_a_folder_are_obvious_where_they_are_of_one_kind(other: str) -> None:
    assert is_obvious("fruit/press.py", other)


@pytest.mark.parametrize("other", ["src/mill.py", "prompts/press.md", "fruit/labels.json"])
def test_other_words_and_other_kinds_are_not(other: str) -> None:
    assert not is_obvious("fruit/press.py", other)


def test_files_that_prompts_name_together_are_no_item_unless_they_are_of_different_kinds() -> None:
    task = "Change fruit.py, orchard.py and template.md"
    code = [change(task, "api/fruit.py", "web/orchard.py", day=at) for at in range(5)]
    assert not _drafts(*code, *others(12))
    mixed = [change(task, "api/fruit.py", "mail/template.md", day=at) for at in range(5)]
    assert len(_drafts(*mixed, *others(12))) == 1


def test_long_paths_still_make_a_whole_sentence() -> None:
    paths = [f"{letter * 20}/{letter * 20}/{letter * 18}/{letter * 20}.py" for letter in "abcd"]
    (draft,) = _drafts(*_with(*paths), *others(20))
    assert len(draft.sentence) <= SENTENCE_LIMIT
    assert draft.sentence.endswith("(5 of 5 sessions).")


@given(st.randoms(use_true_random=False))
@settings(max_examples=examples(10), deadline=None)
def test_the_order_of_sessions_does_not_matter(chance: random.Random) -> None:
    digests = [*_with(API, WEB, DOC), *_with(WEB, count=4, first=20), *others(20)]
    shuffled = list(digests)
    chance.shuffle(shuffled)
    assert _drafts(*shuffled) == _drafts(*digests)
